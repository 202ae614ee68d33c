import { indexById, pathToRoot } from './context.ts';
import type { SessionEntry, SessionHeader } from './entries.ts';
import { epochMs } from './messages.ts';
import { buildTree } from './tree.ts';
import { addUsage, noUsage, type UsageStatistics } from './usage.ts';

/** An entry with its children, oldest first, and the label that it bears. */
export interface SessionTreeNode {
  entry: SessionEntry;
  children: SessionTreeNode[];
  label: string | undefined;
}

/** Stands for a line that cannot be read but keeps its place: walks lead through it, and it is no entry. */
interface DamagedEntry {
  readonly type: 'damaged';
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
}

export type IndexedEntry = SessionEntry | DamagedEntry;

/** Is this an entry, and no stand-in for a damaged one? */
export function isReadable(entry: IndexedEntry): entry is SessionEntry {
  return entry.type !== 'damaged';
}

/** The entries of one session in memory, with every way to look them up; adding one takes constant time. */
export class SessionIndex {
  readonly header: SessionHeader;
  readonly entries: SessionEntry[] = [];
  leafId: string | null = null;
  readonly #all: IndexedEntry[] = [];
  readonly #byId = new Map<string, IndexedEntry>();
  readonly #labels = new Map<string, string>();
  readonly #usage = noUsage();
  /** Made when first asked for. */
  #children: Map<string, SessionEntry[]> | undefined;

  constructor(header: SessionHeader, entries: Iterable<IndexedEntry> = []) {
    this.header = header;
    for (const entry of entries) this.add(entry);
  }

  /** Takes an entry in; the last one is the leaf. */
  add(entry: IndexedEntry): void {
    this.#all.push(entry);
    const isNew = !this.#byId.has(entry.id);
    // A damaged line never hides an entry of the same id.
    if (typeof entry.id === 'string' && (isNew || isReadable(entry))) this.#byId.set(entry.id, entry);
    if (!isReadable(entry)) return;
    this.entries.push(entry);
    if (typeof entry.id === 'string') this.leafId = entry.id;
    if (entry.type === 'label') this.#setLabel(entry.targetId, entry.label);
    addUsage(this.#usage, entry);
    if (!isNew) this.#children = undefined;
    else if (this.#children !== undefined && entry.parentId !== null) addTo(this.#children, entry.parentId, entry);
  }

  /** Entries and damaged ones, in file order. */
  get all(): readonly IndexedEntry[] {
    return this.#all;
  }

  /** Entries by id for `buildSessionContext`, with stand-ins for the damaged, which say nothing to it. */
  get byId(): ReadonlyMap<string, SessionEntry> {
    return this.#byId as ReadonlyMap<string, SessionEntry>;
  }

  get usage(): UsageStatistics {
    return { ...this.#usage };
  }

  /** The entry of an id, the last one when several bear it. */
  get(id: string): SessionEntry | undefined {
    const entry = this.#byId.get(id);
    return entry !== undefined && isReadable(entry) ? entry : undefined;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  labelOf(id: string): string | undefined {
    return this.#labels.get(id);
  }

  childrenOf(id: string): SessionEntry[] {
    this.#children ??= this.#linkChildren();
    return [...(this.#children.get(id) ?? [])];
  }

  /** From root to the entry, damaged ones included; [] for an unknown id. */
  pathTo(id: string | null): IndexedEntry[] {
    return pathToRoot(id === null ? undefined : this.#byId.get(id), this.#byId);
  }

  /** From root to the entry. */
  branchTo(id: string | null): SessionEntry[] {
    return this.pathTo(id).filter(isReadable);
  }

  /**
   * All entries as trees, each once: roots in file order (also entries whose parent is missing, and the first of a
   * cycle), children by time. Children of a damaged entry hang from the nearest readable one above it.
   */
  tree(): SessionTreeNode[] {
    const { items, parents } = buildTree(
      this.#all.map((entry) => ({ id: entry.id, parentId: entry.parentId ?? null, entry })),
    );
    const nodes = items.map(({ entry }): SessionTreeNode | undefined =>
      isReadable(entry) ? { entry, children: [], label: this.#labels.get(entry.id) } : undefined,
    );
    const readableAbove = nearestReadable(nodes, parents);
    const roots: SessionTreeNode[] = [];
    nodes.forEach((node, at) => {
      if (node === undefined) return;
      const parent = nodes[readableAbove[at] ?? -1];
      (parent === undefined ? roots : parent.children).push(node);
    });
    for (const node of nodes) node?.children.sort((a, b) => epochMs(a.entry.timestamp) - epochMs(b.entry.timestamp));
    return roots;
  }

  #setLabel(targetId: unknown, label: unknown): void {
    if (typeof targetId !== 'string') return;
    if (typeof label === 'string' && label !== '') this.#labels.set(targetId, label);
    else this.#labels.delete(targetId);
  }

  #linkChildren(): Map<string, SessionEntry[]> {
    const children = new Map<string, SessionEntry[]>();
    for (const entry of indexById(this.entries).values()) {
      if (typeof entry.parentId === 'string') addTo(children, entry.parentId, entry);
    }
    return children;
  }
}

function addTo(children: Map<string, SessionEntry[]>, parentId: string, entry: SessionEntry): void {
  const siblings = children.get(parentId);
  if (siblings === undefined) children.set(parentId, [entry]);
  else siblings.push(entry);
}

/** Of each node the position of its nearest readable ancestor, or -1; each chain of damaged ones is walked once. */
function nearestReadable(nodes: readonly (SessionTreeNode | undefined)[], parents: Int32Array): Int32Array {
  const above = Int32Array.from(parents);
  for (let start = 0; start < above.length; start++) {
    const passed = [start];
    let at = above[start] ?? -1;
    while (at >= 0 && nodes[at] === undefined) {
      passed.push(at);
      at = above[at] ?? -1;
    }
    for (const position of passed) above[position] = at;
  }
  return above;
}
