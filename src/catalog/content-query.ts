import { isAscii } from 'node:buffer';
import { foldedForm, isUnspaced, searchForm, spacedForm } from './text-form.ts';

/** What is looked for: texts that hold every needle, in the form in which texts are compared. */
export interface ContentQuery {
  readonly needles: readonly string[];
  /** The words of all needles in lower case, with their accents. */
  readonly words: readonly string[];
  /** What must not stand in the text, in the same form. */
  readonly without: readonly string[];
  /** All of it, in the order in which it was typed. */
  readonly phrase: string;
}

/** How a text holds a query: as one phrase of whole words, as whole words, or as parts of words. */
export type Match = 'phrase' | 'words' | 'parts';

const PART = /"([^"]*)"|(\S+)/g;
const MAX_NEEDLES = 16;
const MAX_NEEDLE_UNITS = 400;
/** More would narrow no further. */
const MAX_TRIGRAMS = 24;
const TOKEN = /[\p{L}\p{M}\p{N}\p{Co}]+/gu;

/** Literal words, and phrases in quotes; nothing in a query is an operator (field report Q01). `without` are literal too. */
export function parseContentQuery(text: string, without: readonly string[] = []): ContentQuery {
  const needles = new Set<string>();
  const words = new Set<string>();
  for (const [, phrase, word] of text.matchAll(PART)) {
    for (const part of (phrase ?? word ?? '').toLowerCase().split(/\s+/))
      if (part !== '') words.add(part.slice(0, MAX_NEEDLE_UNITS));
    const needle = searchForm((phrase ?? word ?? '').slice(0, MAX_NEEDLE_UNITS)).trim();
    if (needle !== '') needles.add(needle);
  }
  return {
    needles: [...needles].slice(0, MAX_NEEDLES),
    words: [...words].slice(0, MAX_NEEDLES),
    without: without.map((word) => searchForm(word).trim()).filter((word) => word !== ''),
    phrase: [...needles].slice(0, MAX_NEEDLES).join(' '),
  };
}

function quoted(token: string): string {
  return `"${token.replaceAll('"', '""')}"`;
}

/**
 * A match of the index of words that every text passes in which the needles begin words; undefined when none has a letter or
 * digit. Characters of scripts without spaces are words there, so those are found anywhere.
 */
export function wordsMatch({ needles }: ContentQuery): string | undefined {
  const terms = new Set<string>();
  for (const needle of needles) {
    const tokens = spacedForm(needle).match(TOKEN) ?? [];
    for (const [at, token] of tokens.entries()) {
      terms.add(at === tokens.length - 1 ? `${quoted(token)}*` : quoted(token));
    }
  }
  return terms.size === 0 ? undefined : [...terms].slice(0, MAX_TRIGRAMS).join(' AND ');
}

/** A match of the index of substrings that every text with the needles passes; undefined when all are too short for it. */
export function trigramsMatch({ needles }: ContentQuery): string | undefined {
  const terms = new Set<string>();
  for (const needle of needles) {
    const characters = [...needle];
    for (let at = 0; at + 3 <= characters.length; at++) terms.add(quoted(characters.slice(at, at + 3).join('')));
  }
  return terms.size === 0 ? undefined : [...terms].slice(0, MAX_TRIGRAMS).join(' AND ');
}

/** Does a text hold every needle, and nothing that it must not? */
export function holdsAll(text: string, { needles, without }: ContentQuery): boolean {
  // Blank space matters to phrases alone, and most texts hold their words as they are.
  const isSpaced = [...needles, ...without].some((needle) => needle.includes(' '));
  const form = isSpaced ? searchForm(text) : foldedForm(text);
  return needles.every((needle) => form.includes(needle)) && !without.some((word) => form.includes(word));
}

