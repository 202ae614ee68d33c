import { type EntryKind, entryFlags, kindAt, type PlacedLabel, type Skeleton } from '../session/skeleton.ts';

export { kindAt } from '../session/skeleton.ts';

/** A session's tree as the screen needs it: the skeleton, and what follows from it once. */
export interface TreeModel {
  readonly skeleton: Skeleton;
  readonly count: number;
  /** The active entry: the leaf, or what it was before labels were set; −1 in a session without entries. */
  readonly tip: number;
  /** All positions, parents before children, the branch with the leaf first, other siblings in file order. */
  readonly order: Int32Array;
  /** Of each position its place in `order`. */
  readonly placeOf: Int32Array;
  /** 1 for each entry on the path from root to leaf. */
  readonly isActive: Uint8Array;
  readonly labels: ReadonlyMap<number, PlacedLabel>;
}

/** Positions of the children of each entry, roots as children of −1: those of `at` are `list[starts[at + 1]]` and on. */
interface Children {
  readonly starts: Int32Array;
  readonly list: Int32Array;
}

function childrenOf(parents: Int32Array): Children {
  const count = parents.length;
  const starts = new Int32Array(count + 2);
  for (let at = 0; at < count; at++) {
    const slot = (parents[at] ?? -1) + 2;
    starts[slot] = (starts[slot] ?? 0) + 1;
  }
  for (let slot = 1; slot < starts.length; slot++) starts[slot] = (starts[slot] ?? 0) + (starts[slot - 1] ?? 0);
  const next = starts.slice();
  const list = new Int32Array(count);
  for (let at = 0; at < count; at++) {
    const slot = (parents[at] ?? -1) + 1;
    const place = next[slot] ?? 0;
    list[place] = at;
    next[slot] = place + 1;
  }
  return { starts, list };
}

function orderOf({ starts, list }: Children, isActive: Uint8Array): Int32Array {
  const order = new Int32Array(list.length);
  const stack = new Int32Array(list.length);
  let height = 0;
  const pushChildren = (slot: number): void => {
    const [start, end] = [starts[slot] ?? 0, starts[slot + 1] ?? 0];
    let active = -1;
    for (let place = end - 1; place >= start; place--) {
      const child = list[place] ?? -1;
      if (isActive[child] === 1) active = child;
      else stack[height++] = child;
    }
    if (active >= 0) stack[height++] = active;
  };
  pushChildren(0);
  for (let place = 0; height > 0; place++) {
    const at = stack[--height] ?? -1;
    order[place] = at;
    pushChildren(at + 1);
  }
  return order;
}

/** Labels hang from the end of a file and move nothing: the entry above them is where the session goes on. */
function tipOf(skeleton: Skeleton): number {
  let at = skeleton.leaf;
  while (at >= 0 && kindAt(skeleton, at).type === 'label') at = skeleton.parents[at] ?? -1;
  return at;
}

/** Prepares a skeleton for the screen, in time linear in its entries. */
export function makeTreeModel(skeleton: Skeleton): TreeModel {
  const { parents, leaf, labels } = skeleton;
  const isActive = new Uint8Array(parents.length);
  for (let at = leaf; at >= 0; at = parents[at] ?? -1) isActive[at] = 1;
  const order = orderOf(childrenOf(parents), isActive);
  const placeOf = new Int32Array(order.length);
  order.forEach((at, place) => {
    placeOf[at] = place;
  });
  return {
    skeleton,
    count: parents.length,
    tip: tipOf(skeleton),
    order,
    placeOf,
    isActive,
    labels: new Map(labels.map((label) => [label.at, label])),
  };
}

/** The filters, in the order in which they follow each other. */
export const treeFilters = ['default', 'no-tools', 'user', 'labelled', 'all'] as const;
export type TreeFilter = (typeof treeFilters)[number];

/** Entries that only carry state: theirs is a row in *all* alone. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'label',
  'custom',
  'model_change',
  'thinking_level_change',
  'session_info',
  'model_usage',
  'service_tier_change',
  'mode_change',
  'title_change',
  'credential_pin',
  'ttsr_injection',
  'mcp_tool_selection',
  'session_init',
  'reset_boundary',
]);

const MARKED = entryFlags.damaged | entryFlags.orphan | entryFlags.cycle | entryFlags.duplicate;

function isKindShown({ type, role }: EntryKind, filter: TreeFilter): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'labelled':
      return false;
    case 'user':
      return type === 'message' && role === 'user';
    case 'no-tools':
      return !BOOKKEEPING.has(type) && role !== 'toolResult';
    case 'default':
      return !BOOKKEEPING.has(type);
  }
}

/**
 * 1 for each entry that a filter shows. As in the agents, an answer that only calls tools is hidden, since its results are
 * drawn as the calls: unless it is the leaf, failed, or bears a label or a mark that must be seen. *all* hides nothing.
 */
export function filterTree({ skeleton, count, labels, tip }: TreeModel, filter: TreeFilter): Uint8Array {
  const { kinds, kindNames, flags } = skeleton;
  if (filter === 'all') return new Uint8Array(count).fill(1);
  const isKind = kindNames.map((kind) => (isKindShown(kind, filter) ? 1 : 0));
  const shown = new Uint8Array(count);
  for (let at = 0; at < count; at++) {
    const own = flags[at] ?? 0;
    const isQuiet = (own & entryFlags.toolsOnly) > 0 && (own & (entryFlags.failed | MARKED)) === 0 && at !== tip;
    shown[at] = isQuiet ? 0 : (isKind[kinds[at] ?? 0] ?? 0);
    // What is wrong with a file is no bookkeeping, whatever its type.
    if ((own & MARKED) > 0 && (filter === 'default' || filter === 'no-tools')) shown[at] = 1;
  }
  if (filter === 'labelled') for (const at of labels.keys()) shown[at] = 1;
  return shown;
}
