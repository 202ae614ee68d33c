import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { fromNodeError, SessionError } from '../errors.ts';
import type { LineSink, Position, Span } from './jsonl.ts';
import { type ReadDepth, SessionReader, type SessionRecord } from './records.ts';

/** What tells one state of a file from another. */
export interface FileStamp {
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly inode: number;
}

const NEWLINE = 0x0a;
/** A pipe would keep its reader waiting for a writer; to files it makes no difference. */
const READ_WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Large enough that calls cost nothing beside the copy, small enough to stay in a core's cache. */
const CHUNK_BYTES = 1024 * 1024;
const FIRST_CHUNK_BYTES = 4096;
const TAIL_CHUNK_BYTES = 4096;
const MAX_TAIL_BYTES = 64 * 1024 * 1024;

/**
 * A session file open for reading; looking changes neither its bytes nor its mtime. The one place where session files are
 * read: everything that shows, lists, indexes or copies a session comes through here.
 */
export class SessionFile implements Disposable {
  readonly path: string;
  readonly stamp: FileStamp;
  readonly #descriptor: number;

  /** Throws `not_found`, `no_permission`, or `not_a_session` for a folder or device. */
  constructor(path: string) {
    this.path = path;
    try {
      this.#descriptor = openSync(path, READ_WITHOUT_WAITING);
    } catch (error) {
      throw fromNodeError(error, `cannot open ${path}`, path);
    }
    const stat = fstatSync(this.#descriptor);
    this.stamp = { sizeBytes: stat.size, mtimeMs: stat.mtimeMs, inode: stat.ino };
    if (stat.isFile()) return;
    closeSync(this.#descriptor);
    throw new SessionError('not_a_session', `${path} is not a regular file`, { path });
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }

  /** The bytes of a span; fewer when the file has become shorter. */
  read(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const count = this.#fill(bytes, filled, length - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  }

  /**
   * Everything in the file (or behind `from`), in order, but for the lines that `sink` takes. Stop early to read no further.
   */
  *records(depth: ReadDepth, from?: Position, sink?: LineSink): Generator<SessionRecord, Position> {
    const reader = new SessionReader(depth, from);
    yield* this.#push(reader, from, sink);
    yield* reader.end();
    return reader.position;
  }

  /**
   * The same without what stands behind the last whole line, as the file was when it was opened: the position that is
   * returned is where a later reading of the grown file goes on, and where `records` gives the rest.
   */
  *wholeRecords(from?: Position): Generator<SessionRecord, Position> {
    const reader = new SessionReader('full', from);
    yield* this.#push(reader, from, undefined, this.stamp.sizeBytes);
    return reader.position;
  }

  /** What stands in one place, as an earlier reading gave it; nothing when `isWanted` does not want its bytes. */
  *recordsAt({ line, offset, length }: Span, isWanted?: (bytes: Buffer) => boolean): Generator<SessionRecord> {
    const bytes = this.read(offset, length);
    if (isWanted?.(bytes) === false) return;
    // Behind a title line a header is still one: what stands before decides nothing here.
    const reader = new SessionReader('full');
    for (const record of [...reader.push(bytes), ...reader.end()]) {
      yield { ...record, span: { ...record.span, line, offset: record.span.offset + offset } };
    }
  }

  *#push(reader: SessionReader, from?: Position, sink?: LineSink, endOffset?: number): Generator<SessionRecord> {
    let offset = from?.offset ?? 0;
    // Small reads at first serve those who want the beginning alone.
    let chunk = Buffer.allocUnsafe(FIRST_CHUNK_BYTES);
    for (;;) {
      const wanted = endOffset === undefined ? chunk.length : Math.min(chunk.length, endOffset - offset);
      const count = wanted <= 0 ? 0 : this.#fill(chunk, 0, wanted, offset);
      if (count === 0) return;
      offset += count;
      yield* reader.push(chunk.subarray(0, count), sink);
      if (chunk.length < CHUNK_BYTES) chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, chunk.length * 4));
    }
  }

  /**
   * The records of the last lines, newest first, read from the end in growing windows; ends at the file's beginning or
   * after 64 MB. Their line numbers are unknown (0).
   */
  *recordsBackwards(): Generator<SessionRecord> {
    let end = this.stamp.sizeBytes;
    let window = TAIL_CHUNK_BYTES;
    while (end > 0 && this.stamp.sizeBytes - end < MAX_TAIL_BYTES) {
      const start = Math.max(0, end - window);
      const bytes = this.read(start, end - start);
      const firstBreak = start === 0 ? -1 : bytes.indexOf(NEWLINE);
      const holdsWholeLine = start === 0 || (firstBreak >= 0 && firstBreak < bytes.length - 1);
      if (!holdsWholeLine) {
        window *= 8;
        continue;
      }
      yield* backwards(bytes.subarray(firstBreak + 1), start + firstBreak + 1);
      if (start === 0) return;
      end = start + firstBreak + 1;
    }
  }

  #fill(into: Buffer, at: number, length: number, offset: number): number {
    try {
      return readSync(this.#descriptor, into, at, length, offset);
    } catch (error) {
      throw fromNodeError(error, `cannot read ${this.path}`, this.path);
    }
  }
}

/** The records of some whole lines, the last one first; a line is read when its turn comes. */
function* backwards(lines: Buffer, offset: number): Generator<SessionRecord> {
  let end = lines.length;
  while (end > 0) {
    const last = lines[end - 1] === NEWLINE ? end - 1 : end;
    // From -1 it would search everything.
    const start = last === 0 ? 0 : lines.lastIndexOf(NEWLINE, last - 1) + 1;
    const records = recordsOf(lines.subarray(start, end), offset + start);
    // What does not stand on its own may be the end of a value that began on a line before.
    const isOwn = records.length > 0 && records.every(({ kind }) => kind !== 'damage');
    if (!isOwn && last > start) break;
    yield* records.reverse();
    end = start;
  }
  yield* recordsOf(lines.subarray(0, end), offset).reverse();
}

function recordsOf(lines: Buffer, offset: number): SessionRecord[] {
  const reader = new SessionReader('full', { line: 0, offset });
  return [...reader.push(lines), ...reader.end()];
}
