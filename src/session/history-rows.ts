import type { DatabaseSync } from 'node:sqlite';
import { inSnapshot, prepare } from './history-database.ts';
import { type HistoryEntry, toEntry, toMatch } from './history-query.ts';
import { IS_ASCII, toLikePattern } from './history-substrings.ts';
import { foldText, splitQuery } from './prompt-words.ts';

/** A stored prompt with what only some agents keep. */
export interface HistoryRow extends HistoryEntry {
  /** How often it was sent: omp counts in one row, the others write a row each time. */
  readonly uses: number;
  /** The session in which it was sent last; kept by omp alone. */
  readonly sessionId?: string;
}

/** Where prompts were sent; absent for anywhere. */
export interface RowScope {
  readonly folders?: readonly string[] | undefined;
}

/** Rows looked at between two chances to stop: a few milliseconds of work. */
const SLICE_ROWS = 5_000;

const IN_FOLDERS = '(:folders IS NULL OR h.cwd IN (SELECT value FROM json_each(:folders)))';

function selectRows(db: DatabaseSync): string {
  const names = prepare(db, "SELECT name FROM pragma_table_info('history')")
    .all()
    .map(({ name }) => name);
  const uses = names.includes('use_count') ? 'h.use_count' : '1';
  const sessionId = names.includes('session_id') ? 'h.session_id' : 'NULL';
  return `SELECT h.id, h.prompt, h.created_at, h.cwd, ${uses} AS uses, ${sessionId} AS session_id`;
}

function toRow(row: Record<string, unknown>): HistoryRow {
  const { uses, session_id: sessionId } = row;
  const known = Object.assign(toEntry(row), { uses: Math.max(1, Number(uses) || 1) });
  return typeof sessionId === 'string' && sessionId !== '' ? Object.assign(known, { sessionId }) : known;
}

interface Slice {
  readonly rows: readonly HistoryRow[];
  readonly lastId: number | undefined;
}

/** Walks over all rows by id, in slices; `condition` may use the parameters `:after`, `:to`, `:folders` and those given. */
function* walkRows(
  db: DatabaseSync,
  condition: string,
  parameters: Readonly<Record<string, string | null>>,
  { folders }: RowScope,
): Generator<readonly HistoryRow[], void, undefined> {
  const endSql = 'SELECT max(id) AS id FROM (SELECT id FROM history WHERE id > ? ORDER BY id LIMIT ?)';
  const fixed = { ...parameters, folders: folders === undefined ? null : JSON.stringify(folders) };
  const nextSlice = (after: number): Slice => {
    const end = prepare(db, endSql).get(after, SLICE_ROWS)?.['id'];
    if (typeof end !== 'number') return { rows: [], lastId: undefined };
    const sql = `${selectRows(db)} FROM history AS h WHERE h.id > :after AND h.id <= :to AND ${IN_FOLDERS} AND ${condition}`;
    const rows = prepare(db, sql)
      .all({ ...fixed, after, to: end })
      .map(toRow);
    return { rows, lastId: end };
  };
  for (let after: number | undefined = Number.MIN_SAFE_INTEGER; after !== undefined; ) {
    const slice: Slice = inSnapshot(db, () => nextSlice(after ?? 0));
    yield slice.rows;
    after = slice.lastId;
  }
}

/**
 * The newest rows sent in some folders, newest first, in slices by time: no index leads to a folder, so a history is looked
 * through until there are `limit` of them. Throws `history_unavailable`.
 */
export function* newestRowsIn(
  db: DatabaseSync,
  folders: readonly string[],
  limit: number,
): Generator<readonly HistoryEntry[], void, undefined> {
  const startSql = 'SELECT created_at FROM history WHERE created_at < ? ORDER BY created_at DESC LIMIT 1 OFFSET ?';
  const sql = `SELECT h.id, h.prompt, h.created_at, h.cwd FROM history AS h
    WHERE h.created_at < :before AND h.created_at >= :from AND ${IN_FOLDERS} ORDER BY h.created_at DESC, h.id DESC`;
  let wanted = limit;
  for (let before: number | undefined = Infinity; before !== undefined && wanted > 0; ) {
    const end: number = before;
    const slice = inSnapshot(db, () => {
      const start = prepare(db, startSql).get(end, SLICE_ROWS - 1)?.['created_at'];
      const from = typeof start === 'number' ? start : undefined;
      const query = { before: end, from: from ?? -Infinity, folders: JSON.stringify(folders) };
      return { rows: prepare(db, sql).all(query).map(toEntry).slice(0, wanted), from };
    });
    wanted -= slice.rows.length;
    before = slice.from;
    yield slice.rows;
  }
}

/** The rows whose prompt is exactly one of `prompts`, in slices, in no order to rely on. Throws `history_unavailable`. */
export function rowsOfPrompts(
  db: DatabaseSync,
  prompts: readonly string[],
  scope: RowScope = {},
): Generator<readonly HistoryRow[], void, undefined> {
  const condition = 'h.prompt IN (SELECT value FROM json_each(:prompts))';
  return walkRows(db, condition, { prompts: JSON.stringify(prompts) }, scope);
}

/**
 * Every row that a search finds: each word of `query` begins a word of the prompt, or stands anywhere in it; all rows for
 * a blank query. In slices, in no order to rely on. Throws `history_unavailable`.
 */
export function* matchingRows(
  db: DatabaseSync,
  query: string,
  scope: RowScope = {},
): Generator<readonly HistoryRow[], void, undefined> {
  if (query.trim() === '') {
    yield* walkRows(db, 'TRUE', {}, scope);
    return;
  }
  const words = splitQuery(query);
  if (words.length === 0) return;
  const wordRows = inSnapshot(db, () => rowsWithWords(db, words, scope));
  yield wordRows;
  const found = new Set(wordRows.map(({ id }) => id));
  const folded = [...new Set(words.map(foldText))].filter((word) => word !== '');
  if (folded.length === 0) return;
  const condition = `(NOT ${IS_ASCII} OR h.prompt LIKE :pattern ESCAPE '\\')`;
  for (const slice of walkRows(db, condition, { pattern: toLikePattern(folded) }, scope)) {
    yield slice.filter(({ id, prompt }) => {
      if (found.has(id)) return false;
      const text = foldText(prompt);
      return folded.every((word) => text.includes(word));
    });
  }
}

function rowsWithWords(db: DatabaseSync, words: readonly string[], { folders }: RowScope): HistoryRow[] {
  const sql = `${selectRows(db)} FROM history_fts AS f CROSS JOIN history AS h ON h.id = f.rowid
    WHERE f.history_fts MATCH :match AND ${IN_FOLDERS}`;
  return prepare(db, sql)
    .all({ match: toMatch(words), folders: folders === undefined ? null : JSON.stringify(folders) })
    .map(toRow);
}
