import { fieldOf, isTitleSlot, type SessionEntry, type SessionHeader } from './entries.ts';
import { editObject, type FieldEdits, fieldBytes } from './line-edit.ts';
import { isRecord, sanitizeRehydratedOpenAIResponsesAssistantMessage } from './messages.ts';
import { type ImageStore, serializeEntry } from './persistence.ts';
import type { SessionRecord } from './records.ts';
import type { SessionEdit } from './rewrite.ts';
import { externalizeLine, imageReferences } from './session-images.ts';

/** Changes fields of the header, and the title in omp's title line; nothing behind them is looked at. */
export function headerEdit(
  fields: FieldEdits,
  title?: { readonly text: string; readonly source: string },
): SessionEdit {
  let isDone = false;
  return {
    depth: 'skeleton',
    edit(record) {
      if (record.kind === 'title') return title && retitledSlot(record.bytes, title);
      if (record.kind !== 'header') return undefined;
      isDone = true;
      return editObject(record.bytes, fields);
    },
    isDone: () => isDone,
  };
}

/** omp changes its title line in place, so it keeps its length as long as its padding allows. */
function retitledSlot(bytes: Buffer, { text, source }: { readonly text: string; readonly source: string }): Buffer {
  const edited = editObject(bytes, { title: text, source });
  const slot: unknown = JSON.parse(edited.toString());
  if (!isTitleSlot(slot) || typeof fieldOf(slot, 'pad') !== 'string') return edited;
  const unpadded = editObject(edited, { pad: '' });
  return editObject(unpadded, { pad: ' '.repeat(Math.max(0, bytes.length - unpadded.length)) });
}

/** The line of an entry that a migration changed; undefined when it did not. */
function migratedLine(bytes: Buffer, before: SessionEntry, after: SessionEntry): Buffer | undefined {
  const edits: Record<string, unknown> = {};
  for (const key of ['id', 'parentId', 'firstKeptEntryId', 'firstKeptEntryIndex']) {
    if (fieldOf(before, key) !== fieldOf(after, key)) edits[key] = fieldOf(after, key);
  }
  const [old, migrated] = [fieldOf(before, 'message'), fieldOf(after, 'message')];
  if (isRecord(old) && isRecord(migrated) && old['role'] !== migrated['role']) {
    const message = fieldBytes(bytes, 'message');
    if (message !== undefined) edits['message'] = editObject(message, { role: migrated['role'] });
  }
  return Object.keys(edits).length === 0 ? undefined : editObject(bytes, edits, 'type');
}

/**
 * Writes a migration down: the header's version, and of each entry the fields that are new. `migrated` are the entries
 * as migrated in memory, in file order.
 */
export function migrationEdit(version: number, migrated: readonly SessionEntry[]): SessionEdit {
  let ordinal = 0;
  return {
    depth: 'full',
    edit(record) {
      if (record.kind === 'header') return editObject(record.bytes, { version }, 'type');
      if (record.kind !== 'entry' || record.entry === undefined) return undefined;
      const after = migrated[ordinal++];
      return after && migratedLine(record.bytes, record.entry, after);
    },
  };
}

export interface CopyOptions {
  /** Takes the place of the source's header. */
  readonly header: SessionHeader;
  /** The source's entries as migrated in memory, when it is of an older version. */
  readonly migrated?: readonly SessionEntry[] | undefined;
  /** Where large inline images go; they stay inline without one. */
  readonly images?: ImageStore | undefined;
}

/** Makes another session of a file: a header of its own, and every other line byte for byte (rule 6). */
export function copyEdit({ header, migrated, images }: CopyOptions): SessionEdit {
  const migration = migrated && migrationEdit(header.version ?? 0, migrated);
  let isDone = false;
  return {
    depth: migration === undefined ? 'skeleton' : 'full',
    edit(record) {
      if (record.kind === 'header') {
        isDone = migration === undefined && images === undefined;
        return Buffer.from(JSON.stringify(header));
      }
      if (record.kind !== 'entry') return undefined;
      const line = migration?.edit(record) ?? record.bytes;
      const copied = images === undefined ? line : externalizeLine(line, images);
      return copied === record.bytes ? undefined : copied;
    },
    isDone: () => isDone,
  };
}

