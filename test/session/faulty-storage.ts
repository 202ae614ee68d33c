import type {
  FileParts,
  ReplaceOptions,
  SessionStorage,
  SessionStorageReader,
  SessionStorageStat,
  SessionStorageWriter,
  SessionStorageWriterOptions,
} from '../../src/session/storage.ts';

export interface Fault {
  /** The how-manieth matching call fails, from 1. */
  readonly nth: number;
  /** The calls that count: `writeLine`, `fsync`, `rename`, …; every one when left out. */
  readonly call?: string;
  readonly code: 'EIO' | 'ENOSPC' | 'EACCES';
  /** Of the text of a writing call, so much arrives before it fails. */
  readonly arrivingCharacters?: number;
}

/** Another storage that fails as told. Reads, writes and the calls of its writers all count. */
export class FaultyStorage implements Required<SessionStorage> {
  /** The names of all calls so far. */
  readonly calls: string[] = [];
  readonly #inner: Required<SessionStorage>;
  readonly #faults: readonly Fault[];

  constructor(inner: Required<SessionStorage>, faults: readonly Fault[]) {
    this.#inner = inner;
    this.#faults = faults;
  }

  ensureDirSync(dir: string): void {
    this.#check('ensureDirSync');
    this.#inner.ensureDirSync(dir);
  }

  existsSync(path: string): boolean {
    return this.#inner.existsSync(path);
  }

  writeTextSync(path: string, text: string): void {
    this.#check('writeTextSync', (arriving) => this.#inner.writeTextSync(path, text.slice(0, arriving)));
    this.#inner.writeTextSync(path, text);
  }

  statSync(path: string): SessionStorageStat {
    this.#check('statSync');
    return this.#inner.statSync(path);
  }

  listFilesSync(dir: string, pattern: string): string[] {
    return this.#inner.listFilesSync(dir, pattern);
  }

  async exists(path: string): Promise<boolean> {
    this.#check('exists');
    return await this.#inner.exists(path);
  }

  async readText(path: string): Promise<string> {
    this.#check('readText');
    return await this.#inner.readText(path);
  }

  async readTextPrefix(path: string, sizeBytes: number): Promise<string> {
    this.#check('readTextPrefix');
    return await this.#inner.readTextPrefix(path, sizeBytes);
  }

  async writeText(path: string, text: string): Promise<void> {
    this.#check('writeText', (arriving) => this.#inner.writeTextSync(path, text.slice(0, arriving)));
    await this.#inner.writeText(path, text);
  }

  async rename(from: string, to: string): Promise<void> {
    this.#check('rename');
    await this.#inner.rename(from, to);
  }

  async unlink(path: string): Promise<void> {
    this.#check('unlink');
    await this.#inner.unlink(path);
  }

  openWriter(path: string, options: SessionStorageWriterOptions = {}): SessionStorageWriter {
    this.#check('openWriter');
    const inner = this.#inner.openWriter(path, options);
    let failure: Error | undefined;
    const guarded = async (call: string, work: () => Promise<void>, arrive?: (arriving: number) => void) => {
      if (failure) throw failure;
      try {
        this.#check(call, arrive);
      } catch (error) {
        failure = error as Error;
        options.onError?.(failure);
        throw failure;
      }
      await work();
    };
    return {
      writeLine: (text) =>
        guarded(
          'writeLine',
          () => inner.writeLine(text),
          (arriving) => void inner.writeLine(text.slice(0, arriving)),
        ),
      flush: () => guarded('flush', () => inner.flush()),
      fsync: () => guarded('fsync', () => inner.fsync()),
      close: () => inner.close(),
      getError: () => failure ?? inner.getError(),
    };
  }

  async openReader(path: string): Promise<SessionStorageReader> {
    this.#check('openReader');
    const inner = await this.#inner.openReader(path);
    return {
      read: async (offsetBytes, lengthBytes) => {
        this.#check('read');
        return await inner.read(offsetBytes, lengthBytes);
      },
      stat: () => inner.stat(),
      close: () => inner.close(),
    };
  }

  readBytesSync(path: string, offsetBytes: number, lengthBytes: number): Uint8Array {
    this.#check('readBytesSync');
    return this.#inner.readBytesSync(path, offsetBytes, lengthBytes);
  }

  async truncate(path: string, sizeBytes: number): Promise<void> {
    this.#check('truncate');
    await this.#inner.truncate(path, sizeBytes);
  }

  async syncDir(dir: string): Promise<void> {
    this.#check('syncDir');
    await this.#inner.syncDir(dir);
  }

  async replaceFile(path: string, parts: FileParts, options?: ReplaceOptions): Promise<void> {
    this.#check('replaceFile');
    await this.#inner.replaceFile(path, parts, options);
  }

  createFileSync(path: string, parts: Iterable<string | Uint8Array>): void {
    this.#check('createFileSync');
    this.#inner.createFileSync(path, parts);
  }

  #check(call: string, arrive?: (arrivingCharacters: number) => void): void {
    this.calls.push(call);
    for (const fault of this.#faults) {
      if (fault.call !== undefined && fault.call !== call) continue;
      const count = fault.call === undefined ? this.calls.length : this.calls.filter((name) => name === call).length;
      if (count !== fault.nth) continue;
      if (fault.arrivingCharacters) arrive?.(fault.arrivingCharacters);
      throw Object.assign(new Error(`${fault.code}: injected, ${call}`), { code: fault.code, syscall: call });
    }
  }
}
