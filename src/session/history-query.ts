import type { DatabaseSync } from 'node:sqlite';
import { inSnapshot, openInMemory, prepare } from './history-database.ts';
import { describeTextIndex } from './history-schema.ts';

/** One prompt of the history, as stored. */
export interface HistoryEntry {
  readonly id: number;
  readonly prompt: string;
  /** Epoch seconds. */
  readonly created_at: number;
  /** The folder in which it was sent; absent where none was stored. */
  readonly cwd?: string;
}

/** What narrows a query down. */
export interface HistoryScope {
  /** Only prompts sent in exactly this folder. */
  readonly cwd?: string;
}

const COLUMNS = 'h.id, h.prompt, h.created_at, h.cwd';
const NEWEST_FIRST = 'ORDER BY h.created_at DESC, h.id DESC';
const IN_SCOPE = '(:cwd IS NULL OR h.cwd = :cwd)';
const MAX_LIMIT = 1000;

type Row = Record<string, unknown>;

/** A row of `id, prompt, created_at, cwd` as an entry. */
export function toEntry(row: Row): HistoryEntry {
  const { id, prompt, created_at, cwd } = row;
  const entry = { id: Number(id), prompt: String(prompt), created_at: Number(created_at) };
  return typeof cwd === 'string' ? { ...entry, cwd } : entry;
}

/** A limit as callers may give it: rounded down into 0…1000; 0 when it is not finite. */
export function clampLimit(limit: number): number {
  return Number.isFinite(limit) ? Math.min(MAX_LIMIT, Math.max(0, Math.floor(limit))) : 0;
}

/** The words of a query: what blanks separate, each once. A NUL, which would end SQLite's text early, is a blank. */
export function splitQuery(query: string): readonly string[] {
  return [...new Set(query.split(/[\s\0]+/))].filter((word) => word !== '');
}

/** Every word as a quoted prefix, all of them wanted; quoting leaves nothing that FTS5 could take for an operator. */
function toMatch(words: readonly string[]): string {
  return words.map((word) => `"${word.replaceAll('"', '""')}"*`).join(' ');
}

function selectNewest(db: DatabaseSync, limit: number, scope: HistoryScope): HistoryEntry[] {
  const sql = `SELECT ${COLUMNS} FROM history AS h WHERE ${IN_SCOPE} ${NEWEST_FIRST} LIMIT :limit`;
  return prepare(db, sql)
    .all({ cwd: scope.cwd ?? null, limit })
    .map(toEntry);
}

/** The newest prompts, by time, then by id. Throws `history_unavailable`. */
export function recentPrompts(db: DatabaseSync, limit: number, scope: HistoryScope = {}): HistoryEntry[] {
  return inSnapshot(db, () => selectNewest(db, clampLimit(limit), scope));
}

/** How many prompts there are. Throws `history_unavailable`. */
export function countPrompts(db: DatabaseSync, scope: HistoryScope = {}): number {
  const sql = `SELECT count(*) AS n FROM history AS h WHERE ${IN_SCOPE}`;
  return inSnapshot(db, () => Number(prepare(db, sql).get({ cwd: scope.cwd ?? null })?.['n']));
}

/**
 * The newest prompts in which every word of `query` begins a word, newest first by time, then by id: the same list as
 * joining all matches and sorting them by time gives, without visiting all of them. Any text is literal words;
 * one without a letter or digit finds nothing. Throws `history_unavailable`.
 */
export function wordHits(db: DatabaseSync, query: string, limit: number, scope: HistoryScope = {}): HistoryEntry[] {
  const words = splitQuery(query);
  const wanted = clampLimit(limit);
  if (words.length === 0 || wanted === 0) return [];
  const search: Search = { match: toMatch(words), wanted, scope };
  return inSnapshot(db, () => {
    const isOneLetter = words.some((word) => [...word].length === 1);
    return (isOneLetter ? hitsAmongNewest(db, search) : undefined) ?? hitsByRowid(db, search);
  });
}

interface Search {
  readonly match: string;
  readonly wanted: number;
  readonly scope: HistoryScope;
}

