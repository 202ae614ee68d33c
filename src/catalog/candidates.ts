import { prepare } from '../session/history-database.ts';
import { type ContentQuery, trigramsMatch, wordsMatch } from './content-query.ts';
import type { CatalogStore } from './store.ts';
import { isUnspaced } from './text-form.ts';
import { trigramMark } from './text-index.ts';

const PAGE_DOCS = 32;
/** As many as a screen asks for at first, so that one question to the index does. */
const FIRST_PAGE_DOCS = 64;
/** What is too short for an index is looked for in so many of the newest texts; so few are read without asking one. */
const MAX_SCANNED_DOCS = 2_000;
const FIRST_SCANNED_DOCS = 320;
/** Pages without a text of the sessions asked for grow up to this: to ask an index again takes longer than to go on. */
const MAX_PAGE_DOCS = 32_768;
/** To ask an index again costs as much as some hundred texts more; the first ones are asked for by few. */
const MAX_FULL_PAGE_DOCS = 512;
const DOCS_PER_STEP = 1_024;

/** Where to look: sessions folders, and files within these, by their numbers; undefined for all. */
export interface SearchScope {
  readonly roots: ReadonlySet<string>;
  readonly files: ReadonlySet<number> | undefined;
}

/** The scope of some sessions folders, `within` some files of these. */
export function scopeOf(
  store: CatalogStore,
  roots: ReadonlySet<string>,
  within: readonly string[] | undefined,
): SearchScope {
  if (within === undefined) return { roots, files: undefined };
  const select = prepare(store.db, 'SELECT id FROM files WHERE path IN (SELECT value FROM json_each(?))');
  return { roots, files: new Set(select.all(JSON.stringify(within)).map(({ id }) => Number(id))) };
}

/** Those of some texts that are in scope, in steps. */
function* inScope(store: CatalogStore, ids: readonly number[], files: ReadonlySet<number>): Generator<number[]> {
  const select = prepare(store.db, 'SELECT file FROM docs WHERE id = ?');
  let own: number[] = [];
  for (const [index, id] of ids.entries()) {
    if (files.has(Number(select.get(id)?.['file']))) own.push(id);
    if (own.length < PAGE_DOCS && index % DOCS_PER_STEP !== DOCS_PER_STEP - 1) continue;
    yield own;
    own = [];
  }
  yield own;
}

/** Which texts in scope are candidates, a page at a time, newest first. */
function* candidatePages(
  store: CatalogStore,
  source: string,
  match: string | undefined,
  { files }: SearchScope,
): Generator<number[]> {
  const where = match === undefined ? 'rowid < ?' : `${source} MATCH ? AND rowid < ?`;
  const select = prepare(store.db, `SELECT rowid AS id FROM ${source} WHERE ${where} ORDER BY rowid DESC LIMIT ?`);
  let limit = files === undefined ? FIRST_PAGE_DOCS : PAGE_DOCS;
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const page = match === undefined ? select.all(below, limit) : select.all(match, below, limit);
    const ids = page.map(({ id }) => Number(id));
    const last = ids.at(-1);
    if (last === undefined) return;
    if (files === undefined) {
      for (let from = 0; from < ids.length; from += PAGE_DOCS) yield ids.slice(from, from + PAGE_DOCS);
      limit = Math.min(MAX_FULL_PAGE_DOCS, limit * 2);
    } else {
      let isBarren = true;
      for (const own of inScope(store, ids, files)) {
        isBarren &&= own.length === 0;
        yield own;
      }
      if (isBarren) limit = Math.min(MAX_PAGE_DOCS, limit * 4);
    }
    below = last;
  }
}

/** All texts of so few files that asking an index is not worth while, newest first; undefined when they are more. */
function fewDocs(store: CatalogStore, { files }: SearchScope): number[] | undefined {
  if (files === undefined) return undefined;
  const from = 'FROM docs INDEXED BY docs_file WHERE file IN (SELECT value FROM json_each(?))';
  const select = prepare(store.db, `SELECT id ${from} LIMIT ${MAX_SCANNED_DOCS + 1}`);
  const ids = select.all(JSON.stringify([...files])).map(({ id }) => Number(id));
  return ids.length > MAX_SCANNED_DOCS ? undefined : ids.sort((a, b) => b - a);
}

/**
 * The numbers of the texts that may hold a query, a page at a time, newest first from each source: the sources to ask come
 * the most telling first. A page may be empty, and repeat what one before it gave.
 */
export function* candidates(store: CatalogStore, query: ContentQuery, scope: SearchScope): Generator<number[]> {
  const few = fewDocs(store, scope);
  if (few !== undefined) {
    for (let from = 0; from < few.length; from += PAGE_DOCS) yield few.slice(from, from + PAGE_DOCS);
    return;
  }
  const trigrams = trigramsMatch(query);
  const isWhole = isSubstringIndexWhole(store);
  // Where substrings are indexed, that index alone finds all that the words would.
  if (trigrams !== undefined && isWhole) {
    yield* candidatePages(store, 'trigrams', trigrams, scope);
    return;
  }
  const words = wordsMatch(query);
  if (words === undefined) return;
  const isExact = query.needles.every(isUnspaced);
  // What is short stands in most texts: the newest ones answer sooner than the index, which would sort all.
  if (trigrams === undefined && !isExact) yield* newestDocs(store, FIRST_SCANNED_DOCS, scope);
  yield* candidatePages(store, 'words', words, scope);
  if (trigrams !== undefined) {
    if (trigramMark(store.db) > 0) yield* candidatePages(store, 'trigrams', trigrams, scope);
    return;
  }
  if (!isExact) yield* newestDocs(store, MAX_SCANNED_DOCS, scope);
}

function* newestDocs(store: CatalogStore, most: number, scope: SearchScope): Generator<number[]> {
  let scanned = 0;
  for (const page of candidatePages(store, 'docs', undefined, scope)) {
    yield page;
    scanned += page.length;
    if (scanned >= most) return;
  }
}

/** Can every substring be found, or is that index off or still being built? */
export function isSubstringIndexWhole(store: CatalogStore): boolean {
  const last = prepare(store.db, 'SELECT max(id) AS id FROM files').get()?.['id'];
  return trigramMark(store.db) >= Number(last ?? 0);
}
