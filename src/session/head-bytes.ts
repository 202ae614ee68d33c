/**
 * Where the parts of a line's head lie in its chunk, found without making strings of them: the fixed shape that the
 * family's writers give every entry. One object is filled again and again.
 */
export interface HeadBytes {
  typeStart: number;
  typeEnd: number;
  idStart: number;
  idEnd: number;
  /** -1: the parent is null. */
  parentStart: number;
  parentEnd: number;
  timeStart: number;
  timeEnd: number;
  /** -1: no message, or none whose role comes first. */
  roleStart: number;
  roleEnd: number;
}

/** How far into a line its head can reach. */
const HEAD_BYTES = 320;
const [QUOTE, BACKSLASH, UNDERSCORE, CLOSE_BRACE] = [0x22, 0x5c, 0x5f, 0x7d] as const;

/** An empty one, to be filled. */
export function makeHeadBytes(): HeadBytes {
  const none = { parentStart: -1, parentEnd: -1, roleStart: -1, roleEnd: -1 };
  return { typeStart: 0, typeEnd: 0, idStart: 0, idEnd: 0, timeStart: 0, timeEnd: 0, ...none };
}

/** Do these bytes stand at `at`? */
export function standsAt(chunk: Uint8Array, at: number, bytes: Uint8Array): boolean {
  for (let index = 0; index < bytes.length; index++) if (chunk[at + index] !== bytes[index]) return false;
  return true;
}

/** A text of four bytes and more as words, which are compared four times as fast; the last word may overlap the one before. */
interface Words {
  readonly length: number;
  readonly words: Uint32Array;
  readonly last: number;
}

function wordsOf(text: string): Words {
  const bytes = new TextEncoder().encode(text);
  const view = new DataView(bytes.buffer);
  const words = Uint32Array.from({ length: bytes.length >> 2 }, (_, index) => view.getUint32(index * 4, true));
  return { length: bytes.length, words, last: view.getUint32(bytes.length - 4, true) };
}

function wordsStandAt(view: DataView, at: number, { length, words, last }: Words): boolean {
  if (at + length > view.byteLength) return false;
  for (let index = 0; index < words.length; index++) {
    if (view.getUint32(at + index * 4, true) !== words[index]) return false;
  }
  return view.getUint32(at + length - 4, true) === last;
}

const TYPE = wordsOf('{"type":"');
const ID = wordsOf('","id":"');
const PARENT = wordsOf('","parentId":');
const NULL = wordsOf('null');
const TIME = wordsOf(',"timestamp":"');
const ROLE = wordsOf('","message":{"role":"');
const SESSION = wordsOf('session"');
const TITLE = wordsOf('title"');

/** The position of the quote that ends a string without escapes; -1 when there is none before `limit`, or nothing in it. */
function endOfPlainString(chunk: Uint8Array, from: number, limit: number): number {
  for (let at = from; at < limit; at++) {
    const byte = chunk[at];
    if (byte === QUOTE) return at === from ? -1 : at;
    if (byte === BACKSLASH) return -1;
  }
  return -1;
}

/** The position behind a word of letters (and underscores); -1 when no quote follows it. */
function endOfWord(chunk: Uint8Array, from: number, limit: number, hasCapitals: boolean): number {
  let at = from;
  for (; at < limit; at++) {
    const byte = chunk[at] ?? 0;
    const isLetter =
      (byte >= 0x61 && byte <= 0x7a) || (hasCapitals ? byte >= 0x41 && byte <= 0x5a : byte === UNDERSCORE);
    if (!isLetter) break;
  }
  return at > from && chunk[at] === QUOTE ? at : -1;
}

/**
 * Finds the head of the line from `start` to `end` of a chunk, of which `view` shows the same bytes; false when it has another shape or does not end as an object does, so
 * that it must be parsed. As `glanceAtLine`, and what lies behind the head is not verified either; whether two values are
 * glued together on the line is the caller's to look for.
 */
