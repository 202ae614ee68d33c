import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  type FileParts,
  fitsPattern,
  type ReplaceOptions,
  type SessionStorage,
  type SessionStorageReader,
  type SessionStorageStat,
  type SessionStorageWriter,
  type SessionStorageWriterOptions,
  writerClosed,
} from './storage.ts';

/** Appended chunks are joined when they are read, so that a long session costs linear time. */
interface MemoryFile {
  readonly inode: number;
  chunks: Buffer[];
  sizeBytes: number;
  mtimeMs: number;
}

/** Sessions in memory, for tests and for sessions that are not kept: what a file system would do, without one. */
export class MemorySessionStorage implements Required<SessionStorage> {
  readonly #files = new Map<string, MemoryFile>();
  readonly #folders = new Set<string>();
  #lastInode = 0;

  ensureDirSync(dir: string): void {
    for (let at = resolve(dir); !this.#folders.has(at); at = dirname(at)) {
      if (this.#files.has(at)) throw systemError('EEXIST', 'file already exists', 'mkdir', dir);
      this.#folders.add(at);
    }
  }

  existsSync(path: string): boolean {
    return this.#files.has(resolve(path)) || this.#folders.has(resolve(path));
  }

  writeTextSync(path: string, text: string): void {
    setContent(this.#fileToWrite(path), Buffer.from(text));
  }

  statSync(path: string): SessionStorageStat {
    return toStat(this.#fileAt(path, 'stat'));
  }

  listFilesSync(dir: string, pattern: string): string[] {
    const folder = resolve(dir);
    const paths = [...this.#files.keys()].filter((path) => dirname(path) === folder);
    const names = paths.map((path) => path.slice(join(folder, 'x').length - 1));
    return names
      .filter((name) => fitsPattern(name, pattern))
      .map((name) => join(dir, name))
      .sort();
  }

  async exists(path: string): Promise<boolean> {
    return this.existsSync(path);
  }

  async readText(path: string): Promise<string> {
    return contentOf(this.#fileAt(path, 'open')).toString();
  }

  async readTextPrefix(path: string, sizeBytes: number): Promise<string> {
    return contentOf(this.#fileAt(path, 'open')).subarray(0, sizeBytes).toString();
  }

  async writeText(path: string, text: string): Promise<void> {
    this.writeTextSync(path, text);
  }

  async rename(from: string, to: string): Promise<void> {
    const file = this.#fileAt(from, 'rename');
    if (!this.#folders.has(dirname(resolve(to)))) throw systemError('ENOENT', NO_ENTRY, 'rename', from);
    this.#files.delete(resolve(from));
    this.#files.set(resolve(to), file);
  }

  async unlink(path: string): Promise<void> {
    this.#fileAt(path, 'unlink');
    this.#files.delete(resolve(path));
  }

  openWriter(path: string, options: SessionStorageWriterOptions = {}): SessionStorageWriter {
    const file = this.#fileToWrite(path);
    if (options.flags === 'w') setContent(file, Buffer.alloc(0));
    return new MemoryWriter(() => this.#fileAt(path, 'open'));
  }

  async openReader(path: string): Promise<SessionStorageReader> {
    const file = this.#fileAt(path, 'open');
    return {
      read: async (offsetBytes, lengthBytes) =>
        Buffer.from(contentOf(file).subarray(offsetBytes, offsetBytes + lengthBytes)),
      stat: async () => toStat(file),
      close: async () => {},
    };
  }

  readBytesSync(path: string, offsetBytes: number, lengthBytes: number): Uint8Array {
    const bytes = contentOf(this.#fileAt(path, 'open'));
    return Buffer.from(bytes.subarray(offsetBytes, offsetBytes + lengthBytes));
  }

  async truncate(path: string, sizeBytes: number): Promise<void> {
    const file = this.#fileAt(path, 'open');
    const bytes = Buffer.alloc(sizeBytes);
    contentOf(file).copy(bytes);
    setContent(file, bytes);
  }

  async syncDir(): Promise<void> {}

  async replaceFile(path: string, parts: FileParts, options: ReplaceOptions = {}): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const part of parts) chunks.push(toBytes(part));
    options.guard?.();
    this.#files.delete(resolve(path));
    setContent(this.#fileToWrite(path), Buffer.concat(chunks));
  }

  createFileSync(path: string, parts: Iterable<string | Uint8Array>): void {
    const bytes = Buffer.concat([...parts].map(toBytes));
    if (this.existsSync(path)) throw systemError('EEXIST', 'file already exists', 'open', path);
    setContent(this.#fileToWrite(path), bytes);
  }

  #fileAt(path: string, syscall: string): MemoryFile {
    const file = this.#files.get(resolve(path));
    if (file === undefined) throw systemError('ENOENT', NO_ENTRY, syscall, path);
    return file;
  }

  #fileToWrite(path: string): MemoryFile {
    const key = resolve(path);
    const known = this.#files.get(key);
    if (known !== undefined) return known;
    if (this.#folders.has(key)) throw systemError('EISDIR', 'illegal operation on a directory', 'open', path);
    this.ensureDirSync(dirname(key));
    this.#lastInode += 1;
    const file = { inode: this.#lastInode, chunks: [], sizeBytes: 0, mtimeMs: Date.now() };
    this.#files.set(key, file);
    return file;
  }
}

/** Nothing can fail here but the name's being gone, so there is no error to keep beyond that one. */
class MemoryWriter implements SessionStorageWriter {
  readonly #file: () => MemoryFile;
  #isClosed = false;
  #hasWritten = false;

  constructor(file: () => MemoryFile) {
    this.#file = file;
  }

  async writeLine(text: string): Promise<void> {
    if (this.#isClosed) throw writerClosed();
    const file = this.#file();
    const isTorn = !this.#hasWritten && file.sizeBytes > 0 && contentOf(file).at(-1) !== 0x0a;
    const bytes = Buffer.from(isTorn ? `\n${text}` : text);
    this.#hasWritten = true;
    file.chunks.push(bytes);
    file.sizeBytes += bytes.length;
    file.mtimeMs = Date.now();
  }

  async flush(): Promise<void> {}

  async fsync(): Promise<void> {
    if (this.#isClosed) throw writerClosed();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  getError(): Error | undefined {
    return undefined;
  }
}

function toBytes(part: string | Uint8Array): Buffer {
  return typeof part === 'string' ? Buffer.from(part) : Buffer.from(part);
}

const NO_ENTRY = 'no such file or directory';

function contentOf(file: MemoryFile): Buffer {
  const [only] = file.chunks;
  if (only !== undefined && file.chunks.length === 1) return only;
  const bytes = Buffer.concat(file.chunks);
  file.chunks = [bytes];
  return bytes;
}

function setContent(file: MemoryFile, bytes: Buffer): void {
  file.chunks = [bytes];
  file.sizeBytes = bytes.length;
  file.mtimeMs = Date.now();
}

function toStat(file: MemoryFile): SessionStorageStat {
  return { size: file.sizeBytes, mtimeMs: file.mtimeMs, mtime: new Date(file.mtimeMs), inode: file.inode };
}

function systemError(code: 'ENOENT' | 'EEXIST' | 'EISDIR', reason: string, syscall: string, path: string): Error {
  const details = { code, errno: -constants.errno[code], syscall, path };
  return Object.assign(new Error(`${code}: ${reason}, ${syscall} '${path}'`), details);
}
