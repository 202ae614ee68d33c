import type { TreeModel } from './tree-model.ts';

/**
 * The rows that are drawn, laid out once. A row belongs to a run: entries that follow each other without a branch among the
 * shown ones. Runs make a tree of their own, and only a run that begins at a branch is indented against the one it left.
 */
export interface TreeRows {
  readonly length: number;
  /** Of each row the position of its entry. */
  readonly at: Int32Array;
  /** Of each row the row of its nearest shown ancestor; −1 for a root. */
  readonly parent: Int32Array;
  /** Of each row the row where its own subtree ends (the first one behind it). */
  readonly end: Int32Array;
  /** Of each row its run. */
  readonly run: Int32Array;
  /** Of each row how many shown entries it hides, folded; −1 when it is not folded. */
  readonly folded: Int32Array;
  readonly runParent: Int32Array;
  /** How deep a run is indented; 0 for one that is not. */
  readonly runDepth: Int32Array;
  /** Is it the last one at its branch? */
  readonly runIsLast: Uint8Array;
  /** The first row of a run. */
  readonly runStart: Int32Array;
  /** Of each position its row, or that of what hides it: a fold, or else its nearest shown ancestor; −1 for none. */
  readonly carrier: Int32Array;
  /** Of each position: does it have a row of its own? */
  readonly hasRow: Uint8Array;
  /** Entries that folds hide. */
  readonly hiddenByFolds: number;
}

interface Placed {
  readonly at: Int32Array;
  readonly parent: Int32Array;
  readonly folded: Int32Array;
  readonly carrier: Int32Array;
  readonly hasRow: Uint8Array;
  readonly hiddenByFolds: number;
}

/** Gives each shown entry its row. What lies in a fold is counted at it. */
function placeRows({ order, count, skeleton }: TreeModel, shown: Uint8Array, folds: ReadonlySet<number>): Placed {
  const { parents } = skeleton;
  const rowAt = new Int32Array(count);
  const rowParent = new Int32Array(count);
  const folded = new Int32Array(count);
  const carrier = new Int32Array(count);
  const hasRow = new Uint8Array(count);
  let length = 0;
  let hiddenByFolds = 0;
  for (let place = 0; place < count; place++) {
    const at = order[place] ?? -1;
    const parentAt = parents[at] ?? -1;
    const above = parentAt < 0 ? -1 : (carrier[parentAt] ?? -1);
    const hidden = above < 0 ? -1 : (folded[above] ?? -1);
    carrier[at] = above;
    if (shown[at] !== 1) continue;
    if (hidden >= 0) {
      folded[above] = hidden + 1;
      hiddenByFolds++;
      continue;
    }
    rowAt[length] = at;
    rowParent[length] = above;
    folded[length] = folds.has(at) ? 0 : -1;
    carrier[at] = length;
    hasRow[at] = 1;
    length++;
  }
  // What has nothing to hide is not folded.
  for (let row = 0; row < length; row++) if (folded[row] === 0) folded[row] = -1;
  return {
    at: rowAt.slice(0, length),
    parent: rowParent.slice(0, length),
    folded: folded.slice(0, length),
    carrier,
    hasRow,
    hiddenByFolds,
  };
}

