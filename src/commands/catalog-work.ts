import { setImmediate as nextTurn } from 'node:timers/promises';
import { Refresh } from '../catalog/refresh.ts';
import { Sidecar } from '../catalog/sidecar.ts';
import type { CatalogStore } from '../catalog/store.ts';
import { buildSubstringIndex } from '../catalog/substring-index.ts';
import { tell } from '../output.ts';
import { catalogPlace } from './catalog-place.ts';
import type { Place } from './place.ts';

/** Shorter waits are told nothing of. */
const QUIET_MS = 2_000;
const TELL_EVERY_MS = 1_000;

/** The catalog of the user. */
export function openSidecar(place: Place): Sidecar {
  return new Sidecar(catalogPlace(place));
}

export function rootsOf({ roots }: Place): readonly string[] {
  return roots.map(({ folders }) => folders.sessionsDir);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}

/** Tells now and then how far a long work is, on stderr. */
export class Progress {
  #nextMs = performance.now() + QUIET_MS;

  tell(text: () => string): void {
    if (performance.now() < this.#nextMs) return;
    this.#nextMs = performance.now() + TELL_EVERY_MS;
    tell(text());
  }
}

/** Brings figures and texts of all files up to date, telling its progress on stderr when it takes long. */
export async function indexAll(store: CatalogStore, place: Place): Promise<void> {
  const progress = new Progress();
  const refresh = new Refresh(store, place.roots, (problem) => tell(problem.message));
  refresh.settle();
  for (const _step of refresh.read(refresh.unindexed, true)) {
    progress.tell(() => {
      const { doneBytes, totalBytes } = refresh.progress;
      return `indexing: ${megabytes(doneBytes)} of ${megabytes(totalBytes)}`;
    });
    await nextTurn();
  }
  for (const left of buildSubstringIndex(store)) progress.tell(() => `indexing parts of words: ${left} sessions left`);
}
