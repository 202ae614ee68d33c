/** What a storage knows about a file. Times are epoch milliseconds. */
export interface SessionStorageStat {
  /** In bytes, in every form of storage. */
  readonly size: number;
  readonly mtimeMs: number;
  readonly mtime: Date;
  /** Stays with the file through a rename and differs once another file took its name; absent in foreign storages. */
  readonly inode?: number;
}

export interface SessionStorageWriterOptions {
  /** `a` (the default) appends; `w` empties the file when it is opened. */
  readonly flags?: 'a' | 'w';
  /** Told the first error only. */
  readonly onError?: (error: Error) => void;
}

/**
 * Appends whole lines to one file. The first error is kept and thrown again by every later call; after `close`,
 * `writeLine` and `fsync` throw `Writer closed`.
 */
export interface SessionStorageWriter {
  /**
   * Writes `text` as given (the caller adds the newline) before it returns its promise, so that calls without `await`
   * keep their order. A line of someone else that lacks its newline is completed first. When the write fails, what it
   * left is cut off, but only if the file ends exactly where this write ended.
   */
  writeLine(text: string): Promise<void>;
  /** Nothing is held back, so this only throws a stored error. */
  flush(): Promise<void>;
  /** Resolves when everything written is durable. */
  fsync(): Promise<void>;
  /** May be called again; never throws. */
  close(): Promise<void>;
  /** The first error, or undefined. */
  getError(): Error | undefined;
}

/** Reads one file as it was when it was opened, even if another takes its name. */
export interface SessionStorageReader {
  /** Up to `lengthBytes` bytes from `offsetBytes` on; fewer only at the end of the file. */
  read(offsetBytes: number, lengthBytes: number): Promise<Uint8Array>;
  /** The state of the very file that is read. */
  stat(): Promise<SessionStorageStat>;
  close(): Promise<void>;
}

/** The content of a file, in order; a buffer must not change once it was given. */
export type FileParts = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

export interface ReplaceOptions {
  /** Called when everything is written, right before the new content takes the name; what it throws calls it off. */
  readonly guard?: () => void;
}

/**
 * Every file operation of the engine. Failures carry the system's `code` (`ENOENT`, `EEXIST`, …) in every form. The
 * calls after `openWriter` are optional: `storage-fallbacks.ts` makes do without them.
 */
export interface SessionStorage {
  ensureDirSync(dir: string): void;
  existsSync(path: string): boolean;
  /** Creates missing folders; not atomic. */
  writeTextSync(path: string, text: string): void;
  /** Follows links; throws `ENOENT`. */
  statSync(path: string): SessionStorageStat;
  /**
   * Full paths of the regular files directly in `dir` whose name fits `pattern` (`*` any run, `?` any character), by
   * name. Hidden files fit nothing; a folder that cannot be read holds none.
   */
  listFilesSync(dir: string, pattern: string): string[];

  /** Throws on for every failure but `ENOENT`. */
  exists(path: string): Promise<boolean>;
  readText(path: string): Promise<string>;
  /** The first `sizeBytes` bytes as text; a character cut at the end becomes U+FFFD. */
  readTextPrefix(path: string, sizeBytes: number): Promise<string>;
  /** Creates missing folders; not atomic. */
  writeText(path: string, text: string): Promise<void>;
  /** Replaces a file at `to`; throws `ENOENT` when there is nothing at `from`. */
  rename(from: string, to: string): Promise<void>;
  /** Throws `ENOENT` when there is nothing. */
  unlink(path: string): Promise<void>;
  openWriter(path: string, options?: SessionStorageWriterOptions): SessionStorageWriter;

  openReader?(path: string): Promise<SessionStorageReader>;
  /** Up to `lengthBytes` bytes from `offsetBytes` on, for callers that cannot wait; fewer only at the end of the file. */
  readBytesSync?(path: string, offsetBytes: number, lengthBytes: number): Uint8Array;
  truncate?(path: string, sizeBytes: number): Promise<void>;
  /** Makes the names in `dir` durable. */
  syncDir?(dir: string): Promise<void>;
  /** Gives `path` new content, all or nothing, durably. */
  replaceFile?(path: string, parts: FileParts, options?: ReplaceOptions): Promise<void>;
  /** Creates `path` with this content, all or nothing; throws `EEXIST` when the name is taken. */
  createFileSync?(path: string, parts: Iterable<string | Uint8Array>): void;
}

/** Whether a file's name fits a pattern of `listFilesSync`. */
export function fitsPattern(name: string, pattern: string): boolean {
  if (name.startsWith('.')) return false;
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.');
  return new RegExp(`^${source}$`, 's').test(name);
}

/** The error of every call on a writer that was closed. */
export function writerClosed(): Error {
  return new Error('Writer closed');
}