/** Which of `entries` match, as FTS5 itself says. */
function probe(entries: readonly HistoryEntry[], match: string): HistoryEntry[] {
  const memory = openInMemory();
  try {
    memory.exec("CREATE VIRTUAL TABLE probe USING fts5(prompt, content=''); BEGIN");
    const insert = memory.prepare('INSERT INTO probe(rowid, prompt) VALUES (?, ?)');
    for (const [index, entry] of entries.entries()) insert.run(index, entry.prompt);
    const rows = memory.prepare('SELECT rowid FROM probe WHERE probe MATCH ? ORDER BY rowid').all(match);
    return rows.flatMap((row) => entries[Number(row['rowid'])] ?? []);
  } finally {
    memory.close();
  }
}

/**
 * Without an index of first letters, one letter makes FTS5 collect most of the index, while the newest few prompts
 * nearly always hold enough hits. Undefined when they do not, or when the index has letters or words of its own kind.
 */
function hitsAmongNewest(db: DatabaseSync, { match, wanted, scope }: Search): HistoryEntry[] | undefined {
  const index = describeTextIndex(db);
  if (index.indexesFirstLetters || !index.hasDefaultTokenizer) return undefined;
  const newest = selectNewest(db, wanted * 4, scope);
  const hits = probe(newest, match);
  return hits.length >= wanted ? hits.slice(0, wanted) : undefined;
}

/** How many rows of the time index can be looked at in the time of one row through text index and table. */
const LOOKS_PER_FETCH = 20;

/** The newest `wanted` of the `enough` matches with the highest rowids, and how far down these go. */
const HITS_BY_ROWID = `WITH near AS MATERIALIZED (
    SELECT h.id, h.created_at FROM history_fts AS f CROSS JOIN history AS h ON h.id = f.rowid
    WHERE f.history_fts MATCH :match AND ${IN_SCOPE} ORDER BY f.rowid DESC LIMIT :enough),
  newest AS MATERIALIZED (SELECT id FROM near AS h ${NEWEST_FIRST} LIMIT :wanted)
  SELECT ${COLUMNS}, (SELECT min(id) FROM near) AS reachedId, (SELECT count(*) FROM near) AS fetched
  FROM newest CROSS JOIN history AS h ON h.id = newest.id ${NEWEST_FIRST}`;

/**
 * Matches come in falling order of rowid, which is nearly that of time: a few more than wanted are fetched and sorted.
 * Rows further down that are newer than the last one wanted (clock changes, imports, omp's repeated prompts) are then
 * found in the time index. Where that look would take longer than fetching on, more is fetched first.
 */
function hitsByRowid(db: DatabaseSync, search: Search): HistoryEntry[] {
  const { match, wanted, scope } = search;
  const newestId = Number(prepare(db, 'SELECT max(id) AS id FROM history').get()?.['id'] ?? 0);
  for (let enough = Math.ceil(wanted * 1.5); ; ) {
    const rows = prepare(db, HITS_BY_ROWID).all({ match, wanted, enough, cwd: scope.cwd ?? null });
    const hits = rows.map(toEntry);
    const last = rows.at(-1);
    if (last === undefined || Number(last['fetched']) < enough) return hits;
    const better = Math.ceil((newestId - Number(last['id'])) / LOOKS_PER_FETCH);
    if (better <= enough) {
      const late = lateHits(db, search, Number(last['reachedId']), Number(last['created_at']));
      return [...hits, ...late].sort(byNewest).slice(0, wanted);
    }
    enough = better;
  }
}

function byNewest(a: HistoryEntry, b: HistoryEntry): number {
  return b.created_at - a.created_at || b.id - a.id;
}

/** The matches below a rowid that are nevertheless newer than a time. */
function lateHits(db: DatabaseSync, { match, scope }: Search, belowId: number, newerThan: number): HistoryEntry[] {
  // The plus keeps SQLite on the time index.
  const lateSql = 'SELECT id FROM history WHERE created_at > :newerThan AND +id < :belowId';
  const ids = prepare(db, lateSql).all({ newerThan, belowId });
  if (ids.length === 0) return [];
  const sql = `SELECT ${COLUMNS} FROM history_fts AS f CROSS JOIN history AS h ON h.id = f.rowid
    WHERE f.history_fts MATCH :match AND +f.rowid IN (SELECT value FROM json_each(:ids)) AND ${IN_SCOPE}`;
  return prepare(db, sql)
    .all({ match, ids: JSON.stringify(ids.map((row) => row['id'])), cwd: scope.cwd ?? null })
    .map(toEntry);
}
