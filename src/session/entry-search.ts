import type { EntryReader } from './entry-reader.ts';
import { searchableText } from './entry-reader.ts';
import type { SessionFile } from './scan.ts';
import { kindAt, type Skeleton } from './skeleton.ts';

const CHUNK_BYTES = 1024 * 1024;
/** How far behind an answer the results of its calls are looked for. */
const MAX_RESULTS = 256;

const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;

/** One character as it may stand in a line of JSON, as a pattern over its bytes read as Latin-1. */
function characterPattern(character: string): string {
  if (/[a-z]/.test(character)) return `[${character}${character.toUpperCase()}]`;
  const upper = character.toUpperCase();
  // A few letters have more forms than two: anything beyond ASCII passes for them.
  if (upper.length !== character.length) return '(?:[\\x80-\\xff]{2,4}|\\\\u[0-9a-fA-F]{4})';
  const patterns: string[] = [];
  // Digraphs such as ǳ have a third form, Dz, which stands between the two others.
  const between = String.fromCodePoint((upper.codePointAt(0) ?? 0) + 1);
  const title = between.toLowerCase() === character ? between : character;
  for (const form of new Set([character, upper, title])) {
    const bytes = Buffer.from(JSON.stringify(form).slice(1, -1), 'utf8').toString('latin1');
    patterns.push(bytes.replace(SPECIAL, '\\$&'));
    // ASCII is never written as \u…; the rest may be.
    if (form.charCodeAt(0) >= 0x7f) patterns.push(form.split('').map(escapePattern).join(''));
  }
  if (character === '/') patterns.push('\\\\\\/');
  return patterns.length === 1 ? (patterns[0] ?? '') : `(?:${patterns.join('|')})`;
}

function escapePattern(unit: string): string {
  const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
  return `\\\\u${hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)}`;
}

/**
 * A cheap test of raw bytes that every entry with the word passes, and few others: JSON escapes and both cases are thought
 * of. Text that is made up for the screen (the call that a result is drawn as) is not among the bytes.
 */
export function wordPattern(word: string): RegExp {
  return new RegExp(Array.from(word, characterPattern).join(''), 'g');
}

/** Is each of the words within a text? */
function hasAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** What a search needs to know beside the file. */
export interface SearchScope {
  readonly skeleton: Skeleton;
  readonly reader: EntryReader;
  /** Positions to look at, ascending; undefined for all. */
  readonly within: Int32Array | undefined;
}

/**
 * Finds the entries of every branch whose whole text or label holds all words, in file order. Yields the hits found since
 * the last step, often none, so that a caller can pause, stop or show them.
 */
export function* searchEntries(file: SessionFile, words: readonly string[], scope: SearchScope): Generator<number[]> {
  const { skeleton, reader, within } = scope;
  const labels = new Map(skeleton.labels.map(({ at, label }) => [at, label]));
  const longest = words.reduce((a, b) => (b.length > a.length ? b : a), '');
  if (longest === '') return;
  const candidates =
    within === undefined ? candidatesIn(file, skeleton, wordPattern(longest), labels) : inSteps(within);
  for (const ats of candidates) {
    let hits: number[] = [];
    for (const [index, at] of ats.entries()) {
      const entry = reader.entryAt(at);
      const own = entry === undefined ? '' : searchableText(entry, reader.callsFor(entry, at));
      const named = `${kindAt(skeleton, at).role ?? ''}\n${labels.get(at) ?? ''}`;
      if (hasAll(`${named}\n${own}`, words)) hits.push(at);
      if (index % 64 !== 63) continue;
      yield hits;
      hits = [];
    }
    yield hits;
  }
}

function* inSteps(ats: Int32Array): Generator<number[]> {
  for (let from = 0; from < ats.length; from += 64) yield Array.from(ats.subarray(from, from + 64));
}

/** The entries whose bytes hold a pattern, those with labels, and results of calls that hold it; a chunk at a time. */
function* candidatesIn(
  file: SessionFile,
  skeleton: Skeleton,
  pattern: RegExp,
  labels: ReadonlyMap<number, string>,
): Generator<number[]> {
  const { offsets, lengths } = skeleton;
  const isCandidate = new Uint8Array(offsets.length);
  for (const at of labels.keys()) isCandidate[at] = 1;
  let from = 0;
  while (from < offsets.length) {
    const start = offsets[from] ?? 0;
    let to = from;
    let end = start;
    // Whole entries only, so that no match is cut.
    while (to < offsets.length && (to === from || end - start < CHUNK_BYTES)) {
      end = (offsets[to] ?? 0) + (lengths[to] ?? 0);
      to++;
    }
    const text = file.read(start, Math.max(0, end - start)).toString('latin1');
    let at = from;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      while (at < to && (offsets[at] ?? 0) + (lengths[at] ?? 0) <= start + match.index) at++;
      if (at >= to) break;
      isCandidate[at] = 1;
      if (kindAt(skeleton, at).role === 'assistant') markResults(skeleton, at, isCandidate);
      at++;
      pattern.lastIndex = Math.max(pattern.lastIndex, (offsets[at] ?? end) - start);
    }
    const found: number[] = [];
    for (at = from; at < to; at++) if (isCandidate[at] === 1) found.push(at);
    yield found;
    from = to;
  }
}

/** Results are drawn as the calls that they answer, whose words stand in the answer above them. */
function markResults(skeleton: Skeleton, assistantAt: number, isCandidate: Uint8Array): void {
  const { parents } = skeleton;
  const chain = new Set([assistantAt]);
  for (let at = assistantAt + 1; at < parents.length && at - assistantAt <= MAX_RESULTS; at++) {
    if (!chain.has(parents[at] ?? -1)) continue;
    const { role } = kindAt(skeleton, at);
    if (role === 'assistant') return;
    chain.add(at);
    if (role === 'toolResult') isCandidate[at] = 1;
  }
}
