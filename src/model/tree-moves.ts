import { type TreeFilter, type TreeModel, treeFilters } from './tree-model.ts';
import { isFoldable, layOutRows, runStartOf, type TreeRows } from './tree-rows.ts';

/** The next row in a direction for which `is` holds; −1 when there is none. */
export function findRow(rows: TreeRows, from: number, step: 1 | -1, is: (row: number) => boolean): number {
  for (let row = from + step; row >= 0 && row < rows.length; row += step) if (is(row)) return row;
  return -1;
}

/** The same, going on at the other end. */
export function findRowAround(rows: TreeRows, from: number, step: 1 | -1, is: (row: number) => boolean): number {
  const ahead = findRow(rows, from, step, is);
  if (ahead >= 0) return ahead;
  const wrapped = findRow(rows, step > 0 ? -1 : rows.length, step, is);
  return wrapped === from ? -1 : wrapped;
}

/** Says whether a row is a turn: something that a user or the agent said. */
export function turnTest(rows: TreeRows, { skeleton }: TreeModel): (row: number) => boolean {
  const { kinds, kindNames } = skeleton;
  const isTurn = kindNames.map(({ role }) => role === 'user' || role === 'assistant');
  return (row) => isTurn[kinds[rows.at[row] ?? 0] ?? 0] === true;
}

/** The start of the run above: this run's own when the row is further down in it, else that of the run it left. */
export function upToRunStart(rows: TreeRows, row: number): number {
  const start = runStartOf(rows, row);
  if (start !== row) return start;
  const parent = rows.parent[row] ?? -1;
  return parent < 0 ? row : runStartOf(rows, parent);
}

/** Where the first run begins that leaves this one, or the last row of this one. */
export function downToRunStart(rows: TreeRows, row: number): number {
  const run = rows.run[row];
  let at = row;
  while (at + 1 < (rows.end[at] ?? 0)) {
    at++;
    if (rows.run[at] !== run) return at;
  }
  return at;
}

/** Everything folded that is not on the active path: the heads of the branches that leave it. */
export function foldsOfOthers(model: TreeModel, shown: Uint8Array): Set<number> {
  const rows = layOutRows(model, shown, new Set());
  const folds = new Set<number>();
  const isActive = (row: number): boolean => row < 0 || model.isActive[rows.at[row] ?? 0] === 1;
  for (let row = 0; row < rows.length; row++) {
    if (!isActive(row) && isActive(rows.parent[row] ?? -1) && isFoldable(rows, row)) folds.add(rows.at[row] ?? 0);
  }
  return folds;
}

/** The folds without those that hide an entry. */
export function revealed(model: TreeModel, folds: ReadonlySet<number>, at: number): ReadonlySet<number> {
  const { parents } = model.skeleton;
  const open = new Set(folds);
  for (let step = parents[at] ?? -1; step >= 0 && open.size > 0; step = parents[step] ?? -1) open.delete(step);
  return open.size === folds.size ? folds : open;
}

/** The filter after (or before) one. */
export function filterBeside(filter: TreeFilter, step: 1 | -1): TreeFilter {
  const count = treeFilters.length;
  return treeFilters[(treeFilters.indexOf(filter) + step + count) % count] ?? 'default';
}

/**
 * The row that stands for an entry: its own, that of its fold or of its nearest shown ancestor, else its nearest neighbour.
 * −1 when there are no rows.
 */
export function rowFor(model: TreeModel, rows: TreeRows, at: number): number {
  if (rows.length === 0) return -1;
  const row = rows.carrier[at] ?? -1;
  if (row >= 0) return row;
  // Rows stand in the order of all entries: find where this one would be.
  const { placeOf } = model;
  const place = placeOf[at] ?? 0;
  let [low, high] = [0, rows.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((placeOf[rows.at[middle] ?? 0] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
