import type { DatabaseSync } from 'node:sqlite';
import { isPassing } from '../session/history-database.ts';
import { CatalogStore } from './store.ts';
import { isStoreFailure, openStoreFile, openUnkept, setAside } from './store-file.ts';

/**
 * The catalog in a cache folder, opened on first use. When it turns out to be damaged it is set aside and begun anew; while
 * it is locked, or its disk full, one in memory stands in.
 */
export class Sidecar implements Disposable {
  readonly #cacheDir: string;
  #store: CatalogStore | undefined;

  constructor(cacheDir: string) {
    this.#cacheDir = cacheDir;
  }

  get store(): CatalogStore {
    this.#store ??= new CatalogStore(openStoreFile(this.#cacheDir));
    return this.#store;
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
    this.#store = new CatalogStore(this.#openAnother(error));
  }

  #openAnother(error: unknown): DatabaseSync {
    if (isPassing(error)) return openUnkept();
    setAside(this.#cacheDir);
    return openStoreFile(this.#cacheDir);
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
