import Fuse from 'fuse.js';
import { activityMs, type SessionRow } from '../catalog/session-row.ts';
import { neutraliseLine } from './neutralise.ts';
import type { Query, Term } from './query.ts';

/** What of a row is searched, in lower case. */
interface Haystack {
  /** Title, first prompt, folder, labels and id, a line each. */
  readonly all: string;
  /** Short enough for fuzzy matching: the title or the start of the first prompt, the folder's name, and labels. */
  readonly fuzzy: string;
  /** One bit a letter or digit of `fuzzy`. */
  readonly mask: number;
}

const FUZZY_UNITS = 120;
// More than anybody scrolls through, few enough for fuse.js within one slice.
const MAX_FUZZY_HITS = 100;
const ROWS_PER_SLICE = 25;
const SCORED_PER_SLICE = 10;
const MAX_MARKS = 100;

const haystacks = new WeakMap<SessionRow, Haystack>();

/** Letters and digits share the 32 bits; any other character has no bit, so the mask never rejects a match. */
function maskOf(text: string): number {
  let mask = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x61 && unit <= 0x7a) mask |= 1 << (unit - 0x61);
    else if (unit >= 0x30 && unit <= 0x39) mask |= 1 << (26 + ((unit - 0x30) >> 1));
  }
  return mask;
}

function haystackOf(row: SessionRow): Haystack {
  const known = haystacks.get(row);
  if (known !== undefined) return known;
  const title = neutraliseLine(row.title ?? '');
  const first = neutraliseLine(row.firstMessage ?? '');
  const folder = neutraliseLine(row.cwd ?? '');
  const labels = (row.labels ?? []).map(neutraliseLine);
  const all = `${title}\n${first}\n${folder}\n${labels.join('\n')}\n${row.id ?? ''}`.toLowerCase();
  const fuzzy =
    `${(title || first).slice(0, FUZZY_UNITS)} ${folder.slice(folder.lastIndexOf('/') + 1)} ${labels.join(' ').slice(0, FUZZY_UNITS)}`
      .trimEnd()
      .toLowerCase();
  const haystack = { all, fuzzy, mask: maskOf(fuzzy) };
  haystacks.set(row, haystack);
  return haystack;
}

/** A word to be found letter by letter. */
interface Spelling {
  readonly characters: readonly string[];
  readonly mask: number;
  /** All of it stands within so many units: letters further apart are chance. */
  readonly reach: number;
}

function spellingOf(word: string): Spelling {
  return { characters: Array.from(word), mask: maskOf(word), reach: word.length * 4 };
}

/** Where the characters of a word begin to stand in their order, close enough to each other; -1 for nowhere. */
function spellingAt({ characters, reach }: Spelling, text: string): number {
  const first = characters[0] ?? '';
  for (let start = text.indexOf(first); start >= 0; start = text.indexOf(first, start + 1)) {
    let end = start;
    for (const character of characters) {
      const at = text.indexOf(character, end);
      // Nothing that starts further right can have it either.
      if (at < 0) return -1;
      end = at + character.length;
    }
    if (end - start <= reach) return start;
  }
  return -1;
}

/** Where each of them stands. */
function spellOut(word: string, text: string): readonly (readonly [number, number])[] {
  const spelling = spellingOf(word);
  let from = spellingAt(spelling, text);
  if (from < 0) return [];
  return spelling.characters.map((character) => {
    const at = text.indexOf(character, from);
    from = at + character.length;
    return [at, from] as const;
  });
}

function holds(term: Term, row: SessionRow): boolean {
  switch (term.kind) {
    case 'pattern':
      // Matched before, and elsewhere.
      return !term.isNot;
    case 'word':
    case 'phrase':
      return haystackOf(row).all.includes(term.text);
    case 'dir':
      return row.cwd?.toLowerCase().includes(term.text) ?? false;
    case 'agent':
      return row.agent?.startsWith(term.text) ?? false;
    case 'model':
      return row.models?.some((model) => model.toLowerCase().includes(term.text)) ?? false;
    case 'label':
      return row.labels?.some((label) => label.toLowerCase().includes(term.text)) ?? false;
    case 'before':
      return activityMs(row) < term.timeMs;
    case 'after':
      return activityMs(row) >= term.timeMs;
    case 'has':
      return (countOf(term.what, row) ?? 0) > 0;
  }
}

function countOf(what: Extract<Term, { kind: 'has' }>['what'], row: SessionRow): number | null {
  switch (what) {
    case 'damage':
      return row.problem === null ? row.damagedLines : 1;
    case 'branches':
      return row.branchCount;
    case 'labels':
      return row.labelCount;
    case 'images':
      return row.hasImages ? 1 : 0;
  }
}

