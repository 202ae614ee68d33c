import type { DatabaseSync } from 'node:sqlite';
import { inSnapshot, prepare } from './history-database.ts';
import { clampLimit, type HistoryEntry, type HistoryScope, toEntry, wordHits } from './history-query.ts';
import { foldText, splitQuery } from './prompt-words.ts';

/** A found prompt and what made it a hit: every word of the query begins a word, or stands somewhere in the text. */
export interface HistoryHit extends HistoryEntry {
  readonly match: 'word' | 'substring';
}

/** How far a scan for substrings goes and what it leaves out. */
export interface SubstringOptions extends HistoryScope {
  /** At most so many hits; 0…1000. */
  readonly limit: number;
  /** Ids that are hits already. */
  readonly exclude?: ReadonlySet<number>;
}

/** Prompts looked at between two chances to stop: one to three milliseconds of work. */
const SLICE_PROMPTS = 2000;

/** SQLite can sift ASCII texts alone: its LIKE knows no other case. (A NUL in a text makes it seem none.) */
export const IS_ASCII = 'length(h.prompt) = length(CAST(h.prompt AS BLOB))';

/** A LIKE pattern that every text with all `words` fulfils: the longest one tells most. SQLite limits its length. */
export function toLikePattern(words: readonly string[]): string {
  const longest = words.reduce((a, b) => (b.length > a.length ? b : a), '').slice(0, 1000);
  return `%${longest.replace(/[\\%_]/g, '\\$&')}%`;
}

/**
 * Prompts that hold every word of `query` anywhere, in any script, from one character on, without regard to case and
 * accents, newest first. Yields after every slice of the history, with no hits too, so that the caller can stop there
 * (leave the loop) or let others work. Throws `history_unavailable`.
 */
export function* substringHits(
  db: DatabaseSync,
  query: string,
  options: SubstringOptions,
): Generator<readonly HistoryHit[], void, undefined> {
  const words = [...new Set(splitQuery(query).map(foldText))].filter((word) => word !== '');
  let wanted = clampLimit(options.limit);
  if (words.length === 0) return;
  const scan = sliceScanner(db, words, options.cwd);
  for (let before: number | undefined = Infinity; before !== undefined && wanted > 0; ) {
    const slice: Slice = inSnapshot(db, () => scan(before ?? 0));
    const fresh = slice.hits.filter((hit) => !options.exclude?.has(hit.id)).slice(0, wanted);
    wanted -= fresh.length;
    before = slice.before;
    yield fresh;
  }
}

interface Slice {
  readonly hits: readonly HistoryHit[];
  /** The time (epoch seconds) at which the slice began, undefined when nothing is older. */
  readonly before: number | undefined;
}

/** Looks through the prompts older than a time: whole seconds, so that no prompt falls between two slices. */
function sliceScanner(db: DatabaseSync, words: readonly string[], cwd: string | undefined): (before: number) => Slice {
  const startSql = 'SELECT created_at FROM history WHERE created_at < ? ORDER BY created_at DESC LIMIT 1 OFFSET ?';
  const sql = `SELECT h.id, h.prompt, h.created_at, h.cwd FROM history AS h
    WHERE h.created_at < :before AND h.created_at >= :from AND (:cwd IS NULL OR h.cwd = :cwd)
      AND (NOT ${IS_ASCII} OR h.prompt LIKE :pattern ESCAPE '\\')
    ORDER BY h.created_at DESC, h.id DESC`;
  const fixed = { cwd: cwd ?? null, pattern: toLikePattern(words) };

  return (before) => {
    const start = prepare(db, startSql).get(before, SLICE_PROMPTS - 1)?.['created_at'];
    const from = typeof start === 'number' ? start : undefined;
    const hits: HistoryHit[] = [];
    for (const row of prepare(db, sql).iterate({ ...fixed, before, from: from ?? -Infinity })) {
      const folded = foldText(String(row['prompt']));
      if (words.every((word) => folded.includes(word))) hits.push({ ...toEntry(row), match: 'substring' });
    }
    return { hits, before: from };
  };
}

/**
 * The whole search: first all hits at the beginning of words, then, while they are fewer than the limit, those inside
 * of words, slice by slice. An empty slice is yielded too: between any two the caller may stop.
 * Throws `history_unavailable`.
 */
export function* searchPrompts(
  db: DatabaseSync,
  query: string,
  options: HistoryScope & { readonly limit: number },
): Generator<readonly HistoryHit[], void, undefined> {
  const limit = clampLimit(options.limit);
  const hits = wordHits(db, query, limit, options).map((entry) => ({ ...entry, match: 'word' as const }));
  yield hits;
  const exclude = new Set(hits.map((hit) => hit.id));
  yield* substringHits(db, query, { ...options, limit: limit - hits.length, exclude });
}
