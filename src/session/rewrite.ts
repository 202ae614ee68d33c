import { existsSync } from 'node:fs';
import { SessionError } from '../errors.ts';
import { findHolder } from './open-files.ts';
import { type ReadDepth, SessionReader, type SessionRecord } from './records.ts';
import type { SessionStorage, SessionStorageReader, SessionStorageStat } from './storage.ts';
import { openReader, replaceFile } from './storage-fallbacks.ts';
import { chunksOf } from './storage-records.ts';

/** What becomes of the values of a session file; everything that it does not change stays byte for byte. */
export interface SessionEdit {
  readonly depth: ReadDepth;
  /** New bytes for a value, without newline; undefined keeps it. Asked in file order. */
  edit(record: SessionRecord): Buffer | undefined;
  /** Once true, the rest of the file is copied without being read. */
  isDone?(): boolean;
  /** Bytes that follow the file's last line. */
  end?(): Iterable<Buffer>;
}

/** The edit of a file that is only to be written anew. */
export const unchanged: SessionEdit = { depth: 'skeleton', edit: () => undefined, isDone: () => true };

const NEWLINE = 0x0a;
const MAX_ATTEMPTS = 4;

/** The bytes that were read and not yet given, so that what lies between values is copied as it is. */
class Window {
  #chunks: Buffer[] = [];
  /** Where in the file the first kept byte stands. */
  #start = 0;
  #end = 0;

  get end(): number {
    return this.#end;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#end += chunk.length;
  }

  /** Gives the bytes before `offset`. */
  *takeUntil(offset: number): Generator<Buffer> {
    for (let first = this.#chunks[0]; first !== undefined && this.#start < offset; first = this.#chunks[0]) {
      const taken = first.subarray(0, offset - this.#start);
      this.#start += taken.length;
      if (taken.length === first.length) this.#chunks.shift();
      else this.#chunks[0] = first.subarray(taken.length);
      yield taken;
    }
  }

  /** Forgets the bytes before `offset`. */
  skipUntil(offset: number): void {
    const skipped = this.takeUntil(offset);
    while (!skipped.next().done);
  }
}

/** Remembers the last byte of what passes through. */
class LastByte {
  value = NEWLINE;

  *pass(parts: Iterable<Buffer>): Generator<Buffer> {
    for (const part of parts) {
      if (part.length > 0) this.value = part[part.length - 1] ?? NEWLINE;
      yield part;
    }
  }
}

/** A changed value stands on a line of its own: most readers of the family read one value a line. */
function* onOwnLine(bytes: Buffer, lastByte: number): Generator<Buffer> {
  if (lastByte !== NEWLINE) yield Buffer.of(NEWLINE);
  yield bytes;
}

/** The content of a session file after an edit, as a stream in bounded memory. */
export async function* editedContent(file: SessionStorageReader, edit: SessionEdit): AsyncGenerator<Buffer> {
  const reader = new SessionReader(edit.depth);
  const window = new Window();
  const last = new LastByte();
  let isCopying = false;
  function* apply(records: Iterable<SessionRecord>): Generator<Buffer> {
    for (const record of records) {
      const { offset, length } = record.span;
      const bytes = edit.edit(record);
      if (bytes === undefined) continue;
      yield* window.takeUntil(offset);
      const isAtStart = offset === 0 || (offset === 3 && record.span.line === 1);
      yield* onOwnLine(bytes, isAtStart ? NEWLINE : last.value);
      window.skipUntil(offset + length);
      if (edit.isDone?.()) return;
    }
  }
  for await (const chunk of chunksOf(file)) {
    window.push(chunk);
    if (!isCopying) {
      yield* last.pass(apply(reader.push(chunk)));
      isCopying = edit.isDone?.() ?? false;
    }
    yield* last.pass(window.takeUntil(isCopying ? window.end : reader.position.offset));
  }
  if (!isCopying) yield* last.pass(apply(reader.end()));
  yield* last.pass(window.takeUntil(window.end));
  for (const line of edit.end?.() ?? []) yield* last.pass(onOwnLine(line, last.value));
}

/** Whether a file is as it was; a storage that knows no inodes tells by size and time alone. */
export function isSameState(a: SessionStorageStat, b: SessionStorageStat): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.inode === b.inode;
}

/**
 * Refuses a rewrite under another process's hands (rule 5). An agent that merely was started on the file reopens it for
 * its next line; one that has it open would write into the void.
 * @throws SessionError `live` naming the process; `changed_on_disk` when the file changed since `seen` and who did it
 * cannot be known
 */
export async function assertNotHeld(
  storage: SessionStorage,
  path: string,
  seen: SessionStorageStat | undefined,
): Promise<void> {
  // What only the storage knows, no other process can have open.
  if (!existsSync(path)) return;
  const holder = await findHolder(path);
  if (holder.state === 'held' && (holder.how === 'descriptor' || holder.how === 'lock')) {
    throw new SessionError('live', `${path} is open in process ${holder.pid} (${holder.command})`, { path });
  }
  if (holder.state === 'unknown' && seen !== undefined && !isSameState(seen, storage.statSync(path))) {
    throw new SessionError('changed_on_disk', `${path} was changed by another program: ${holder.reason}`, { path });
  }
}

class ChangedMeanwhile extends Error {}

/**
 * Rewrites a session file, all or nothing: the edit is applied to what is there now, so lines that others added since it
 * was read are kept; a file that changes during the copy is copied again. Resolves to the new file's state.
 * @throws SessionError `live`, `changed_on_disk`; the storage's errors are thrown on
 */
export async function rewriteSessionFile(
  storage: SessionStorage,
  path: string,
  makeEdit: () => SessionEdit,
  seen?: SessionStorageStat,
): Promise<SessionStorageStat> {
  await assertNotHeld(storage, path, seen);
  for (let attempt = 1; ; attempt++) {
    try {
      return await rewriteOnce(storage, path, makeEdit());
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
      if (attempt < MAX_ATTEMPTS) continue;
      throw new SessionError('changed_on_disk', `${path} is being written by another program`, { path, cause: error });
    }
  }
}

async function rewriteOnce(storage: SessionStorage, path: string, edit: SessionEdit): Promise<SessionStorageStat> {
  const file = await openReader(storage, path);
  try {
    const before = await file.stat();
    const guard = (): void => {
      if (!isSameState(before, storage.statSync(path))) throw new ChangedMeanwhile(path);
    };
    await replaceFile(storage, path, editedContent(file, edit), { guard });
    await appendLateBytes(storage, path, file, before.size);
    return storage.statSync(path);
  } finally {
    await file.close();
  }
}

/** A line that another process wrote to the old file in the very moment of the exchange follows it into the new one. */
async function appendLateBytes(
  storage: SessionStorage,
  path: string,
  file: SessionStorageReader,
  sizeBytes: number,
): Promise<void> {
  const late = Buffer.from(await file.read(sizeBytes, Math.max(0, (await file.stat()).size - sizeBytes)));
  // A storage that rewrites files in place shows the new content here.
  if (late.length === 0 || (await file.stat()).inode === storage.statSync(path).inode) return;
  const writer = storage.openWriter(path);
  try {
    await writer.writeLine(late.toString());
    await writer.fsync();
  } finally {
    await writer.close();
  }
}