/** A signature is its thinking's: it goes back to the block that still says the same. */
function withSignatures(content: unknown, disk: unknown): unknown {
  if (!Array.isArray(content) || !Array.isArray(disk)) return content;
  return content.map((block: unknown, at) => {
    const before: unknown = disk[at];
    if (!isRecord(block) || !isRecord(before) || block['type'] !== 'thinking') return block;
    const isSame = before['thinking'] === block['thinking'] && block['thinkingSignature'] === undefined;
    return isSame && before['thinkingSignature'] !== undefined
      ? { ...block, thinkingSignature: before['thinkingSignature'] }
      : block;
  });
}

/** What loading took out of a message for this process alone stays in the file (rule 3). */
function withReplayData(entry: SessionEntry, disk: SessionEntry): SessionEntry {
  const stripped = strippedForm(disk);
  if (stripped === disk || entry.type !== 'message' || disk.type !== 'message') return entry;
  const { providerPayload, content } = disk.message as { providerPayload?: unknown; content?: unknown };
  const kept = withSignatures(fieldOf(entry.message, 'content'), content);
  return { ...entry, message: { providerPayload, ...entry.message, content: kept } as typeof entry.message };
}

/** An entry of the file as loading would give it, images aside. */
function strippedForm(disk: SessionEntry): SessionEntry {
  if (disk.type !== 'message' || !isRecord(disk.message) || disk.message.role !== 'assistant') return disk;
  const message = sanitizeRehydratedOpenAIResponsesAssistantMessage(disk.message);
  return message === disk.message ? disk : { ...disk, message };
}

/** A migrated entry got its new fields last in memory and first in the file: their order says nothing. */
function inOrder(entry: SessionEntry): object {
  return Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether an entry in memory says what its line says, in any of the forms in which it could have been written. */
function isUnchanged(disk: SessionEntry, entry: SessionEntry): boolean {
  const onDisk = JSON.stringify(inOrder(strippedForm(disk)));
  const inMemory = inOrder(entry);
  return (
    JSON.stringify(inMemory) === onDisk ||
    serializeEntry(inMemory, { images: imageReferences, truncates: false }) === onDisk ||
    serializeEntry(inMemory, { images: imageReferences }) === onDisk ||
    serializeEntry(inMemory) === onDisk
  );
}

export interface EntriesEditOptions {
  /** Every entry in memory, in file order. */
  readonly entries: readonly SessionEntry[];
  /** Those that may have changed; all of them without. */
  readonly only?: ReadonlySet<SessionEntry>;
  readonly serialize: (entry: SessionEntry) => string;
}

/**
 * Brings a file in line with the entries in memory. Each is found by its id (and by its turn among equal ids); lines that
 * say the same stay as they are, entries that the file lacks follow at its end.
 */
export function entriesEdit({ entries, only, serialize }: EntriesEditOptions): SessionEdit {
  const onlyIds = only && new Set([...only].map((entry) => entry.id));
  const concerned = onlyIds === undefined ? entries : entries.filter((entry) => onlyIds.has(entry.id));
  const waiting = Map.groupBy(concerned, (entry) => entry.id);
  for (const queue of waiting.values()) queue.reverse();
  const editEntry = (record: SessionRecord & { readonly kind: 'entry' }): Buffer | undefined => {
    const entry = waiting.get(record.head.id as string)?.pop();
    if (entry === undefined) return undefined;
    const disk = record.entry ?? (JSON.parse(record.bytes.toString()) as SessionEntry);
    return isUnchanged(disk, entry) ? undefined : Buffer.from(serialize(withReplayData(entry, disk)));
  };
  return {
    depth: only === undefined ? 'full' : 'skeleton',
    edit: (record) => (record.kind === 'entry' ? editEntry(record) : undefined),
    *end() {
      const missing = new Set([...waiting.values()].flat());
      for (const entry of concerned) if (missing.has(entry)) yield Buffer.from(`${serialize(entry)}\n`);
    },
  };
}
