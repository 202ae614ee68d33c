import { neutraliseLine } from './neutralise.ts';
import { compilePattern } from './pattern.ts';

/** Words that narrow by something else than text, with what their value may be (for the help). */
export const filterHelp = [
  ['dir:', 'part of the folder'],
  ['agent:', 'xcsh, omp or pi'],
  ['model:', 'part of a model’s name'],
  ['re:', 'a regular expression over title, first prompt, folder, labels and id'],
  ['before: after:', 'a date (2026-03-01, 2026-03) or an age (3d, 2w, 6mo)'],
  ['label:', 'part of a label'],
  ['has:', 'damage, branches, labels or images'],
  ['"two words"', 'exactly these, one after the other'],
  ['-word', 'none that has the word'],
] as const;

/** What `has:` knows. */
const features = ['damage', 'branches', 'labels', 'images'] as const;

/** One condition; all of them must hold. Texts are lower case. */
export type Term =
  | {
      readonly kind: 'word' | 'phrase' | 'dir' | 'agent' | 'model' | 'label';
      readonly text: string;
      readonly isNot: boolean;
    }
  | { readonly kind: 'before' | 'after'; readonly timeMs: number; readonly isNot: boolean }
  | { readonly kind: 'pattern'; readonly source: string; readonly flags: string; readonly isNot: boolean }
  | { readonly kind: 'has'; readonly what: (typeof features)[number]; readonly isNot: boolean };

/** What was typed into the search line, understood. */
export interface Query {
  readonly terms: readonly Term[];
  /** What to highlight: the words and phrases that are wanted. */
  readonly words: readonly string[];
  /** Parts that were left out, each with its reason. */
  readonly problems: readonly string[];
}

export const emptyQuery: Query = { terms: [], words: [], problems: [] };

/** A part: an optional `-`, an optional `name:`, then a quoted or a bare text. An unbalanced quote is a bare text. */
const PART = /(?=\S)(-?)(?:([a-z]+):)?(?:"([^"]*)"|(\S*))/giu;

/** Understands a search line. Nothing that is typed is an error: what makes no sense as a filter is a word. */
export function parseQuery(line: string, nowMs: number): Query {
  const terms: Term[] = [];
  const problems: string[] = [];
  for (const match of line.matchAll(PART)) {
    const [whole, minus, name, phrase, bare] = match;
    const exact = neutraliseLine(phrase ?? bare ?? '');
    const value = exact.toLowerCase();
    const isNot = minus === '-';
    const filter = name === undefined ? undefined : readFilter(name.toLowerCase(), exact, isNot, nowMs);
    if (typeof filter === 'string') problems.push(filter);
    else if (filter !== undefined) terms.push(...filter);
    else if (phrase !== undefined && name === undefined) {
      if (value !== '') terms.push({ kind: 'phrase', text: value, isNot });
    } else {
      const text = neutraliseLine(isNot ? whole.slice(1) : whole)
        .toLowerCase()
        .replaceAll('"', '');
      if (text !== '') terms.push({ kind: 'word', text, isNot });
      else if (whole === '-') terms.push({ kind: 'word', text: '-', isNot: false });
    }
  }
  const words = terms.flatMap((term) =>
    (term.kind === 'word' || term.kind === 'phrase') && !term.isNot ? [term.text] : [],
  );
  return { terms, words, problems };
}

/** The terms of a filter ([] while its value is not typed yet), a reason why it is left out, or undefined for no filter. */
function readFilter(name: string, exact: string, isNot: boolean, nowMs: number): Term[] | string | undefined {
  const value = exact.toLowerCase();
  switch (name) {
    case 'dir':
    case 'agent':
    case 'model':
    case 'label':
      return value === '' ? [] : [{ kind: name, text: value, isNot }];
    case 'before':
    case 'after': {
      if (value === '') return [];
      const timeMs = readTime(value, nowMs);
      return timeMs === undefined
        ? `${name}: wants a date (2026-03-01) or an age (3d)`
        : [{ kind: name, timeMs, isNot }];
    }
    case 'has': {
      const what = features.find((known) => value !== '' && known.startsWith(value));
      if (what !== undefined) return [{ kind: 'has', what, isNot }];
      return value === '' ? [] : 'has: knows damage, branches, labels and images';
    }
    case 're': {
      if (exact === '') return [];
      const pattern = compilePattern(exact);
      return 'problem' in pattern
        ? `re: is no pattern yet: ${pattern.problem}`
        : [{ kind: 'pattern', ...pattern, isNot }];
    }
    default:
      return undefined;
  }
}

/** The patterns of a query, which are matched elsewhere: one may take for ever. */
export function patternsOf({ terms }: Query): readonly Extract<Term, { kind: 'pattern' }>[] {
  return terms.filter((term) => term.kind === 'pattern');
}

/** Do two queries have the same patterns? */
export function isSamePatterns(a: Query, b: Query): boolean {
  return JSON.stringify(patternsOf(a)) === JSON.stringify(patternsOf(b));
}

const UNIT_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
  mo: 30 * 86_400_000,
  y: 365 * 86_400_000,
};

/** Epoch ms of a date in the user's zone, or of an age before now; undefined for anything else. */
function readTime(value: string, nowMs: number): number | undefined {
  const ageParts = /^(\d{1,4})(mo|[mhdwy])$/.exec(value);
  if (ageParts !== null) return nowMs - Number(ageParts[1]) * (UNIT_MS[ageParts[2] ?? ''] ?? 0);
  const dateParts = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/.exec(value);
  if (dateParts === null) return undefined;
  return new Date(Number(dateParts[1]), Number(dateParts[2] ?? 1) - 1, Number(dateParts[3] ?? 1)).getTime();
}
