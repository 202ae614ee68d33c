import { BlobStore } from './blob-store.ts';
import type { SessionEntry } from './entries.ts';
import { isRecord } from './messages.ts';
import { NdjsonFileWriter } from './ndjson-file-writer.ts';
import { agentFoldersOf, getBlobsDir } from './paths.ts';
import { type ImageStore, serializeEntry } from './persistence.ts';
import { rewriteSessionFile, type SessionEdit } from './rewrite.ts';
import { entriesEdit, migrationEdit } from './session-edits.ts';
import { imagesIn } from './session-images.ts';
import type { SessionIndex } from './session-index.ts';
import type { SessionStorage, SessionStorageStat } from './storage.ts';
import { replaceFile } from './storage-fallbacks.ts';

/** What a session's file is: yet to be made once there is an answer, or there and followed line by line. */
export type FileState = 'deferred' | 'live';

/** Entries that this process made: only these are cut to size, since only these have never been written whole. */
const own = new WeakSet<SessionEntry>();

/** An open session's way to disk: one file at a time, and those left behind until all their lines are written. */
export class PersistChain {
  readonly storage: SessionStorage;
  /** Where large images go; undefined when they are to stay in their lines. */
  readonly images: ImageStore | undefined;
  #writer: NdjsonFileWriter | undefined;
  #index: SessionIndex | undefined;
  #state: FileState = 'deferred';
  #blobs: BlobStore | undefined;
  /** Of files left behind, with lines that still wait. */
  readonly #retired = new Set<NdjsonFileWriter>();
  /** The file as we last saw it; undefined once we appended to it. */
  #seen: SessionStorageStat | undefined;

  constructor(storage: SessionStorage, usesBlobs: boolean) {
    this.storage = storage;
    // Which folder it is costs calls of the system, and most entries have no image.
    const store = (): ImageStore => imagesIn(this.blobs);
    const lazily: ImageStore = {
      putImage: (base64) => store().putImage(base64),
      putDataUrl: (url) => store().putDataUrl(url),
    };
    this.images = usesBlobs ? lazily : undefined;
  }

  get path(): string | undefined {
    return this.#writer?.path;
  }

  get state(): FileState {
    return this.#state;
  }

  /** The writer of the current file; throws for a session in memory, which has none. */
  get writer(): NdjsonFileWriter {
    if (this.#writer === undefined) throw new Error('a session in memory has no file');
    return this.#writer;
  }

  /** Of the agent folder that holds the current file; the process's own outside of one. */
  get blobs(): BlobStore {
    const dir = (this.path === undefined ? undefined : agentFoldersOf(this.path)?.blobsDir) ?? getBlobsDir();
    if (this.#blobs?.dir !== dir) this.#blobs = new BlobStore(dir);
    return this.#blobs;
  }

  /** Goes over to another file. Lines that were accepted for the old one still go there, and nowhere else. */
  bind(path: string, index: SessionIndex, state: FileState, seen?: SessionStorageStat): void {
    void this.leave();
    this.#index = index;
    this.#state = state;
    this.#seen = seen;
    this.#writer = new NdjsonFileWriter(this.storage, path, {
      writeAll: (writer) => this.#writeAll(writer, index),
      onError: (error) => process.emitWarning(`cannot save ${path}: ${error.message}`, 'SessionPersistence'),
    });
  }

  /** Has the current file closed; should that fail, its lines wait for the next flush. */
  async leave(): Promise<void> {
    const left = this.#writer;
    if (left === undefined) return;
    this.#writer = undefined;
    this.#retired.add(left);
    // A failure is recorded and told; the next flush tries again.
    const [outcome] = await Promise.allSettled([left.close()]);
    if (outcome.status === 'fulfilled') this.#retired.delete(left);
  }

