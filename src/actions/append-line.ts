import { createHash } from 'node:crypto';
import { fromNodeError, nodeCode, SessionError } from '../errors.ts';
import { findHolder } from '../session/open-files.ts';
import { serializeEntry } from '../session/persistence.ts';
import type { FileStamp } from '../session/scan.ts';
import { createEntryId } from '../session/session-ids.ts';
import type { SessionStorage } from '../session/storage.ts';
import { type ChangingSession, changedError } from './changing-session.ts';
import type { OwnWrites } from './own-writes.ts';

/** Every call of a storage is needed: cutting a line off again is part of a safe append. */
export type ChangeStorage = Required<SessionStorage>;

/** With what a change is written, and where it is remembered that it was our own. */
export interface Writing {
  readonly storage: ChangeStorage;
  readonly own?: OwnWrites | undefined;
}

/** A line that a change appended, as far as needed to know it again and to cut it off. */
export interface AppendedLine {
  readonly entryId: string;
  readonly inode: number;
  readonly sizeBeforeBytes: number;
  readonly sizeAfterBytes: number;
  /** Of the bytes between the two sizes, in hex. */
  readonly sha256: string;
}

/** The own fields of a new entry, and where it hangs. */
export interface NewEntry {
  readonly parentId: string | null;
  readonly fields: { readonly type: string } & Readonly<Record<string, unknown>>;
}

const NEWLINE = 0x0a;

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Makes sure that no process has a session open. An append is safe even where that cannot be known, as every line goes
 * behind whatever the file ends with; cutting a line off, or removing a file, is not, so there not knowing counts as held.
 * Gives the reason for not knowing, undefined when it is known to be free.
 * @throws SessionError `live`; `refused` when it cannot be known and `whenUnknown` says so
 */
export async function assertNotLive(path: string, whenUnknown: 'go_on' | 'refuse'): Promise<string | undefined> {
  const holder = await findHolder(path);
  switch (holder.state) {
    case 'free':
      return undefined;
    case 'held':
      throw new SessionError('live', `${path} is open in process ${holder.pid} (${holder.command})`, { path });
    case 'unknown':
      if (whenUnknown === 'go_on') return holder.reason;
      throw new SessionError('refused', `it cannot be known whether ${path} is open elsewhere: ${holder.reason}`, {
        path,
      });
  }
}

function lineOf(
  session: ChangingSession,
  { parentId, fields }: NewEntry,
): { readonly id: string; readonly text: string } {
  const { type, ...own } = fields;
  const id = createEntryId((candidate) => session.hasId(candidate));
  const entry = { type, id, parentId, timestamp: new Date().toISOString(), ...own };
  return { id, text: `${serializeEntry(entry)}\n` };
}

/** What an append will put into the file: the writer completes a last line that lacks its newline. */
function bytesToAppend(storage: ChangeStorage, path: string, sizeBytes: number, text: string): Buffer {
  const isTorn = sizeBytes > 0 && storage.readBytesSync(path, sizeBytes - 1, 1)[0] !== NEWLINE;
  return Buffer.from(isTorn ? `\n${text}` : text);
}

/**
 * Appends an entry to a session as one line, durable when this resolves. The file must still be what was read of it. When
 * the line cannot be written whole and made durable, the file is as before.
 * @throws SessionError `changed_on_disk`, `no_permission`, `disk_full`, `io`
 */
export async function appendEntry(session: ChangingSession, entry: NewEntry, writing: Writing): Promise<AppendedLine> {
  const { storage } = writing;
  const { path, stamp } = session;
  const { id, text } = lineOf(session, entry);
  const failure = (error: unknown): SessionError => fromNodeError(error, `cannot write to ${path}`, path);
  const open = () => {
    try {
      return storage.openWriter(path);
    } catch (error) {
      throw failure(error);
    }
  };
  const before = storage.statSync(path);
  const isSame = before.inode === stamp.inode && before.size === stamp.sizeBytes && before.mtimeMs === stamp.mtimeMs;
  if (!isSame) throw changedError(path);
  const bytes = bytesToAppend(storage, path, before.size, text);
  const line: AppendedLine = {
    entryId: id,
    inode: stamp.inode,
    sizeBeforeBytes: before.size,
    sizeAfterBytes: before.size + bytes.length,
    sha256: sha256Of(bytes),
  };
  const writer = open();
  try {
    await writer.writeLine(text);
    await writer.fsync();
  } catch (error) {
    await cutOff(path, line, writing);
    throw failure(error);
  } finally {
    await writer.close();
  }
  remember(path, stamp, line.sizeAfterBytes, writing);
  return line;
}

/** Remembers a write of ours, unless somebody else wrote at the same moment. */
function remember(path: string, before: FileStamp, sizeBytes: number, { storage, own }: Writing): void {
  try {
    const { size, mtimeMs, inode } = storage.statSync(path);
    if (size === sizeBytes && inode === before.inode) own?.add(path, before, { ...before, sizeBytes, mtimeMs });
  } catch (error) {
    // What was written is written; a file that is gone or out of reach now is none that only we changed.
    if (nodeCode(error) === undefined) throw error;
  }
}

/** Does the file still end exactly with the line that was appended? */
export function endsWith(path: string, line: AppendedLine, storage: ChangeStorage): boolean {
  const { size, inode } = storage.statSync(path);
  if (inode !== line.inode || size !== line.sizeAfterBytes) return false;
  const bytes = storage.readBytesSync(path, line.sizeBeforeBytes, size - line.sizeBeforeBytes);
  return sha256Of(bytes) === line.sha256;
}

/**
 * Cuts an appended line off again, if the file still ends exactly with it (field report W01); whether it did.
 * @throws SessionError `no_permission`, `not_found`, `io`
 */
export async function cutOff(path: string, line: AppendedLine, writing: Writing): Promise<boolean> {
  const { storage } = writing;
  try {
    const { mtimeMs } = storage.statSync(path);
    if (!endsWith(path, line, storage)) return false;
    await storage.truncate(path, line.sizeBeforeBytes);
    const writer = storage.openWriter(path);
    try {
      await writer.fsync();
    } finally {
      await writer.close();
    }
    remember(path, { sizeBytes: line.sizeAfterBytes, mtimeMs, inode: line.inode }, line.sizeBeforeBytes, writing);
    return true;
  } catch (error) {
    throw fromNodeError(error, `cannot cut the line off ${path}`, path);
  }
}
