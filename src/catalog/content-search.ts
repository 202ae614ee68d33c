import { SessionError } from '../errors.ts';
import { prepare } from '../session/history-database.ts';
import { indexedText } from '../session/indexed-text.ts';
import { SessionFile } from '../session/scan.ts';
import { type ContentQuery, holdsAll, snippetOf, trigramsMatch, wordsMatch } from './content-query.ts';
import type { CatalogStore } from './store.ts';
import { isUnspaced } from './text-form.ts';
import { trigramMark } from './text-index.ts';

/** One text in which all that was asked for stands. Strings are as on disk. */
export interface ContentHit {
  readonly path: string;
  /** The session's id. */
  readonly id: string | null;
  /** null: the session's title. */
  readonly entryId: string | null;
  readonly role: string;
  /** One line around the first match. */
  readonly snippet: string;
  /** Epoch ms. */
  readonly timeMs: number | null;
}

const PAGE_DOCS = 32;
/** Files are kept open from one candidate to the next, newest ones being close to each other. */
const MAX_OPEN_FILES = 32;
/** What is too short for an index is looked for in so many of the newest texts. */
const MAX_SCANNED_DOCS = 2_000;
const FIRST_SCANNED_DOCS = 320;

interface Doc {
  readonly id: number;
  readonly path: string;
  readonly sessionId: string | null;
  readonly offset: number;
  readonly length: number;
  readonly line: number;
  readonly entryId: string | null;
  readonly role: string;
  readonly timeMs: number | null;
}

/** Reads texts again where they stand in their files. */
export class TextReader implements Disposable {
  readonly #files = new Map<string, SessionFile>();

  /** undefined when the text is not there any more. */
  textOf({
    path,
    offset,
    length,
    line,
    role,
  }: Pick<Doc, 'path' | 'offset' | 'length' | 'line' | 'role'>): string | undefined {
    const file = this.#open(path);
    if (file === undefined) return undefined;
    for (const record of file.recordsAt({ line, offset, length })) {
      if (record.kind === 'title' && role === 'title') return record.slot.title;
      if (record.kind === 'header' && role === 'title') return record.header.title;
      if (record.kind === 'entry' && record.entry !== undefined) {
        const found = indexedText(record.entry);
        return found?.role === role ? found.text : undefined;
      }
    }
    return undefined;
  }

  #open(path: string): SessionFile | undefined {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    try {
      const file = new SessionFile(path);
      if (this.#files.size >= MAX_OPEN_FILES) this[Symbol.dispose]();
      this.#files.set(path, file);
      return file;
    } catch (error) {
      if (error instanceof SessionError) return undefined;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    for (const file of this.#files.values()) file[Symbol.dispose]();
    this.#files.clear();
  }
}

const DOC = `SELECT d.id, d.line, d.offset, d.length, d.entry, d.role, d.time, f.path, f.root, f.session_id
  FROM docs d JOIN files f ON f.id = d.file WHERE d.id = ?`;

/** Which texts are candidates, a page at a time, newest first. */
function* candidatePages(store: CatalogStore, source: string, match: string | undefined): Generator<number[]> {
  const where = match === undefined ? 'rowid < ?' : `${source} MATCH ? AND rowid < ?`;
  const select = prepare(
    store.db,
    `SELECT rowid AS id FROM ${source} WHERE ${where} ORDER BY rowid DESC LIMIT ${PAGE_DOCS}`,
  );
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const page = match === undefined ? select.all(below) : select.all(match, below);
    const ids = page.map(({ id }) => Number(id));
    const last = ids.at(-1);
    if (last === undefined) return;
    yield ids;
    below = last;
  }
}

/** The sources to ask, the most telling first; each is asked for what those before it did not give. */
function* candidates(store: CatalogStore, query: ContentQuery): Generator<number[]> {
  const trigrams = trigramsMatch(query);
  const isWhole = isSubstringIndexWhole(store);
  // Where substrings are indexed, that index alone finds all that the words would.
  if (trigrams !== undefined && isWhole) {
    yield* candidatePages(store, 'trigrams', trigrams);
    return;
  }
  const words = wordsMatch(query);
  if (words === undefined) return;
  const isExact = query.needles.every(isUnspaced);
  // What is short stands in most texts: the newest ones answer sooner than the index, which would sort all.
  if (trigrams === undefined && !isExact) yield* newestDocs(store, FIRST_SCANNED_DOCS);
  yield* candidatePages(store, 'words', words);
  if (trigrams !== undefined) {
    if (trigramMark(store.db) > 0) yield* candidatePages(store, 'trigrams', trigrams);
    return;
  }
  if (!isExact) yield* newestDocs(store, MAX_SCANNED_DOCS);
}

function* newestDocs(store: CatalogStore, most: number): Generator<number[]> {
  let scanned = 0;
  for (const page of candidatePages(store, 'docs', undefined)) {
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

function docAt(store: CatalogStore, id: number, roots: ReadonlySet<string>): Doc | undefined {
  const columns = prepare(store.db, DOC).get(id);
  if (columns === undefined || !roots.has(String(columns['root']))) return undefined;
  const text = (name: string): string | null => (typeof columns[name] === 'string' ? columns[name] : null);
  const timeMs = columns['time'];
  return {
    id,
    path: String(columns['path']),
    sessionId: text('session_id'),
    offset: Number(columns['offset']),
    length: Number(columns['length']),
    line: Number(columns['line']),
    entryId: text('entry'),
    role: String(columns['role']),
    timeMs: typeof timeMs === 'number' ? timeMs : null,
  };
}

/**
 * Finds the texts that hold every word and phrase of a query, newest first, in some sessions folders. Yields what was found
 * since the last step, often nothing, so that a caller can stop or let others work. What an index proposes is read in its
 * file and compared, so no hit is stale or only similar.
 */
export function* searchTexts(
  store: CatalogStore,
  query: ContentQuery,
  roots: ReadonlySet<string>,
): Generator<readonly ContentHit[]> {
  if (query.needles.length === 0) return;
  using reader = new TextReader();
  const seen = new Set<number>();
  for (const page of candidates(store, query)) {
    const hits: ContentHit[] = [];
    for (const id of page) {
      if (seen.has(id)) continue;
      seen.add(id);
      const doc = docAt(store, id, roots);
      const text = doc && reader.textOf(doc);
      if (doc === undefined || text === undefined || !holdsAll(text, query)) continue;
      const { path, sessionId, entryId, role, timeMs } = doc;
      hits.push({ path, id: sessionId, entryId, role, snippet: snippetOf(text, query), timeMs });
    }
    yield hits;
  }
}
