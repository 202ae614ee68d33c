import type { DatabaseSync } from 'node:sqlite';
import { SessionError } from '../errors.ts';
import { inTransaction, isPassing, openForWriting, prepare, toHistoryError } from './history-database.ts';
import { type HistoryEntry, recentPrompts, wordHits } from './history-query.ts';
import { ensureSchema, insertSql } from './history-schema.ts';
import { getHistoryPath } from './paths.ts';

export type { HistoryEntry } from './history-query.ts';

/** How long a call may block on another process's lock; a turn or a frame is waiting behind it. */
const LOCK_WAIT_MS = 100;
/** How long `close` may block: it is the last chance to store what was accepted. */
const CLOSE_WAIT_MS = 5000;
const FIRST_RETRY_MS = 20;
const LONGEST_RETRY_MS = 1000;

interface PendingPrompt {
  readonly prompt: string;
  readonly cwd: string | undefined;
  /** Epoch seconds. */
  readonly createdAt: number;
  readonly stored: PromiseWithResolvers<void>;
}

/**
 * The prompt history of one agent: captures prompts without holding up a turn, recalls and searches them. Failures never
 * stop the caller: reads then give an empty list, and the first failure is reported as a process warning. Those who
 * must tell "empty" from "unavailable" use `openReadOnly`.
 */
export class HistoryStorage {
  static #instance: HistoryStorage | undefined;

  readonly #path: string;
  #db: DatabaseSync | undefined;
  #insertSql = '';
  /** The prompt stored last, as far as this process knows: the next one is dropped when it is the same. */
  #lastStored: string | undefined;
  #queue: PendingPrompt[] = [];
  #isFlushScheduled = false;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = FIRST_RETRY_MS;
  #isClosed = false;
  #hasWarned = false;

  private constructor(path: string) {
    this.#path = path;
    try {
      this.#connect(LOCK_WAIT_MS);
    } catch (error) {
      // Whatever needs the database tries again.
      if (!isPassing(error)) this.#warn(error);
    }
  }

  /** The one storage of this process, made at the first call; later paths are ignored. Created where it is missing. */
  static open(dbPath: string = getHistoryPath()): HistoryStorage {
    HistoryStorage.#instance ??= new HistoryStorage(dbPath);
    return HistoryStorage.#instance;
  }

  /** Lets the next `open` make a new storage; the old one is not closed. For tests. */
  static resetInstance(): void {
    HistoryStorage.#instance = undefined;
  }

  /**
   * Accepts a prompt, trimmed; an empty one and the repetition of the last one are dropped. The promise is done when it
   * is stored, and fails with `history_unavailable` when it cannot be; nobody has to wait for it. A locked or full
   * database is tried again until it gives way.
   */
  add(prompt: string, cwd?: string): Promise<void> {
    const text = prompt.trim();
    if (text === '') return Promise.resolve();
    const stored = Promise.withResolvers<void>();
    // A caller that does not wait must not be brought down by a rejection.
    stored.promise.catch((error: unknown) => this.#warn(error));
    if (this.#isClosed) {
      stored.reject(this.#closedError());
    } else {
      this.#queue.push({ prompt: text, cwd, createdAt: Math.floor(Date.now() / 1000), stored });
      this.#scheduleFlush();
    }
    return stored.promise;
  }

  /** The newest prompts, newest first; at most `limit`, which is cut to 0…1000. */
  getRecent(limit: number): HistoryEntry[] {
    return this.#attempt(() => recentPrompts(this.#connect(LOCK_WAIT_MS), limit)) ?? [];
  }

  /** The newest prompts in which every word of `query` begins a word, newest first; any text is literal words. */
  search(query: string, limit: number): HistoryEntry[] {
    return this.#attempt(() => wordHits(this.#connect(LOCK_WAIT_MS), query, limit)) ?? [];
  }

  /**
   * Stores what was accepted and closes the database; waits up to five seconds for a lock. Throws `history_unavailable`
   * when prompts could not be stored.
   */
  close(): void {
    if (this.#isClosed) return;
    if (HistoryStorage.#instance === this) HistoryStorage.#instance = undefined;
    clearTimeout(this.#retry);
    try {
      if (this.#queue.length > 0) this.#storeQueue(CLOSE_WAIT_MS);
    } catch (error) {
      throw this.#giveUp(error);
    } finally {
      this.#isClosed = true;
      this.#db?.close();
      this.#db = undefined;
    }
  }

  #connect(lockWaitMs: number): DatabaseSync {
    if (this.#db !== undefined) return this.#db;
    if (this.#isClosed) throw this.#closedError();
    const db = openForWriting(this.#path, lockWaitMs);
    try {
      ensureSchema(db);
      this.#insertSql = insertSql(db);
      const newest = db.prepare('SELECT prompt FROM history ORDER BY id DESC LIMIT 1').get()?.['prompt'];
      this.#lastStored ??= typeof newest === 'string' ? newest : undefined;
    } catch (error) {
      db.close();
      throw error;
    }
    this.#db = db;
    return db;
  }

  #closedError(): SessionError {
    return new SessionError('history_unavailable', `the prompt history ${this.#path} is closed`, { path: this.#path });
  }

  #attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#warn(error);
      return undefined;
    }
  }

  #warn(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    process.emitWarning(toHistoryError(error, this.#path).message, { code: 'HISTORY_UNAVAILABLE' });
  }

  #scheduleFlush(): void {
    if (this.#isFlushScheduled || this.#retry !== undefined) return;
    this.#isFlushScheduled = true;
    setImmediate(() => {
      this.#isFlushScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#queue.length === 0) return;
    try {
      this.#storeQueue(LOCK_WAIT_MS);
      this.#retryMs = FIRST_RETRY_MS;
    } catch (error) {
      if (isPassing(error)) this.#retryLater();
      else this.#giveUp(error);
    }
  }

  #retryLater(): void {
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#flush();
    }, this.#retryMs);
    this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2);
  }

  /** Stores all that waits in one transaction; when that fails, queue and last prompt are as before. */
  #storeQueue(lockWaitMs: number): void {
    const db = this.#connect(lockWaitMs);
    db.exec(`PRAGMA busy_timeout=${lockWaitMs}`);
    const last = inTransaction(db, 'IMMEDIATE', () => {
      let previous = this.#lastStored;
      for (const { prompt, cwd, createdAt } of this.#queue) {
        if (prompt === previous) continue;
        prepare(db, this.#insertSql).run(prompt, createdAt, cwd ?? null);
        previous = prompt;
      }
      return previous;
    });
    this.#lastStored = last;
    for (const { stored } of this.#queue.splice(0)) stored.resolve();
  }

  #giveUp(error: unknown): SessionError {
    const failure = toHistoryError(error, this.#path);
    for (const { stored } of this.#queue.splice(0)) stored.reject(failure);
    return failure;
  }
}
