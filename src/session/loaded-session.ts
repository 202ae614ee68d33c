import type { FileEntry, SessionEntry, SessionHeader } from './entries.ts';
import type { DamageReason, Span } from './jsonl.ts';
import { epochMs, isRecord } from './messages.ts';
import { migrateSessionEntries } from './migrations.ts';
import type { SessionFile } from './scan.ts';
import { type SessionSummary, SummaryBuilder } from './summary.ts';
import { buildTree, labelsAfter, pathTo, type Tree, type TreeItem } from './tree.ts';

/** One entry, or damaged line that keeps its place, as a node of its session's tree. */
export interface SessionNode extends TreeItem {
  readonly span: Span;
  readonly type: string;
  /** Of a message: who speaks. */
  readonly role: string | undefined;
  /** Epoch ms; undefined when the entry does not tell. */
  readonly timeMs: number | undefined;
  /** undefined for a damaged line. */
  readonly entry: SessionEntry | undefined;
}

/** A piece of the file that could not be read. */
interface Damage {
  readonly span: Span;
  readonly reason: DamageReason;
}

/** A session read as a whole, older versions migrated in memory. */
export interface LoadedSession {
  readonly path: string;
  readonly header: SessionHeader | undefined;
  readonly summary: SessionSummary;
  readonly tree: Tree<SessionNode>;
  /** The position of the leaf: the last entry in the file; -1 without entries. */
  readonly leaf: number;
  /** Labels by the id of the entry that bears them. */
  readonly labels: ReadonlyMap<string, string>;
  readonly damage: readonly Damage[];
}

interface Draft {
  readonly span: Span;
  readonly entry: SessionEntry | undefined;
  readonly head: { readonly id: string; readonly parentId: string | null } | undefined;
  readonly type: string;
  readonly role: string | undefined;
  readonly timestamp: string | undefined;
}

/** An entry without an id of its own is known by its line. */
function nodeOf(draft: Draft): SessionNode {
  const { span, entry, head, type, role, timestamp } = draft;
  const own: { readonly id?: unknown; readonly parentId?: unknown } = entry ?? head ?? {};
  const timeMs = epochMs(timestamp);
  return {
    id: typeof own.id === 'string' ? own.id : `#${span.line}`,
    parentId: typeof own.parentId === 'string' ? own.parentId : null,
    span,
    type,
    role: entry?.type === 'message' && isRecord(entry.message) ? String(entry.message.role) : role,
    timeMs: timeMs === 0 ? undefined : timeMs,
    entry,
  };
}

/** Reads a session with all its entries and links them; damage is kept aside, and in place where it still has one. */
export function loadSession(file: SessionFile): LoadedSession {
  const drafts: Draft[] = [];
  const damage: Damage[] = [];
  const entries: FileEntry[] = [];
  const builder = new SummaryBuilder();
  for (const record of file.records('full')) {
    builder.add(record);
    const { span } = record;
    if (record.kind === 'header') entries.unshift({ ...record.header });
    if (record.kind === 'damage') {
      damage.push({ span, reason: record.reason });
      const { head } = record;
      if (head !== undefined) drafts.push({ ...head, span, entry: undefined, head });
    }
    if (record.kind === 'entry' && record.entry !== undefined) {
      entries.push(record.entry);
      drafts.push({ ...record.head, span, entry: record.entry, head: undefined });
    }
  }
  migrateSessionEntries(entries);
  const tree = buildTree(drafts.map(nodeOf));
  const summary = builder.finish();
  const lastEntry = tree.items.findLastIndex((node) => node.entry !== undefined);
  return {
    path: file.path,
    header: summary.header,
    summary,
    tree,
    leaf: lastEntry < 0 ? tree.items.length - 1 : lastEntry,
    labels: labelsAfter(labelChanges(tree.items)),
    damage,
  };
}

function* labelChanges(nodes: readonly SessionNode[]): Generator<{ targetId: string; label: string | undefined }> {
  for (const { entry } of nodes) {
    if (entry?.type !== 'label' || typeof entry.targetId !== 'string') continue;
    yield { targetId: entry.targetId, label: typeof entry.label === 'string' ? entry.label : undefined };
  }
}

/** The nodes from root to a position, both included. */
export function nodesOnPath({ tree }: LoadedSession, at: number): SessionNode[] {
  return pathTo(tree, at)
    .map((position) => tree.items[position])
    .filter((node) => node !== undefined);
}

/** The entries that can be read on the way from root to a position. */
export function entriesOnPath(session: LoadedSession, at: number): SessionEntry[] {
  return nodesOnPath(session, at).flatMap(({ entry }) => (entry === undefined ? [] : [entry]));
}