  /** The line of a new entry; undefined while nothing is written. Throws for a value that JSON cannot hold. */
  prepare(entry: SessionEntry): string | undefined {
    if (this.#writer === undefined) return undefined;
    own.add(entry);
    const isWritten = this.#state === 'live';
    // What waits for an answer is written from memory, but has to be known to be writable.
    const line = serializeEntry(entry, isWritten ? { images: this.images } : {});
    return isWritten ? line : undefined;
  }

  /** Takes a prepared entry on its way. Throws the stored error of an earlier one; this one then waits in line. */
  accept(entry: SessionEntry, line: string | undefined): void {
    if (this.#writer === undefined) return;
    if (line === undefined) {
      if (isAnswer(entry)) this.create();
      return;
    }
    const stored = this.#writer.error;
    this.#seen = undefined;
    this.#writer.append(line);
    if (stored !== undefined) throw stored;
  }

  /** Has the file made from memory, and every later line appended. */
  create(): void {
    this.#state = 'live';
    this.writer.create();
  }

  /** Has the migration of a loaded file written down before anything else. */
  migrate(version: number, migrated: readonly SessionEntry[]): void {
    const { writer } = this;
    writer.setUp(async () => {
      const edit = (): SessionEdit => migrationEdit(version, migrated);
      this.#seen = await rewriteSessionFile(this.storage, writer.path, edit, this.#seen);
    });
  }

  /** Applies an edit to the current file, if there is one, with nothing of ours under way. */
  async rewrite(makeEdit: () => SessionEdit): Promise<void> {
    if (this.#state === 'deferred') return;
    const { writer } = this;
    await writer.alone(async () => {
      this.#seen = await rewriteSessionFile(this.storage, writer.path, makeEdit, this.#seen);
    });
  }

  /** Brings the file in line with the entries in memory; `only` these may have changed. */
  async rewriteEntries(only?: ReadonlySet<SessionEntry>): Promise<void> {
    const index = this.#index;
    if (index !== undefined) await this.rewrite(() => this.#entriesEdit(index, only));
  }

  /** An entry as a line of the current file. Those that were read from a file are never cut. */
  serialize(entry: SessionEntry): string {
    return serializeEntry(entry, { images: this.images, truncates: own.has(entry) });
  }

  async flush(): Promise<void> {
    await this.#settle((writer) => writer.flush());
  }

  async close(): Promise<void> {
    await this.#settle((writer) => writer.close());
  }

  /** Does the current file first, then those left behind; throws the first failure after trying all. */
  async #settle(act: (writer: NdjsonFileWriter) => Promise<void>): Promise<void> {
    const retired = [...this.#retired].map(async (writer) => {
      await writer.close();
      this.#retired.delete(writer);
    });
    const current = this.#writer === undefined ? [] : [act(this.#writer)];
    const outcomes = await Promise.allSettled([...current, ...retired]);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  #entriesEdit(index: SessionIndex, only?: ReadonlySet<SessionEntry>): SessionEdit {
    const serialize = (entry: SessionEntry): string => this.serialize(entry);
    return entriesEdit({ entries: index.entries, serialize, ...(only === undefined ? {} : { only }) });
  }

  async #writeAll(writer: NdjsonFileWriter, index: SessionIndex): Promise<void> {
    // From here on, new entries are appended: what stands in memory now is all that this writes.
    writer.dropWaiting();
    const entries = index.entries.slice();
    const { storage } = this;
    if (storage.existsSync(writer.path)) {
      // An earlier attempt got as far as the file.
      const serialize = (entry: SessionEntry): string => this.serialize(entry);
      this.#seen = await rewriteSessionFile(storage, writer.path, () => entriesEdit({ entries, serialize }));
      return;
    }
    const lines = this.#linesOf(index, entries);
    await replaceFile(storage, writer.path, lines, { guard: () => assertFree(storage, writer.path) });
    this.#seen = storage.statSync(writer.path);
  }

  *#linesOf(index: SessionIndex, entries: readonly SessionEntry[]): Generator<string> {
    yield `${JSON.stringify(index.header)}\n`;
    for (const entry of entries) yield `${this.serialize(entry)}\n`;
  }
}

/** Is this what makes a session worth keeping: a message of the assistant's? */
function isAnswer(entry: SessionEntry): boolean {
  return entry.type === 'message' && isRecord(entry.message) && entry.message.role === 'assistant';
}

/** Throws `EEXIST` when the name is taken: a new session never takes the place of anything. */
export function assertFree(storage: SessionStorage, path: string): void {
  if (!storage.existsSync(path)) return;
  throw Object.assign(new Error(`EEXIST: file already exists, open '${path}'`), { code: 'EEXIST', path });
}
