import { basename } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { nodeCode, SessionError } from '../errors.ts';
import type { BlobStore } from './blob-store.ts';
import type { FileEntry, SessionEntry, SessionHeader, TitleSlot } from './entries.ts';
import { isRecord, sanitizeRehydratedOpenAIResponsesAssistantMessage } from './messages.ts';
import { migrateSessionEntries } from './migrations.ts';
import type { SessionRecord } from './records.ts';
import { restoreImages } from './session-images.ts';
import { type IndexedEntry, isReadable } from './session-index.ts';
import type { SessionStorage, SessionStorageStat } from './storage.ts';
import { scanRecords } from './storage-records.ts';

/** A session file in memory. */
export interface LoadedFile {
  readonly header: SessionHeader;
  readonly titleSlot: TitleSlot | undefined;
  /** In file order, brought up to date, images not yet restored. */
  readonly entries: readonly IndexedEntry[];
  /** Those whose line holds a reference to a blob. */
  readonly withReferences: readonly SessionEntry[];
  /** Was the file of an older version? */
  readonly isMigrated: boolean;
  /** The file as it was read. */
  readonly stat: SessionStorageStat;
}

/** `missing` and `empty` files hold nothing to lose; `foreign` ones hold something that is no session. */
export type LoadOutcome =
  | { readonly kind: 'session'; readonly file: LoadedFile }
  | { readonly kind: 'missing' | 'empty' | 'foreign' };

/** Entries of 160 bytes take 1.7 times their text's room once they are objects, and reading them takes some more. */
const HEAP_SHARE = 0.5;
const REFERENCE = Buffer.from('blob:sha256:');

function damagedEntry(record: SessionRecord & { readonly kind: 'damage' }): IndexedEntry | undefined {
  const { head } = record;
  return head && { type: 'damaged', id: head.id, parentId: head.parentId, timestamp: head.timestamp ?? '' };
}

function assertFitsMemory(path: string, sizeBytes: number): void {
  const limitBytes = getHeapStatistics().heap_size_limit * HEAP_SHARE;
  if (sizeBytes <= limitBytes) return;
  const [size, limit] = [sizeBytes, limitBytes].map((bytes) => `${Math.round(bytes / 1024 ** 2)} MB`);
  throw new SessionError(
    'too_large',
    `${basename(path)} is too large to open: ${size}, at most ${limit} fit in memory`,
    {
      path,
      hint: `start with NODE_OPTIONS=--max-old-space-size=${Math.ceil(sizeBytes / HEAP_SHARE / 1024 ** 2)}`,
    },
  );
}

/**
 * Reads a session file as a whole, as a stream, and brings it up to date in memory.
 * @throws SessionError `too_large` when it would not fit; the storage's errors but `ENOENT` are thrown on
 */
export async function loadSessionFile(storage: SessionStorage, path: string): Promise<LoadOutcome> {
  const parsed: FileEntry[] = [];
  const entries: IndexedEntry[] = [];
  const withReferences: SessionEntry[] = [];
  let header: SessionHeader | undefined;
  let titleSlot: TitleSlot | undefined;
  const take = (record: SessionRecord): true => {
    if (record.kind === 'title') titleSlot = record.slot;
    if (record.kind === 'header') header = record.header;
    if (record.kind === 'header') parsed.unshift(record.header);
    if (record.kind === 'damage') {
      const damaged = damagedEntry(record);
      if (damaged !== undefined) entries.push(damaged);
    }
    if (record.kind === 'entry' && record.entry !== undefined) {
      parsed.push(record.entry);
      entries.push(record.entry);
      if (record.bytes.includes(REFERENCE)) withReferences.push(record.entry);
    }
    return true;
  };
  try {
    assertFitsMemory(path, storage.statSync(path).size);
    const stat = await scanRecords(storage, path, 'full', take);
    if (header === undefined) return { kind: stat.size === 0 ? 'empty' : 'foreign' };
    const isMigrated = migrateSessionEntries(parsed);
    return { kind: 'session', file: { header, titleSlot, entries, withReferences, isMigrated, stat } };
  } catch (error) {
    if (nodeCode(error) === 'ENOENT') return { kind: 'missing' };
    throw error;
  }
}

/**
 * Takes what only the process that received it may replay out of assistant messages, in memory (contract 1.9). Whether
 * there was any.
 */
export function stripReplayData(entries: Iterable<SessionEntry>): boolean {
  let hasStripped = false;
  for (const entry of entries) {
    if (entry.type !== 'message' || !isRecord(entry.message) || entry.message.role !== 'assistant') continue;
    const message = sanitizeRehydratedOpenAIResponsesAssistantMessage(entry.message);
    if (message === entry.message) continue;
    entry.message = message;
    hasStripped = true;
  }
  return hasStripped;
}

/** Makes loaded entries ready for use: images back in their place, replay data out. */
export async function reviveEntries(
  { entries, withReferences }: LoadedFile,
  path: string,
  blobs: BlobStore,
): Promise<void> {
  const missing: string[] = [];
  const owners = withReferences.filter((entry) => entry.type === 'message' || entry.type === 'custom_message');
  await restoreImages(owners, blobs, (message) => missing.push(message));
  if (missing.length > 0) {
    process.emitWarning(`${missing.length} images of ${path} cannot be shown: ${missing[0]}`, 'BlobWarning');
  }
  stripReplayData(entries.filter(isReadable));
}
