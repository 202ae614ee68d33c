import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AgentRoot } from '../agents/agents.ts';
import type { TextHits } from './catalog.ts';
import { parseContentQuery } from './content-query.ts';
import { type ContentHit, searchTexts } from './content-search.ts';
import type { Sidecar } from './sidecar.ts';
import type { CatalogStore } from './store.ts';

const SLICE_MS = 8;

/** What is searched for. */
export interface TextSearch {
  readonly text: string;
  /** What must not stand in a text. */
  readonly without: readonly string[];
  readonly limit: number;
  /** Paths of the sessions to look in; undefined for all. */
  readonly within: readonly string[] | undefined;
}

/** Answers searches in the texts of sessions, one at a time: a new one ends the one before it. */
export class TextSearchService {
  readonly #folders: readonly string[];
  readonly #sidecar: Sidecar;
  #current = 0;

  constructor(roots: readonly AgentRoot[], sidecar: Sidecar) {
    this.#folders = roots.map(({ folders }) => folders.sessionsDir);
    this.#sidecar = sidecar;
  }

  cancel(): void {
    this.#current++;
  }

  /** Sends hits as they are found; the last time with `isDone`, unless another search came. */
  async search(search: TextSearch, send: (hits: TextHits) => void): Promise<void> {
    const current = ++this.#current;
    // Keys that came together are one search: the requests behind this one are seen first.
    await nextTurn();
    if (current !== this.#current) return;
    await this.#sidecar.run(async (store) => {
      const query = parseContentQuery(search.text, search.without);
      let left = search.limit;
      let sliceEnd = performance.now() + SLICE_MS;
      let hits: ContentHit[] = [];
      for (const found of searchTexts(store, query, new Set(this.#folders), search.within)) {
        hits.push(...found.slice(0, left));
        left -= Math.min(left, found.length);
        if (left === 0) break;
        if (performance.now() < sliceEnd) continue;
        if (hits.length > 0) send({ hits, isDone: false });
        hits = [];
        await nextTurn();
        if (current !== this.#current) return;
        sliceEnd = performance.now() + SLICE_MS;
      }
      send({ hits, isDone: true });
    });
  }
}

/** The files of some sessions folders whose texts are searched, the last worked on first. */
export function* sessionsIn(
  store: CatalogStore,
  folders: readonly string[],
): Generator<{ readonly path: string; readonly id: string | null }> {
  for (const page of store.rows(folders, 100)) {
    yield* page.filter(({ path, cwd, isSubAgent }) => store.keeping.ofSession(path, cwd, isSubAgent) === 'all');
  }
}
