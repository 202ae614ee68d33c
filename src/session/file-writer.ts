import fs from 'node:fs';
import { nodeCode } from '../errors.ts';
import { openPrivateSync, writeFullySync } from './private-files.ts';
import { type SessionStorageWriter, type SessionStorageWriterOptions, writerClosed } from './storage.ts';

const NEWLINE = 0x0a;

/** Shared with the registry, which must not hold the writer itself. */
interface Descriptor {
  fd: number | undefined;
}

const forgotten = new FinalizationRegistry<Descriptor>(closeDescriptor);

function closeDescriptor(descriptor: Descriptor): void {
  const { fd } = descriptor;
  descriptor.fd = undefined;
  if (fd !== undefined) fs.closeSync(fd);
}

/** Appends to a file on disk with O_APPEND, one write a line, so that writers of several processes never mix. */
export class FileWriter implements SessionStorageWriter {
  readonly #path: string;
  readonly #onError: ((error: Error) => void) | undefined;
  #descriptor: Descriptor;
  #isClosed = false;
  #error: Error | undefined;
  /** Where our last write ended; the last byte of a file that ends elsewhere has to be looked at. */
  #ownEnd = 0;
  #syncing: Promise<unknown> = Promise.resolve();

  constructor(path: string, options: SessionStorageWriterOptions = {}) {
    this.#path = path;
    this.#onError = options.onError;
    this.#descriptor = this.#open();
    if (options.flags === 'w') fs.ftruncateSync(this.#fd(), 0);
  }

  async writeLine(text: string): Promise<void> {
    this.#assertUsable();
    try {
      this.#append(Buffer.from(text));
    } catch (error) {
      throw this.#fail(error);
    }
  }

  async flush(): Promise<void> {
    if (this.#error) throw this.#error;
  }

  async fsync(): Promise<void> {
    this.#assertUsable();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    fs.fsync(this.#fd(), (error) => (error ? reject(error) : resolve()));
    this.#syncing = Promise.allSettled([this.#syncing, promise]);
    try {
      await promise;
    } catch (error) {
      throw this.#fail(error);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#release(this.#descriptor);
  }

  getError(): Error | undefined {
    return this.#error;
  }

  #append(line: Uint8Array): void {
    if (line.length === 0) return;
    const sizeBytes = this.#sizeOfNamedFile();
    const bytes = this.#endsInTornLine(sizeBytes) ? Buffer.concat([Buffer.of(NEWLINE), line]) : line;
    let writtenBytes = 0;
    try {
      writeFullySync(this.#fd(), bytes, (progress) => {
        writtenBytes = progress;
      });
      this.#ownEnd = sizeBytes + bytes.length;
    } catch (error) {
      if (writtenBytes > 0) this.#cutBack(sizeBytes, writtenBytes);
      throw error;
    }
  }

  /** The size of the file at our path; a file that another process has replaced would swallow what we append. */
  #sizeOfNamedFile(): number {
    const stat = fs.fstatSync(this.#fd());
    if (stat.nlink > 0) return stat.size;
    // An append must not make a file without a header out of a deleted session: ENOENT is thrown on.
    fs.statSync(this.#path);
    void this.#release(this.#descriptor);
    this.#descriptor = this.#open();
    this.#ownEnd = 0;
    return fs.fstatSync(this.#fd()).size;
  }

  #endsInTornLine(sizeBytes: number): boolean {
    if (sizeBytes === 0 || sizeBytes === this.#ownEnd) return false;
    const last = Buffer.alloc(1);
    return fs.readSync(this.#fd(), last, 0, 1, sizeBytes - 1) === 1 && last[0] !== NEWLINE;
  }

  #cutBack(sizeBytes: number, writtenBytes: number): void {
    try {
      if (fs.fstatSync(this.#fd()).size === sizeBytes + writtenBytes) fs.ftruncateSync(this.#fd(), sizeBytes);
    } catch (error) {
      // The torn line stays, and the next append completes it; the first failure is the one to report.
      if (nodeCode(error) === undefined) throw error;
    }
  }

  #open(): Descriptor {
    const descriptor: Descriptor = { fd: openPrivateSync(this.#path, 'append') };
    forgotten.register(this, descriptor, descriptor);
    return descriptor;
  }

  /** Closes once no sync is under way on it: the number may be another file's the moment after. */
  async #release(descriptor: Descriptor): Promise<void> {
    forgotten.unregister(descriptor);
    await this.#syncing;
    try {
      closeDescriptor(descriptor);
    } catch (error) {
      // Every write has been reported by now; closing is best effort.
      if (nodeCode(error) === undefined) throw error;
    }
  }

  #fd(): number {
    if (this.#descriptor.fd === undefined) throw writerClosed();
    return this.#descriptor.fd;
  }

  #assertUsable(): void {
    if (this.#error) throw this.#error;
    if (this.#isClosed) throw writerClosed();
  }

  #fail(error: unknown): Error {
    const failure = error instanceof Error ? error : new Error(String(error));
    if (this.#error === undefined) {
      this.#error = failure;
      this.#onError?.(failure);
    }
    return this.#error;
  }
}