export function findHead(chunk: Uint8Array, view: DataView, start: number, end: number, head: HeadBytes): boolean {
  let last = end - 1;
  while (last > start && (chunk[last] ?? 0) <= 0x20) last--;
  if (chunk[last] !== CLOSE_BRACE || !wordsStandAt(view, start, TYPE)) return false;
  const limit = Math.min(end, start + HEAD_BYTES);
  head.typeStart = start + TYPE.length;
  head.typeEnd = endOfWord(chunk, head.typeStart, limit, false);
  if (head.typeEnd < 0 || !wordsStandAt(view, head.typeEnd, ID)) return false;
  if (wordsStandAt(view, head.typeStart, SESSION) || wordsStandAt(view, head.typeStart, TITLE)) return false;
  head.idStart = head.typeEnd + ID.length;
  head.idEnd = endOfPlainString(chunk, head.idStart, limit);
  if (head.idEnd < 0 || !wordsStandAt(view, head.idEnd, PARENT)) return false;
  const parent = head.idEnd + PARENT.length;
  let behind: number;
  if (chunk[parent] === QUOTE) {
    head.parentStart = parent + 1;
    head.parentEnd = endOfPlainString(chunk, head.parentStart, limit);
    if (head.parentEnd < 0) return false;
    behind = head.parentEnd + 1;
  } else {
    if (!wordsStandAt(view, parent, NULL)) return false;
    head.parentStart = -1;
    head.parentEnd = -1;
    behind = parent + NULL.length;
  }
  if (!wordsStandAt(view, behind, TIME)) return false;
  head.timeStart = behind + TIME.length;
  head.timeEnd = endOfPlainString(chunk, head.timeStart, limit);
  if (head.timeEnd < 0) return false;
  findRole(chunk, view, limit, head);
  return true;
}

function findRole(chunk: Uint8Array, view: DataView, limit: number, head: HeadBytes): void {
  const start = head.timeEnd + ROLE.length;
  head.roleEnd = wordsStandAt(view, head.timeEnd, ROLE) ? endOfWord(chunk, start, limit, true) : -1;
  head.roleStart = head.roleEnd < 0 ? -1 : start;
}

/** The number that `count` digits make; below zero when one is none. */
function digits(chunk: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at++) {
    const digit = (chunk[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return -1e9;
    value = value * 10 + digit;
  }
  return value;
}

const ISO_LENGTH = '0000-00-00T00:00:00.000Z'.length;
const [DASH, COLON, DOT, LETTER_T, LETTER_Z] = [0x2d, 0x3a, 0x2e, 0x54, 0x5a] as const;
const DAY_MS = 86_400_000;

/** Days from 1970-01-01 to a date of the Gregorian calendar. */
function daysTo(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return (
    era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
  );
}

/** Epoch ms of a time as `toISOString` writes it; NaN for any other form. */
export function isoTimeMs(chunk: Uint8Array, start: number, end: number): number {
  const isShaped =
    end - start === ISO_LENGTH &&
    chunk[start + 4] === DASH &&
    chunk[start + 7] === DASH &&
    chunk[start + 10] === LETTER_T &&
    chunk[start + 13] === COLON &&
    chunk[start + 16] === COLON &&
    chunk[start + 19] === DOT &&
    chunk[start + 23] === LETTER_Z;
  if (!isShaped) return Number.NaN;
  const year = digits(chunk, start, 4);
  const month = digits(chunk, start + 5, 2);
  const day = digits(chunk, start + 8, 2);
  const hour = digits(chunk, start + 11, 2);
  const minute = digits(chunk, start + 14, 2);
  const second = digits(chunk, start + 17, 2);
  const ms = digits(chunk, start + 20, 3);
  const isDate = year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  const isTime = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60 && ms >= 0;
  if (!isDate || !isTime) return Number.NaN;
  return daysTo(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1_000 + ms;
}
