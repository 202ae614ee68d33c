import { nodeCode, SessionError } from '../errors.ts';
import { rewriteSessionFile, unchanged } from './rewrite.ts';
import type { SessionStorage, SessionStorageWriter } from './storage.ts';

export interface NdjsonFileOptions {
  /** Writes the whole file from memory, with all lines accepted so far: it is yet to be made, or someone deleted it. */
  readonly writeAll: (writer: NdjsonFileWriter) => Promise<void>;
  /** Told the first error since everything was last well. */
  readonly onError: (error: Error) => void;
}

interface PendingLine {
  readonly text: string;
  isOnItsWay: boolean;
}

/**
 * The way of a session's lines into its file: in order, each written at once with one call, kept until that succeeded.
 *
 * The first error stops the writing; what was accepted waits, and `flush` tries it again, whole, before anything newer
 * (rule 7). While an exclusive task runs (a rewrite, a move), lines wait and then follow in the file as it is afterwards,
 * so that a rewrite never races an append (rule 4).
 */
export class NdjsonFileWriter {
  path: string;
  readonly #storage: SessionStorage;
  readonly #options: NdjsonFileOptions;
  /** Accepted and not yet known to be written. */
  #lines = new Set<PendingLine>();
  readonly #sends = new Set<Promise<void>>();
  #writer: SessionStorageWriter | undefined;
  /** What must succeed before any line: creating the file, or migrating it. */
  #setUp: (() => Promise<void>) | undefined;
  #error: Error | undefined;
  #isUnsynced = false;
  #hasFailedSync = false;
  /** Tasks run one after the other; this is the end of the last one, and never rejects. */
  #chain: Promise<unknown> = Promise.resolve();
  #taskCount = 0;

  constructor(storage: SessionStorage, path: string, options: NdjsonFileOptions) {
    this.#storage = storage;
    this.path = path;
    this.#options = options;
  }