/** Lays out the rows of the entries that `shown` has a 1 for, in linear time and without recursion. */
export function layOutRows(model: TreeModel, shown: Uint8Array, folds: ReadonlySet<number>): TreeRows {
  const placed = placeRows(model, shown, folds);
  const { parent } = placed;
  const length = parent.length;
  // Slot 0 stands for the root above all roots.
  const childCount = new Int32Array(length + 1);
  const lastChild = new Int32Array(length + 1).fill(-1);
  for (let row = 0; row < length; row++) {
    const slot = (parent[row] ?? -1) + 1;
    childCount[slot] = (childCount[slot] ?? 0) + 1;
    lastChild[slot] = row;
  }
  const run = new Int32Array(length);
  const runs = { parent: [] as number[], depth: [] as number[], isLast: [] as number[], start: [] as number[] };
  for (let row = 0; row < length; row++) {
    const above = parent[row] ?? -1;
    const isBranch = (childCount[above + 1] ?? 0) > 1;
    if (!isBranch && above >= 0) {
      run[row] = run[above] ?? 0;
      continue;
    }
    const runAbove = above < 0 ? -1 : (run[above] ?? -1);
    run[row] = runs.parent.length;
    runs.parent.push(runAbove);
    runs.depth.push((runAbove < 0 ? 0 : (runs.depth[runAbove] ?? 0)) + (isBranch ? 1 : 0));
    runs.isLast.push(lastChild[above + 1] === row ? 1 : 0);
    runs.start.push(row);
  }
  const end = new Int32Array(length);
  for (let row = length - 1; row >= 0; row--) {
    const last = lastChild[row + 1] ?? -1;
    end[row] = last < 0 ? row + 1 : (end[last] ?? row + 1);
  }
  return {
    ...placed,
    length,
    end,
    run,
    runParent: Int32Array.from(runs.parent),
    runDepth: Int32Array.from(runs.depth),
    runIsLast: Uint8Array.from(runs.isLast),
    runStart: Int32Array.from(runs.start),
  };
}

/** How deep a row is indented. */
export function depthOf(rows: TreeRows, row: number): number {
  return rows.runDepth[rows.run[row] ?? 0] ?? 0;
}

/** Does a run begin at a row that has something below it, or is it folded? */
export function isFoldable(rows: TreeRows, row: number): boolean {
  if (isFolded(rows, row)) return true;
  return rows.runStart[rows.run[row] ?? 0] === row && (rows.end[row] ?? 0) > row + 1;
}

export function isFolded(rows: TreeRows, row: number): boolean {
  return (rows.folded[row] ?? -1) > 0;
}

/** Does more than one branch leave a row? */
export function isBranchPoint(rows: TreeRows, row: number): boolean {
  const first = row + 1;
  return first < (rows.end[row] ?? 0) && (rows.end[first] ?? 0) < (rows.end[row] ?? 0);
}

/** The first row of the run that a row belongs to. */
export function runStartOf(rows: TreeRows, row: number): number {
  return rows.runStart[rows.run[row] ?? 0] ?? row;
}

/** What is drawn before a row's text, one piece for each level, from the outermost shown one. */
export type Guide = 'bar' | 'blank' | 'tee' | 'corner';

/** The guides of a row from level `base` + 1 on, at most `levels` of them. Touches no more than the levels above the row. */
export function guidesOf(rows: TreeRows, row: number, base: number, levels: number): Guide[] {
  const run = rows.run[row] ?? 0;
  const guides: Guide[] = [];
  let at = run;
  for (let depth = rows.runDepth[run] ?? 0; depth > base && at >= 0; depth--) {
    // A run that is not indented against its parent cannot stand between two that are.
    const isLast = rows.runIsLast[at] === 1;
    const isStart = at === run && rows.runStart[run] === row;
    const guide = isStart ? (isLast ? 'corner' : 'tee') : isLast ? 'blank' : 'bar';
    if (depth <= base + levels) guides.push(guide);
    at = rows.runParent[at] ?? -1;
  }
  return guides.reverse();
}

/**
 * The outermost level that the rows of a window need not show: 0 while all fit; else as much as they have in common, and
 * never so little that the selected row's own level is cut.
 */
export function baseLevel(rows: TreeRows, top: number, height: number, selected: number, levels: number): number {
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (let row = top; row < Math.min(rows.length, top + height); row++) {
    const depth = depthOf(rows, row);
    least = Math.min(least, depth);
    most = Math.max(most, depth);
  }
  return most <= levels ? 0 : Math.max(0, least - 1, depthOf(rows, selected) - levels);
}
