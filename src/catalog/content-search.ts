import { SessionError } from '../errors.ts';
import type { SessionEntry } from '../session/entries.ts';
import { prepare } from '../session/history-database.ts';
import { indexedText, textBesideCalls } from '../session/indexed-text.ts';
import { SessionFile } from '../session/scan.ts';
import { candidates, type SearchScope, scopeOf } from './candidates.ts';
import { byteSieve, type ContentQuery, holdsAll, type Match, matchOf, snippetOf } from './content-query.ts';
import type { CatalogStore } from './store.ts';

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
  readonly match: Match;
  readonly place: HitPlace;
}

/** What a hit stands in: a title or label, a prompt, what else was said, a tool's arguments or a command, what that gave back. */
type HitPlace = 'name' | 'prompt' | 'text' | 'call' | 'output';

const PLACES: Readonly<Record<string, HitPlace>> = {
  title: 'name',
  title_change: 'name',
  session_info: 'name',
  label: 'name',
  user: 'prompt',
  bashExecution: 'call',
  pythonExecution: 'call',
};

/** Files are kept open from one candidate to the next, newest ones being close to each other. */
const MAX_OPEN_FILES = 32;
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

interface ReadText {
  readonly text: string;
  readonly entry: SessionEntry | undefined;
}

function readText(text: string | undefined, entry?: SessionEntry): ReadText | undefined {
  return text === undefined ? undefined : { text, entry };
}

function placeOf({ entry }: ReadText, role: string, query: ContentQuery): HitPlace {
  const said = entry === undefined ? undefined : textBesideCalls(entry);
  if (said !== undefined && !holdsAll(said, query)) return 'call';
  return PLACES[role] ?? 'text';
}

/** Reads texts again where they stand in their files. */
export class TextReader implements Disposable {
  readonly #files = new Map<string, SessionFile>();

  /** undefined when the text is not there any more, or `isWanted` does not want the bytes that it stands in. */
  textOf(
    { path, offset, length, line, role }: Pick<Doc, 'path' | 'offset' | 'length' | 'line' | 'role'>,
    isWanted?: (bytes: Buffer) => boolean,
  ): ReadText | undefined {
    const file = this.#open(path);
    if (file === undefined) return undefined;
    for (const record of file.recordsAt({ line, offset, length }, isWanted)) {
      if (record.kind === 'title' && role === 'title') return readText(record.slot.title);
      if (record.kind === 'header' && role === 'title') return readText(record.header.title);
      if (record.kind === 'entry' && record.entry !== undefined) {
        const found = indexedText(record.entry);
        return found?.role === role ? readText(found.text, record.entry) : undefined;
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

function docAt(store: CatalogStore, id: number, { roots }: SearchScope): Doc | undefined {
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
 * Finds the texts that hold every word and phrase of a query, newest first, in some sessions folders, `within` some
 * files of these. Yields what was found since the last step, often nothing, so that a caller can stop or let others work.
 * What an index proposes is read in its file and compared, so no hit is stale or only similar.
 */
export function* searchTexts(
  store: CatalogStore,
  query: ContentQuery,
  roots: ReadonlySet<string>,
  within?: readonly string[],
): Generator<readonly ContentHit[]> {
  if (query.needles.length === 0) return;
  const scope = scopeOf(store, roots, within);
  if (scope.files?.size === 0) return;
  using reader = new TextReader();
  const mayHold = byteSieve(query);
  const seen = new Set<number>();
  for (const page of candidates(store, query, scope)) {
    const hits: ContentHit[] = [];
    for (const id of page) {
      if (seen.has(id)) continue;
      seen.add(id);
      const doc = docAt(store, id, scope);
      const read = doc && reader.textOf(doc, mayHold);
      if (doc === undefined || read === undefined || !holdsAll(read.text, query)) continue;
      const { text } = read;
      const { path, sessionId, entryId, role, timeMs } = doc;
      const snippet = snippetOf(text, query);
      const place = placeOf(read, role, query);
      hits.push({ path, id: sessionId, entryId, role, snippet, timeMs, match: matchOf(text, query), place });
    }
    yield hits;
  }
}
