import type { DatabaseSync } from 'node:sqlite';
import { inSnapshot, openInMemory, prepare } from './history-database.ts';
import { describeTextIndex } from './history-schema.ts';
import { splitQuery } from './prompt-words.ts';

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

/** Every word as a quoted prefix, all of them wanted; quoting leaves nothing that FTS5 could take for an operator. */
export function toMatch(words: readonly string[]): string {
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
  return inSnapshot(db, () => findHits(db, { words, wanted, scope }));
}

interface Search {
  readonly words: readonly string[];
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

function findHits(db: DatabaseSync, search: Search): HistoryEntry[] {
  return hitsBySifting(db, search) ?? hitsByRowid(db, search);
}

/**
 * Without an index of first letters, one letter makes FTS5 collect most of its words. The newest few prompts with the
 * other words of the query nearly always hold enough hits, so these are sifted. Undefined when they do not, when no word
 * is a single letter, or when the index has letters or words of its own kind.
 */
function hitsBySifting(db: DatabaseSync, { words, wanted, scope }: Search): HistoryEntry[] | undefined {
  const longWords = words.filter((word) => [...word].length > 1);
  if (longWords.length === words.length) return undefined;
  const index = describeTextIndex(db);
  if (index.indexesFirstLetters || !index.hasDefaultTokenizer) return undefined;
  const sieved = wanted * 4;
  const newest =
    longWords.length === 0
      ? selectNewest(db, sieved, scope)
      : hitsByRowid(db, { words: longWords, wanted: sieved, scope });
  const hits = probe(newest, toMatch(words));
  return hits.length >= wanted || newest.length < sieved ? hits.slice(0, wanted) : undefined;
}

/** All matches, the highest rowid first. SQLite collects the words once; each row then costs little. */
const MATCHES_BY_ROWID = `SELECT h.id, h.created_at FROM history_fts AS f CROSS JOIN history AS h ON h.id = f.rowid
  WHERE f.history_fts MATCH :match AND ${IN_SCOPE} ORDER BY f.rowid DESC`;

/** The newest `wanted` matches by walking the time index; the plus keeps SQLite on it. */
const HITS_BY_TIME = `WITH newest AS MATERIALIZED (
    SELECT h.id FROM history AS h
    WHERE +h.id IN (SELECT rowid FROM history_fts WHERE history_fts MATCH :match) AND ${IN_SCOPE}
    ${NEWEST_FIRST} LIMIT :wanted)
  SELECT ${COLUMNS} FROM newest CROSS JOIN history AS h ON h.id = newest.id ${NEWEST_FIRST}`;

const HITS_BY_ID = `SELECT ${COLUMNS} FROM json_each(:ids) AS wanted CROSS JOIN history AS h ON h.id = wanted.value
  ${NEWEST_FIRST}`;

const NEWER_BELOW = 'SELECT 1 FROM history WHERE created_at > :newerThan AND +id < :belowId LIMIT 1';

/** How many rows of the time index can be looked at in the time of one row through text index and table. */
const LOOKS_PER_FETCH = 20;

interface Match {
  readonly id: number;
  readonly time: number;
}

/**
 * Matches come in falling order of rowid, which is nearly that of time: a few more than wanted are fetched and sorted.
 * If any row further down is newer than the last one wanted (clock changes, imports, omp's repeated prompts), the walk
 * by time decides. Where looking for such a row would take longer than fetching on, more is fetched first.
 */
function hitsByRowid(db: DatabaseSync, { words, wanted, scope }: Search): HistoryEntry[] {
  const query = { match: toMatch(words), cwd: scope.cwd ?? null };
  const newestId = Number(prepare(db, 'SELECT max(id) AS id FROM history').get()?.['id'] ?? 0);
  const fetched: Match[] = [];
  let belowId: number | undefined;
  for (const { id, created_at } of prepare(db, MATCHES_BY_ROWID).iterate(query)) {
    fetched.push({ id: Number(id), time: Number(created_at) });
    if (fetched.length < wanted * 1.5) continue;
    // The last one wanted stands about so far down; its own id may be anywhere.
    const looks = ((newestId - Number(id)) * wanted) / fetched.length;
    if (looks > fetched.length * LOOKS_PER_FETCH) continue;
    belowId = Number(id);
    break;
  }
  const hits = fetched.sort((a, b) => b.time - a.time || b.id - a.id).slice(0, wanted);
  const newerThan = hits.at(-1)?.time ?? 0;
  if (belowId !== undefined && prepare(db, NEWER_BELOW).get({ newerThan, belowId }) !== undefined) {
    return prepare(db, HITS_BY_TIME)
      .all({ ...query, wanted })
      .map(toEntry);
  }
  return prepare(db, HITS_BY_ID)
    .all({ ids: JSON.stringify(hits.map((hit) => hit.id)) })
    .map(toEntry);
}
