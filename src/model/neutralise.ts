const ESC = 0x1b;
const CAN = 0x18;
const SUB = 0x1a;
const BEL = 0x07;
const STRING_TERMINATOR = 0x9c;

/** Cheap test: does the text hold anything that must not reach the terminal as it is? (No quantifier: safe on any length.) */
const SUSPECT = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/u;

/**
 * Invisible characters and bidirectional controls, which take no cell or reorder what others see. Joiners and the two
 * variation selectors for text and emoji stay: emoji and Persian need them.
 */
const INVISIBLE = /(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb]/gu;

/** A mark with nothing to stand on would be drawn over its neighbour. */
const LEADING_MARKS = /^(?:\p{M}|\u200c|\u200d)+/gmu;

const MARKS = /\p{M}|\u200c|\u200d/u;

function isFinal(code: number): boolean {
  return code >= 0x40 && code <= 0x7e;
}

/** The index after the CSI sequence whose parameters begin at `at`. */
function skipControlSequence(text: string, at: number): number {
  let index = at;
  for (; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isFinal(code)) return index + 1;
    if (code < 0x20 || code > 0x3f) break;
  }
  return index;
}

/**
 * The index after the string sequence (OSC, DCS, APC, PM, SOS) whose content begins at `at`; `at` itself when it has no
 * end, so that one stray introducer does not swallow a text. Content stops at any other control, hence linear.
 */
function skipString(text: string, at: number): number {
  for (let index = at; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === BEL || code === STRING_TERMINATOR) return index + 1;
    if (code === ESC) return text.charCodeAt(index + 1) === 0x5c ? index + 2 : at;
    if (code === CAN || code === SUB) return index + 1;
    if (code < 0x20 || (code >= 0x80 && code <= 0x9f)) return at;
  }
  return at;
}

function isStringIntroducer(c1: number): boolean {
  return c1 === 0x90 || c1 === 0x98 || c1 === 0x9d || c1 === 0x9e || c1 === 0x9f;
}

/** The index after the escape sequence at `at`, where ESC or a C1 control stands. */
function skipSequence(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first !== ESC) {
    if (first === 0x9b) return skipControlSequence(text, at + 1);
    return isStringIntroducer(first) ? skipString(text, at + 1) : at + 1;
  }
  let index = at + 1;
  const second = text.charCodeAt(index);
  if (second === 0x5b) return skipControlSequence(text, index + 1);
  if (second >= 0x40 && second <= 0x5f) {
    return isStringIntroducer(second + 0x40) ? skipString(text, index + 1) : index + 1;
  }
  while (index < text.length && text.charCodeAt(index) >= 0x20 && text.charCodeAt(index) <= 0x2f) index++;
  const last = text.charCodeAt(index);
  return last >= 0x30 && last <= 0x7e ? index + 1 : index;
}

function stripControls(text: string, isKept: (code: number) => string | undefined): string {
  let result = '';
  let from = 0;
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index);
    if (code >= 0x20 && (code < 0x7f || code > 0x9f)) {
      index++;
      continue;
    }
    result += text.slice(from, index);
    const replacement = isKept(code);
    if (replacement !== undefined) result += replacement;
    index = code === ESC || code >= 0x80 ? skipSequence(text, index) : index + 1;
    from = index;
  }
  return result + text.slice(from);
}

/** Emoji that terminals draw in one cell or four where others take two. */
const UNSTEADY = /\u200d|\ufe0e|\ufe0f|\u20e3|[\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}]/u;

const JOINED = /(\p{Extended_Pictographic})(?:\u200d\p{Extended_Pictographic})+/gu;

/**
 * Emoji in the form whose width no terminal doubts: without skin tone and presentation selector, the first of a joined
 * group, a flag as its two letters. A row that is a cell too wide for one terminal breaks the whole screen there.
 */
function steady(text: string): string {
  if (!UNSTEADY.test(text)) return text;
  return text
    .replace(/\ufe0e|\ufe0f|\u20e3|[\u{1f3fb}-\u{1f3ff}]/gu, '')
    .replace(/[\u{1f1e6}-\u{1f1ff}]/gu, (flag) => String.fromCharCode((flag.codePointAt(0) ?? 0) - 0x1f1e6 + 0x41))
    .replace(JOINED, '$1');
}

/** Most texts hold nothing else, and the first use of the tables of Unicode is slow. */
function isPrintableAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

function clean(text: string, isKept: (code: number) => string | undefined): string {
  if (isPrintableAscii(text)) return text;
  const visible = SUSPECT.test(text)
    ? stripControls(text.toWellFormed(), isKept)
        .replace(/[\u2028\u2029]/g, ' ')
        .replace(INVISIBLE, '')
    : text;
  const drawn = steady(visible);
  return MARKS.test(drawn) ? drawn.replace(LEADING_MARKS, '') : drawn;
}

/**
 * A text from disk as one line that is safe to draw: escape sequences go as a whole, other controls, bidirectional overrides
 * and invisible characters too; line breaks and tabs become spaces, runs of them one (field report X01). Linear.
 */
export function neutraliseLine(text: string): string {
  const line = clean(text, (code) => (code >= 0x09 && code <= 0x0d ? ' ' : undefined));
  return line.includes('  ') ? line.replace(/ {2,}/g, ' ').trim() : line.trim();
}

/** The same for a text of several lines: line breaks stay as `\n`, tabs become four spaces. */
export function neutraliseBlock(text: string): string {
  const unix = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return clean(unix, (code) => (code === 0x0a ? '\n' : code === 0x09 ? '    ' : undefined));
}
