import { nodeCode } from '../errors.ts';
import type { LabelEntry, SessionEntry, SessionHeader } from './entries.ts';
import type { Span } from './jsonl.ts';
import { editObject } from './line-edit.ts';
import type { ImageStore } from './persistence.ts';
import { SessionReader, type SessionRecord } from './records.ts';
import { createEntryId } from './session-ids.ts';
import { externalizeLine } from './session-images.ts';
import type { IndexedEntry } from './session-index.ts';
import type { SessionStorage } from './storage.ts';

const CHUNK_BYTES = 1024 * 1024;

/** An entry of a branch, and the parent that it has there. */
export interface BranchItem {
  readonly entry: IndexedEntry;
  readonly parentId: string | null;
}

/**
 * The entries of a path without its labels. Whose parent was a label hangs from what is left above it, or everything
 * before would be lost to readers (rule 6).
 */
export function withoutLabels(path: readonly IndexedEntry[]): BranchItem[] {
  const items: BranchItem[] = [];
  let isBehindLabel = false;
  for (const entry of path) {
    if (entry.type === 'label') {
      isBehindLabel = true;
      continue;
    }
    items.push({ entry, parentId: isBehindLabel ? (items.at(-1)?.entry.id ?? null) : (entry.parentId ?? null) });
    isBehindLabel = false;
  }
  return items;
}

/** Where the lines of some entries stand in a file; none of them when the storage cannot tell at once. */
function findSpans(storage: SessionStorage, path: string, ids: ReadonlySet<string>): Map<string, Span> {
  const spans = new Map<string, Span>();
  const take = (records: Iterable<SessionRecord>): void => {
    for (const record of records) {
      const id = record.kind === 'entry' || record.kind === 'damage' ? record.head?.id : undefined;
      // Of equal ids the last entry counts, as in the index, and a damaged line only where there is none.
      const isWanted = id !== undefined && ids.has(id) && (record.kind === 'entry' || !spans.has(id));
      if (isWanted) spans.set(id, record.span);
    }
  };
  try {
    const reader = new SessionReader('skeleton');
    for (let offset = 0; storage.readBytesSync !== undefined; ) {
      const bytes = storage.readBytesSync(path, offset, CHUNK_BYTES);
      if (bytes.length === 0) break;
      take(reader.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)));
      offset += bytes.length;
    }
    take(reader.end());
  } catch (error) {
    // Whatever cannot be copied from the file is written from memory.
    if (nodeCode(error) === undefined) throw error;
    spans.clear();
  }
  return spans;
}

/** Reads lines of a file, mostly in file order, in pieces that are worth a call. */
class LineSource {
  readonly #read: (offset: number, length: number) => Uint8Array;
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(read: (offset: number, length: number) => Uint8Array) {
    this.#read = read;
  }

  bytesAt({ offset, length }: Span): Buffer {
    if (offset < this.#start || offset + length > this.#start + this.#bytes.length) {
      const bytes = this.#read(offset, Math.max(length, CHUNK_BYTES));
      this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      this.#start = offset;
    }
    return this.#bytes.subarray(offset - this.#start, offset - this.#start + length);
  }
}

/** A line with another parent, and otherwise as it was; a damaged one too, as far as its head can be read. */
function reparent(line: Buffer, { entry, parentId }: BranchItem): Buffer {
  if (entry.type !== 'damaged') return editObject(line, { parentId });
  const [from, to] = [entry.parentId, parentId].map((id) => Buffer.from(`"parentId":${JSON.stringify(id)}`));
  const at = from === undefined ? -1 : line.indexOf(from);
  if (from === undefined || to === undefined || at < 0) return line;
  return Buffer.concat([line.subarray(0, at), to, line.subarray(at + from.length)]);
}

/** Where the lines of a branch come from. */
export interface BranchSource {
  readonly storage: SessionStorage;
  readonly path: string;
  readonly images: ImageStore | undefined;
  readonly serialize: (entry: SessionEntry) => string;
}

/** The lines of a branch, newlines included: copied from its session's file, or else made from memory. */
function* branchLines(source: BranchSource, items: readonly BranchItem[]): Generator<Buffer | string> {
  const { storage, path, images, serialize } = source;
  const spans = findSpans(storage, path, new Set(items.map(({ entry }) => entry.id)));
  const lines = new LineSource((offset, length) => storage.readBytesSync?.(path, offset, length) ?? Buffer.alloc(0));
  for (const item of items) {
    const { entry, parentId } = item;
    const span = spans.get(entry.id);
    const isSameParent = parentId === (entry.parentId ?? null);
    if (span !== undefined) {
      const bytes = lines.bytesAt(span);
      const line = isSameParent ? bytes : reparent(bytes, item);
      yield images === undefined || entry.type === 'damaged' ? line : externalizeLine(line, images);
    } else if (entry.type !== 'damaged') {
      const line = serialize(entry);
      yield isSameParent ? line : editObject(Buffer.from(line), { parentId });
    }
    yield '\n';
  }
}

/** The labels of some entries as new entries behind the last of them. */
export function labelEntries(kept: readonly IndexedEntry[], labelOf: (id: string) => string | undefined): LabelEntry[] {
  const taken = new Set(kept.map((entry) => entry.id));
  let parentId = kept.at(-1)?.id ?? null;
  return kept.flatMap(({ id: targetId }) => {
    const label = labelOf(targetId);
    if (label === undefined) return [];
    const id = createEntryId((candidate) => taken.has(candidate));
    const entry: LabelEntry = { type: 'label', id, parentId, timestamp: new Date().toISOString(), targetId, label };
    taken.add(id);
    parentId = id;
    return [entry];
  });
}

/** The whole file of a branch: a header of its own, the copied lines, and the labels that stand. */
export function* branchContent(
  source: BranchSource,
  header: SessionHeader,
  items: readonly BranchItem[],
  labels: readonly LabelEntry[],
): Generator<Buffer | string> {
  yield `${JSON.stringify(header)}\n`;
  yield* branchLines(source, items);
  for (const label of labels) yield `${JSON.stringify(label)}\n`;
}