/** Printable ASCII that JSON writes as it is. */
const PLAIN = /^[!#-.0-[\]-~]+$/;

/**
 * A cheap test of an entry's bytes that every entry passes whose text holds all needles. Of texts beyond ASCII, and of needles
 * that JSON would write in another way, it knows nothing.
 */
export function byteSieve({ needles }: ContentQuery): (bytes: Buffer) => boolean {
  const words = needles.flatMap((needle) => needle.split(' ')).filter((word) => PLAIN.test(word));
  return (bytes) => {
    if (!isAscii(bytes)) return true;
    const text = bytes.toString('latin1').toLowerCase();
    return text.includes('\\u') || words.every((word) => text.includes(word));
  };
}

const IN_WORD = /[\p{L}\p{M}\p{N}]/u;
/** So many places where a needle stands are looked at. */
const MAX_PLACES = 64;

/** Is there a word's edge between two characters? Scripts without spaces have one everywhere. */
function isEdge(before: string, after: string): boolean {
  if (!IN_WORD.test(before) || !IN_WORD.test(after)) return true;
  return isUnspaced(before) || isUnspaced(after);
}

/** The character that ends before `at`, '' for none; a pair of surrogates is one. */
function characterBefore(text: string, at: number): string {
  const isPair = at > 1 && /[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(at - 2, at));
  return text.slice(Math.max(0, at - (isPair ? 2 : 1)), at);
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function standsWhole(form: string, needle: string): boolean {
  const first = characterAt(needle, 0);
  const last = characterBefore(needle, needle.length);
  let at = form.indexOf(needle);
  for (let places = 0; at >= 0 && places < MAX_PLACES; places++) {
    const end = at + needle.length;
    if (isEdge(characterBefore(form, at), first) && isEdge(last, characterAt(form, end))) return true;
    at = form.indexOf(needle, at + 1);
  }
  return false;
}

/** How well a text that holds every needle does so. */
export function matchOf(text: string, { needles, phrase }: ContentQuery): Match {
  const form = searchForm(text);
  if (standsWhole(form, phrase)) return 'phrase';
  return needles.every((needle) => standsWhole(form, needle)) ? 'words' : 'parts';
}

const BEFORE_UNITS = 40;
const SNIPPET_UNITS = 160;
/** So much of a long text is looked at for its snippet. */
const NEAR_UNITS = 400;

/** Where in `text` its form reaches `units`: forms may be shorter or longer than their texts. */
function placeOf(text: string, units: number): number {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (searchForm(text.slice(0, middle)).length < units) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where all words stand side by side, or else where each of them stands first. */
function placesOf(form: string, { needles, phrase }: ContentQuery): readonly number[] {
  const whole = form.indexOf(phrase);
  return whole >= 0 ? [whole] : needles.map((needle) => form.indexOf(needle)).filter((at) => at >= 0);
}

/**
 * A piece of a text, in one line, with the first place where the phrase stands, or else a needle; `…` where something was left
 * out.
 */
export function snippetOf(text: string, query: ContentQuery): string {
  const folded = foldedForm(text);
  const places = placesOf(folded, query);
  const isExact = places.length > 0 && folded.length === text.length;
  // Only what lies around the place is made ready to be read.
  const from = isExact ? Math.max(0, Math.min(...places) - NEAR_UNITS) : 0;
  const near = isExact ? text.slice(from, Math.min(...places) + NEAR_UNITS * 2) : text;
  const line = near.replace(/\s+/g, ' ').trim();
  const form = searchForm(line);
  const inLine = placesOf(form, query);
  const first = inLine.length === 0 ? 0 : Math.min(...inLine);
  const at = form.length === line.length ? first : placeOf(line, first);
  let start = Math.max(0, at - BEFORE_UNITS);
  if (start > 0) {
    const space = line.indexOf(' ', start);
    if (space >= 0 && space < at) start = space + 1;
  }
  const end = Math.min(line.length, Math.max(start, at) + SNIPPET_UNITS);
  const piece = line
    .slice(start, end)
    .toWellFormed()
    .replace(/^\ufffd|\ufffd$/g, '');
  const isCutBefore = start > 0 || from > 0;
  const isCutBehind = end < line.length || from + near.length < text.length;
  return `${isCutBefore ? '…' : ''}${piece}${isCutBehind ? '…' : ''}`;
}
