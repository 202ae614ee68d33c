import { CURRENT_SESSION_VERSION, type FileEntry, fieldOf, isHeader, type SessionHeader } from './entries.ts';

/** 32 bits of FNV-1a over UTF-16 units, mixed at the end so that neighbouring ordinals differ everywhere. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * Ids for the entries of a version 1 file, which have none: 8 hex digits from the session's id and the entry's ordinal, the
 * first free one on a collision, so that every reading and the migration itself give the same (contract, decision table).
 */
export class LegacyIds {
  readonly #sessionId: string;
  readonly #taken = new Set<number>();
  #ordinal = 0;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** The id of the next entry in file order. */
  next(): string {
    let id = hash32(`${this.#sessionId}:${this.#ordinal++}`);
    while (this.#taken.has(id)) id = (id + 1) >>> 0;
    this.#taken.add(id);
    return id.toString(16).padStart(8, '0');
  }
}

/** The header's version; 1 when it names none. */
export function versionOf(header: SessionHeader): number {
  return typeof header.version === 'number' ? header.version : 1;
}

type Step = (header: SessionHeader, entries: FileEntry[]) => void;

/** v1 → v2: ids, one chain in file order, and compactions that name their first kept entry by id. */
function linkEntries(header: SessionHeader, entries: FileEntry[]): void {
  const ids = new LegacyIds(header.id);
  let parentId: string | null = null;
  for (const entry of entries) {
    if (entry.type === 'session') continue;
    entry.id = ids.next();
    entry.parentId = parentId;
    parentId = entry.id;
  }
  for (const entry of entries) {
    if (entry.type !== 'compaction') continue;
    const index = fieldOf(entry, 'firstKeptEntryIndex');
    if (typeof index !== 'number') continue;
    const kept = entries[index];
    if (kept !== undefined && kept.type !== 'session') entry.firstKeptEntryId = kept.id;
    delete (entry as { firstKeptEntryIndex?: unknown }).firstKeptEntryIndex;
  }
}

/** v2 → v3: the role `hookMessage` is now `custom`. */
function renameHookMessages(_header: SessionHeader, entries: FileEntry[]): void {
  for (const entry of entries) {
    if (entry.type !== 'message') continue;
    const message: { role?: unknown } | null | undefined = entry.message;
    if (message?.role === 'hookMessage') message.role = 'custom';
  }
}

/** `STEPS[n]` leads from version n + 1 to version n + 2. */
const STEPS: readonly Step[] = [linkEntries, renameHookMessages];

/**
 * Brings the entries of an older file up to date, in place; the header is the first of them, and its absence or a current
 * version changes nothing. Returns whether anything was migrated.
 */
export function migrateSessionEntries(entries: FileEntry[]): boolean {
  const header = entries.find((entry): entry is SessionHeader => isHeader(entry));
  if (header === undefined) return false;
  const from = Math.max(1, versionOf(header));
  if (from >= CURRENT_SESSION_VERSION) return false;
  for (const step of STEPS.slice(from - 1)) step(header, entries);
  header.version = CURRENT_SESSION_VERSION;
  return true;
}