  /** The first error since everything was last well. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** The lines that wait, newlines included: accepted, and not known to be in the file. */
  get waitingLines(): readonly string[] {
    return Array.from(this.#lines, ({ text }) => text);
  }

  /** Accepts a line (without its newline). Never waits and never throws: failures are in `error`. */
  append(line: string): void {
    const pending = { text: `${line}\n`, isOnItsWay: false };
    this.#lines.add(pending);
    if (this.#error === undefined && this.#taskCount === 0) this.#send([pending]);
  }

  /** Has `work` done before any line that still waits; until it succeeds, every `flush` tries it again. */
  setUp(work: () => Promise<void>): void {
    this.#setUp = work;
    this.#drainSoon();
  }

  /** Forgets the waiting lines: the file is about to be written from memory, which has them. */
  dropWaiting(): void {
    this.#lines = new Set();
  }

  /** Has the whole file written from memory, before any line that still waits. */
  create(): void {
    this.setUp(() => this.#options.writeAll(this));
  }

  /** Resolves when every accepted line is durable. Rejects with what stands in the way; the lines wait on. */
  async flush(): Promise<void> {
    await this.run(async () => {
      await this.#drain();
      if (this.#isUnsynced) await this.#attempt(() => this.#sync());
    });
  }

  /** Waits for what is under way, however it ends; `error` tells. */
  async settle(): Promise<void> {
    await this.run(() => Promise.all(this.#sends));
  }

  /** `flush`, then lets go of the file, also when the flush fails. A later line opens it again. */
  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.run(() => this.#release());
    }
  }

  /**
   * Runs a task that must be alone with the file: all lines are in it, and nothing has it open. Rejects without running
   * it when they cannot be written.
   */
  async alone<T>(task: () => Promise<T>): Promise<T> {
    return await this.run(async () => {
      await this.#drain();
      await this.#release();
      return await task();
    });
  }

  /** Runs a task after those before it, while lines wait. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    this.#taskCount++;
    const result = this.#chain.then(task);
    this.#chain = result.then(
      () => this.#endTask(),
      () => this.#endTask(),
    );
    return await result;
  }

  #endTask(): void {
    this.#taskCount--;
    if (this.#taskCount === 0 && this.#error === undefined) this.#send(this.#lines);
  }

  /** A failure is recorded and told; the next flush rejects with it or makes it good. */
  #drainSoon(): void {
    void Promise.allSettled([this.run(() => this.#drain())]);
  }

  /** Hands lines that wait to the system, as a rule before it returns. */
  #send(lines: Iterable<PendingLine>): void {
    const unsent = [...lines].filter((line) => !line.isOnItsWay);
    if (unsent.length === 0) return;
    if (this.#setUp !== undefined) {
      this.#drainSoon();
      return;
    }
    try {
      const writer = this.#openWriter();
      for (const line of unsent) {
        const send = this.#sendLine(writer, line);
        this.#sends.add(send);
        void send.then(() => this.#sends.delete(send));
      }
    } catch (error) {
      this.#stopSending(error);
    }
  }

  async #sendLine(writer: SessionStorageWriter, line: PendingLine): Promise<void> {
    line.isOnItsWay = true;
    try {
      await writer.writeLine(line.text);
      this.#take(line);
    } catch (error) {
      line.isOnItsWay = false;
      // Those behind it fail with the same error, and are told no news.
      if (writer === this.#writer) this.#stopSending(error);
    }
  }

  /** A line is in the file. */
  #take(line: PendingLine): void {
    this.#isUnsynced = true;
    this.#lines.delete(line);
  }

  #stopSending(error: unknown): void {
    if (!isGone(error)) {
      this.#fail(error);
      return;
    }
    this.#abandonWriter();
    this.create();
  }

  /** Waits until every line is in the file; starts over where an error stopped it. */
  async #drain(): Promise<void> {
    await Promise.all(this.#sends);
    await this.#attempt(async () => {
      for (;;) {
        await this.#setUp?.();
        this.#setUp = undefined;
        try {
          await this.#writeWaiting();
          return;
        } catch (error) {
          if (!isGone(error)) throw error;
          this.#abandonWriter();
          this.#setUp = () => this.#options.writeAll(this);
        }
      }
    });
  }

  async #writeWaiting(): Promise<void> {
    // Lines that are accepted meanwhile come last, and are met too.
    for (const line of this.#lines) {
      await this.#openWriter().writeLine(line.text);
      this.#take(line);
    }
  }

  async #sync(): Promise<void> {
    // After a failed sync the system may take pages for written that are not: only a new file can be trusted.
    if (this.#hasFailedSync) await this.#replaceMistrusted();
    this.#hasFailedSync = true;
    await this.#openWriter().fsync();
    this.#hasFailedSync = false;
    this.#isUnsynced = false;
  }

  async #replaceMistrusted(): Promise<void> {
    await this.#release();
    try {
      await rewriteSessionFile(this.#storage, this.path, () => unchanged);
    } catch (error) {
      // Another process has it open: then syncing again is all that can be done.
      if (!(error instanceof SessionError && error.code === 'live')) throw error;
    }
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#error = undefined;
    } catch (error) {
      throw this.#fail(error);
    }
  }

  #openWriter(): SessionStorageWriter {
    if (this.#writer === undefined) {
      // Opening would create an empty file, which is no session.
      this.#storage.statSync(this.path);
      this.#writer = this.#storage.openWriter(this.path);
    }
    return this.#writer;
  }

  #fail(error: unknown): Error {
    const failure = error instanceof Error ? error : new Error(String(error));
    this.#abandonWriter();
    if (this.#error === undefined) this.#options.onError(failure);
    this.#error = failure;
    return failure;
  }

  #abandonWriter(): void {
    const writer = this.#writer;
    this.#writer = undefined;
    void writer?.close();
  }

  async #release(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.close();
  }
}

/** Whether an error says that the file is gone. */
function isGone(error: unknown): boolean {
  return nodeCode(error) === 'ENOENT';
}
