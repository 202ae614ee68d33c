import { setImmediate as nextTurn } from 'node:timers/promises';
import { relativesOf } from '../catalog/lineage.ts';
import { glanceAtRow, measureRow } from '../catalog/read-row.ts';
import { Refresh } from '../catalog/refresh.ts';
import type { FoundFile } from '../catalog/session-files.ts';
import type { SessionRow } from '../catalog/session-row.ts';
import type { CatalogStore } from '../catalog/store.ts';
import { tell } from '../output.ts';
import { Progress, rootsOf } from './catalog-work.ts';
import type { Place } from './place.ts';

/** Which of all rows are wanted, by what a glance at their files tells. */
export type Choice = (rows: readonly SessionRow[]) => readonly SessionRow[];

/** Does head and tail not tell when a session was last worked on, or whether it is shown at all? */
function isUnclear({ modifiedMs, firstMessage, problem }: SessionRow): boolean {
  return problem === null && (modifiedMs === null || firstMessage === null);
}

/** The rows of all sessions as they are on disk, with exact figures where they are wanted. Texts are left for later. */
class CurrentRows {
  readonly #store: CatalogStore;
  readonly #place: Place;
  readonly #refresh: Refresh;
  readonly #progress = new Progress();
  /** Files whose figures are not read yet; what is read of some goes to the catalog, of others it may not. */
  readonly #due: Map<string, FoundFile>;
  readonly #leftOut: ReadonlyMap<string, FoundFile>;
  /** Rows that are not the catalog's. */
  readonly #own = new Map<string, SessionRow>();

  constructor(store: CatalogStore, place: Place) {
    this.#store = store;
    this.#place = place;
    this.#refresh = new Refresh(store, place.roots, (problem) => tell(problem.message));
    this.#refresh.settle();
    const { stale, leftOut } = this.#refresh;
    this.#leftOut = new Map(leftOut.map((file) => [file.path, file]));
    this.#due = new Map([...stale, ...leftOut].map((file) => [file.path, file]));
  }

  get dueFiles(): readonly string[] {
    return [...this.#due.keys()];
  }

  rows(): readonly SessionRow[] {
    const kept = [...this.#store.rows(rootsOf(this.#place), 500)].flat();
    return [...kept.filter(({ path }) => !this.#own.has(path)), ...this.#own.values()];
  }

  /** Gives rows without figures to all that have none yet. */
  glance(): readonly SessionRow[] {
    for (const [path, file] of this.#due) this.#own.set(path, glanceAtRow(file));
    return [...this.#own.values()];
  }

  /** Reads the figures of some files; says whether there were any to be read. */
  async measure(paths: Iterable<string>): Promise<boolean> {
    const files = [...paths].flatMap((path) => this.#due.get(path) ?? []);
    const unkept = files.filter(({ path }) => this.#leftOut.has(path));
    const kept = files.filter(({ path }) => !this.#leftOut.has(path));
    for (const { path } of files) {
      this.#due.delete(path);
      this.#own.delete(path);
    }
    for (const { done, total } of this.#refresh.read(kept, false)) {
      if (total > 0) this.#progress.tell(() => `reading: ${done} of ${total} sessions`);
      await nextTurn();
    }
    for (const file of unkept) {
      this.#own.set(file.path, measureRow(file, undefined));
      await nextTurn();
    }
    return files.length > 0;
  }
}

/**
 * The rows of all sessions as they are on disk now. Figures are exact in those that `choose` takes; without it, in all. Only
 * what is needed for that is read as a whole: files that no catalog knows yet, and no others.
 */
export async function currentRows(store: CatalogStore, place: Place, choose?: Choice): Promise<readonly SessionRow[]> {
  const current = new CurrentRows(store, place);
  if (choose === undefined) {
    await current.measure(current.dueFiles);
    return current.rows();
  }
  const unclear = current.glance().filter(isUnclear);
  await current.measure(unclear.map(({ path }) => path));
  for (;;) {
    const rows = current.rows();
    // What a fork copied counts in the oldest of its line: all of them must be known.
    if (!(await current.measure(relativesOf(choose(rows), rows).map(({ path }) => path)))) return rows;
  }
}
