import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { nodeCode } from '../errors.ts';

/** Writes come in bursts. */
const PAUSE_MS = 150;
/** Looked at so often whatever is reported: not every file system reports. */
const LOOK_EVERY_MS = 4_000;
/** A look may take a share of this of the time at most. */
const IDLE_FACTOR = 20;
const MAX_WATCHED = 500;

/** Calls back when something in some folders may have changed: soon where the system tells, else within seconds. */
export class FolderWatch {
  readonly #folders: readonly string[];
  readonly #look: () => Promise<void>;
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #restUntilMs = 0;
  #isLooking = false;

  constructor(folders: readonly string[], look: () => Promise<void>) {
    this.#folders = folders;
    this.#look = look;
    this.#watchAll();
    this.#schedule(LOOK_EVERY_MS);
  }

  #watchAll(): void {
    for (const folder of this.#folders) {
      this.#watch(folder);
      for (const name of foldersIn(folder)) this.#watch(join(folder, name));
    }
  }

  #watch(folder: string): void {
    if (this.#watchers.has(folder) || this.#watchers.size >= MAX_WATCHED) return;
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#schedule(PAUSE_MS));
      this.#watchers.set(folder, watcher);
      const forget = (): void => {
        watcher.close();
        this.#watchers.delete(folder);
      };
      watcher.on('error', forget);
    } catch (error) {
      // Too many watches, or no such folder: the periodic look serves alone.
      if (nodeCode(error) === undefined) throw error;
    }
  }

  #schedule(inMs: number): void {
    const dueMs = Math.max(performance.now() + inMs, this.#restUntilMs);
    if (dueMs >= this.#dueMs) return;
    this.#dueMs = dueMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), dueMs - performance.now());
  }

  async #run(): Promise<void> {
    this.#dueMs = Number.POSITIVE_INFINITY;
    if (!this.#isLooking) {
      this.#isLooking = true;
      const startMs = performance.now();
      try {
        await this.#look();
        this.#watchAll();
      } finally {
        this.#isLooking = false;
        const endMs = performance.now();
        this.#restUntilMs = endMs + (endMs - startMs) * IDLE_FACTOR;
      }
    }
    this.#schedule(LOOK_EVERY_MS);
  }
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch (error) {
    if (nodeCode(error) === undefined) throw error;
    return [];
  }
}
