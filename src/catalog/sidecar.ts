import { existsSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isPassing } from '../session/history-database.ts';
import { applyKeeping } from './forget.ts';
import { Keeping, type KeepingRules } from './keeping.ts';
import { CatalogStore } from './store.ts';
import { catalogPath, dropSetAside, isStoreFailure, openStoreFile, openUnkept, setAside } from './store-file.ts';

/** A session that grew leaves far less, and is no reason to wait for the disk. */
const LONG_LOG_BYTES = 8 * 1024 * 1024;

/** Where a catalog lies and what it may hold. Without rules nothing is kept beyond this process. */
export interface CatalogPlace {
  readonly cacheDir: string;
  readonly rules: KeepingRules | undefined;
}

/**
 * The catalog in a cache folder, opened on first use. When it turns out to be damaged it is set aside and begun anew; while
 * it is locked, or its disk full, one in memory stands in.
 */
export class Sidecar implements Disposable {
  readonly #cacheDir: string;
  readonly #keeping: Keeping;
  readonly #mayKeep: boolean;
  #store: CatalogStore | undefined;

  constructor({ cacheDir, rules }: CatalogPlace) {
    this.#cacheDir = cacheDir;
    this.#keeping = new Keeping(rules);
    this.#mayKeep = rules !== undefined;
  }

  /** Was a catalog kept here, or is one open? */
  get isThere(): boolean {
    return this.#store !== undefined || existsSync(catalogPath(this.#cacheDir));
  }

  get store(): CatalogStore {
    this.#store ??= this.#mayKeep ? this.#open() : new CatalogStore(openUnkept(), this.#keeping);
    return this.#store;
  }

  #open(): CatalogStore {
    const store = new CatalogStore(openStoreFile(this.#cacheDir), this.#keeping);
    try {
      if (applyKeeping(store)) dropSetAside(this.#cacheDir);
      return store;
    } catch (error) {
      store[Symbol.dispose]();
      if (!isStoreFailure(error)) throw error;
      if (!isPassing(error)) setAside(this.#cacheDir);
      return new CatalogStore(openUnkept(), this.#keeping);
    }
  }

  /** Runs a work, and once more on another catalog when the first one failed it. */
  async run<T>(work: (store: CatalogStore) => Promise<T>): Promise<T> {
    try {
      return await work(this.store);
    } catch (error) {
      if (!isStoreFailure(error)) throw error;
      this.#replace(error);
      return await work(this.store);
    }
  }

  #replace(error: unknown): void {
    const { db } = this.store;
    if (db.isOpen) db.close();
    this.#store = new CatalogStore(this.#openAnother(error), this.#keeping);
  }

  #openAnother(error: unknown): DatabaseSync {
    if (isPassing(error)) return openUnkept();
    setAside(this.#cacheDir);
    return openStoreFile(this.#cacheDir);
  }

  /** Gives back what a long work took: memory, and the log, which who opens the catalog next must read. */
  giveBack(): void {
    const log = statSync(`${catalogPath(this.#cacheDir)}-wal`, { throwIfNoEntry: false });
    if (log === undefined || log.size < LONG_LOG_BYTES) return;
    this.store.db.exec('PRAGMA shrink_memory; PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** Begins anew, with nothing known. */
  rebuild(): void {
    this[Symbol.dispose]();
    setAside(this.#cacheDir);
  }

  [Symbol.dispose](): void {
    if (this.#store?.db.isOpen) this.#store.db.close();
    this.#store = undefined;
  }
}
