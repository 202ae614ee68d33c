import { foldText, splitQuery } from '../session/prompt-words.ts';
import { neutraliseLine } from './neutralise.ts';

/** Marks of one word in one text: nobody counts more. */
const MAX_MARKS = 100;
/** Of a longer prompt the list looks at the part around the first hit. */
const MAX_UNITS = 4_000;

type Range = readonly [from: number, to: number];

/** A text without case and accents, and where each of its units came from. */
interface Folded {
  readonly text: string;
  /** UTF-16 units of the original: where the character behind each unit of `text` begins, and the whole length at the end. */
  readonly starts: readonly number[];
}

function foldWithPlaces(text: string): Folded {
  let folded = '';
  const starts: number[] = [];
  let at = 0;
  for (const character of text) {
    const part = foldText(character);
    for (let unit = 0; unit < part.length; unit++) starts.push(at);
    folded += part;
    at += character.length;
  }
  starts.push(text.length);
  return { text: folded, starts };
}

function rangesOf(word: string, { text, starts }: Folded): Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf(word); at >= 0 && ranges.length < MAX_MARKS; at = text.indexOf(word, at + word.length)) {
    const from = starts[at] ?? 0;
    // An accent that folding dropped belongs to the letter before it.
    const to = starts[at + word.length] ?? from;
    if (to > from) ranges.push([from, to]);
  }
  return ranges;
}

/** Words as they are compared; a word that stands nowhere as it was typed is looked for by its letters and digits. */
function foldedWords(query: string): readonly string[] {
  return [...new Set(splitQuery(query).map(foldText))].filter((word) => word !== '');
}

/** Where the words of a query stand in a text, without regard to case and accents: sorted, disjoint, in UTF-16 units. */
export function promptRanges(text: string, query: string): readonly Range[] {
  const words = foldedWords(query);
  if (words.length === 0) return [];
  const folded = foldWithPlaces(text);
  const ranges = words.flatMap((word) => {
    const whole = rangesOf(word, folded);
    if (whole.length > 0) return whole;
    return (word.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((part) => rangesOf(part, folded));
  });
  const merged: [number, number][] = [];
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** A prompt as one line for the list. Of a very long one, the part around the first hit. Neutralised. */
export function promptLine(prompt: string, query: string): string {
  if (prompt.length <= MAX_UNITS) return neutraliseLine(prompt);
  const folded = foldText(prompt);
  const hits = foldedWords(query).map((word) => folded.indexOf(word));
  const first = Math.max(0, Math.min(...hits.filter((at) => at >= 0), prompt.length));
  // Folding moves places a little: what is cut only has to be near.
  const from = hits.length === 0 || first < MAX_UNITS / 2 || first === prompt.length ? 0 : first - MAX_UNITS / 4;
  return (from > 0 ? '… ' : '') + neutraliseLine(prompt.slice(from, from + MAX_UNITS).toWellFormed());
}
