/** The least that a tree is made of: entries, damaged lines, rows. */
export interface TreeItem {
  readonly id: string;
  /** null for a root. */
  readonly parentId: string | null;
}

/** Why an item stands where it does: its parent is missing, its ancestors lead back to it, or its id is not its own. */
export type TreeMark = 'orphan' | 'cycle' | 'duplicate';

/**
 * Items in file order with their links as positions in that order, so that items of the same id stay apart. Every item
 * is reached exactly once from `roots`; no walk over it can fail to end.
 */
export interface Tree<T extends TreeItem> {
  readonly items: readonly T[];
  /** Of each item its parent's position, or -1 for a root. */
  readonly parents: Int32Array;
  /** Positions of the roots, in file order. */
  readonly roots: readonly number[];
  /** Of each item its children's positions in file order; absent for a leaf. */
  readonly children: ReadonlyMap<number, readonly number[]>;
  readonly marks: ReadonlyMap<number, TreeMark>;
  /** The position for an id: the last item that bears it, as in the family's own index. */
  readonly positions: ReadonlyMap<string, number>;
}

const NONE = -1;
const NO_CHILDREN: readonly number[] = [];

/**
 * Cuts every cycle at its first member in file order, so that it becomes a root. Colours the ancestors of each item once,
 * hence linear.
 */
export function cutCycles(parents: Int32Array, marks: Map<number, TreeMark>): void {
  const seenBy = new Int32Array(parents.length).fill(NONE);
  for (let start = 0; start < parents.length; start++) {
    let at = start;
    while (at !== NONE && seenBy[at] === NONE) {
      seenBy[at] = start;
      at = parents[at] ?? NONE;
    }
    if (at === NONE || seenBy[at] !== start) continue;
    let head = at;
    for (let member = parents[at] ?? NONE; member !== at; member = parents[member] ?? NONE) {
      head = Math.min(head, member);
    }
    parents[head] = NONE;
    marks.set(head, 'cycle');
  }
}

/** Links items by their `parentId`, in linear time whatever the links say. */
export function buildTree<T extends TreeItem>(items: readonly T[]): Tree<T> {
  const positions = new Map<string, number>();
  const marks = new Map<number, TreeMark>();
  items.forEach((item, at) => {
    if (positions.has(item.id)) marks.set(at, 'duplicate');
    positions.set(item.id, at);
  });
  const parents = new Int32Array(items.length).fill(NONE);
  items.forEach((item, at) => {
    if (item.parentId === null) return;
    const parent = positions.get(item.parentId);
    if (parent === undefined) marks.set(at, 'orphan');
    else parents[at] = parent;
  });
  cutCycles(parents, marks);
  const roots: number[] = [];
  const children = new Map<number, number[]>();
  parents.forEach((parent, at) => {
    if (parent === NONE) roots.push(at);
    else {
      const siblings = children.get(parent);
      if (siblings === undefined) children.set(parent, [at]);
      else siblings.push(at);
    }
  });
  return { items, parents, roots, children, marks, positions };
}

/** The positions of an item's children, in file order. */
function childrenAt<T extends TreeItem>(tree: Tree<T>, at: number): readonly number[] {
  return tree.children.get(at) ?? NO_CHILDREN;
}

/** The positions from root to `at`, both included. */
export function pathTo<T extends TreeItem>(tree: Tree<T>, at: number): number[] {
  const path: number[] = [];
  for (let step = at; step !== NONE; step = tree.parents[step] ?? NONE) path.push(step);
  return path.reverse();
}

/** A position and how many ancestors it has. */
export interface Visit {
  readonly at: number;
  readonly depth: number;
}

/**
 * Every item once, parents before children, depth first; among siblings the one on `activePath` comes first, the others in
 * file order.
 */
export function* walkTree<T extends TreeItem>(tree: Tree<T>, activePath: ReadonlySet<number>): Generator<Visit> {
  const stack: Visit[] = [];
  const push = (siblings: readonly number[], depth: number): void => {
    let active: number | undefined;
    for (let index = siblings.length - 1; index >= 0; index--) {
      const at = siblings[index] ?? NONE;
      if (siblings.length > 1 && activePath.has(at)) active = at;
      else stack.push({ at, depth });
    }
    if (active !== undefined) stack.push({ at: active, depth });
  };
  push(tree.roots, 0);
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    yield visit;
    push(childrenAt(tree, visit.at), visit.depth + 1);
  }
}

/** What a label entry sets: the target's label, or undefined when it clears it. */
export interface LabelChange {
  readonly targetId: string;
  readonly label: string | undefined;
}

/** The labels that stand after all changes in file order, by target id. An empty label clears. */
export function labelsAfter(changes: Iterable<LabelChange>): Map<string, string> {
  const labels = new Map<string, string>();
  for (const { targetId, label } of changes) {
    if (label === undefined || label === '') labels.delete(targetId);
    else labels.set(targetId, label);
  }
  return labels;
}