/** `literal`: every word stands there. `fuzzy`: the words that do not may be spelled out by its letters in their order. */
function judgeFor({ terms }: Query): (row: SessionRow) => 'literal' | 'fuzzy' | 'none' {
  const spellings = terms.map((term) => (term.kind === 'word' && !term.isNot ? spellingOf(term.text) : undefined));
  return (row) => {
    let verdict: 'literal' | 'fuzzy' = 'literal';
    for (const [index, term] of terms.entries()) {
      if (holds(term, row) !== term.isNot) continue;
      const spelling = spellings[index];
      if (spelling === undefined) return 'none';
      const { mask, fuzzy } = haystackOf(row);
      if ((mask & spelling.mask) !== spelling.mask || spellingAt(spelling, fuzzy) < 0) return 'none';
      verdict = 'fuzzy';
    }
    return verdict;
  };
}

/** Does a row meet the conditions of a query that are about the session, whatever words stand in its texts? */
export function passesFilters(row: SessionRow, query: Query): boolean {
  return query.terms.every((term) => {
    const isWanted = !term.isNot && (term.kind === 'word' || term.kind === 'phrase');
    return isWanted || holds(term, row) !== term.isNot;
  });
}

/** How far off fuse.js finds the words that do not stand in a row literally: 0 for not at all, 1 a word at most. */
function scoreRows(rows: readonly SessionRow[], query: Query): { readonly row: SessionRow; readonly score: number }[] {
  const fuse = new Fuse(rows, {
    keys: [{ name: 'fuzzy', getFn: (row) => haystackOf(row).fuzzy }],
    includeScore: true,
    ignoreLocation: true,
    shouldSort: false,
  });
  const scores = new Map<SessionRow, number>(rows.map((row) => [row, 0]));
  for (const term of query.terms) {
    if (term.kind !== 'word' || term.isNot) continue;
    const found = new Map(fuse.search(term.text).map(({ item, score }) => [item, score ?? 1]));
    for (const [row, sum] of scores) {
      if (!haystackOf(row).all.includes(term.text)) scores.set(row, sum + (found.get(row) ?? 1));
    }
  }
  return Array.from(scores, ([row, score]) => ({ row, score }));
}

/**
 * The rows that match, but for the patterns of the query (`patternsOf`), in slices of well under a millisecond: `next()`
 * until it is done, or forget it. Literal hits keep the order of `rows` (the newest first); fuzzy ones follow, the best
 * first.
 */
export function* searchRows(rows: readonly SessionRow[], query: Query): Generator<undefined, readonly SessionRow[]> {
  const literal: SessionRow[] = [];
  const fuzzy: SessionRow[] = [];
  const judge = judgeFor(query);
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_PER_SLICE === ROWS_PER_SLICE - 1) yield;
    const verdict = judge(row);
    if (verdict === 'literal') literal.push(row);
    else if (verdict === 'fuzzy' && fuzzy.length < MAX_FUZZY_HITS) fuzzy.push(row);
  }
  const scored: ReturnType<typeof scoreRows> = [];
  for (let from = 0; from < fuzzy.length; from += SCORED_PER_SLICE) {
    yield;
    scored.push(...scoreRows(fuzzy.slice(from, from + SCORED_PER_SLICE), query));
  }
  return [...literal, ...scored.sort((a, b) => a.score - b.score).map(({ row }) => row)];
}

/** What patterns are matched with: title, first prompt, folder, labels and id, a line each, in lower case. */
export function patternText(row: SessionRow): string {
  return haystackOf(row).all;
}

/** Where in a text the words stand: sorted, disjoint `[from, to)` in UTF-16 units. Words that stand nowhere literally light up their letters. */
export function matchRanges(text: string, words: readonly string[]): readonly (readonly [number, number])[] {
  return rangesOf(text, words, (word, lower) => spellOut(word, lower.slice(0, FUZZY_UNITS)));
}

/** The same of words that stand there literally. */
export function literalRanges(text: string, words: readonly string[]): readonly (readonly [number, number])[] {
  return rangesOf(text, words, () => []);
}

function rangesOf(
  text: string,
  words: readonly string[],
  otherwise: (word: string, lower: string) => readonly (readonly [number, number])[],
): readonly (readonly [number, number])[] {
  const lower = text.toLowerCase();
  // A few letters change their length; then no range would fit.
  if (words.length === 0 || lower.length !== text.length) return [];
  const ranges: [number, number][] = [];
  for (const word of words) {
    const before = ranges.length;
    for (
      let at = lower.indexOf(word);
      at >= 0 && ranges.length - before < MAX_MARKS;
      at = lower.indexOf(word, at + word.length)
    ) {
      ranges.push([at, at + word.length]);
    }
    if (ranges.length === before) for (const [from, to] of otherwise(word, lower)) ranges.push([from, to]);
  }
  return mergeRanges(ranges);
}

function mergeRanges(ranges: [number, number][]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
