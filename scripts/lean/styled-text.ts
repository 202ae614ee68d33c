import { plainWidth, unitsOf } from '../../src/model/plain-width.ts';

const ESCAPE = 0x1b;
const INTENSITY_END = '22';

/** The code that ends a style; undefined for one that is not known here. */
function closingOf(code: string): string | undefined {
  if (/^(?:38|48);(?:5;\d+|2;\d+;\d+;\d+)$/.test(code)) return code.startsWith('3') ? '39' : '49';
  const number = /^\d{1,3}$/.test(code) ? Number(code) : 0;
  if ((number >= 30 && number <= 37) || (number >= 90 && number <= 97)) return '39';
  if ((number >= 40 && number <= 47) || (number >= 100 && number <= 107)) return '49';
  if (number === 1 || number === 2) return INTENSITY_END;
  return [3, 4, 7, 8, 9].includes(number) ? String(number + 20) : undefined;
}

/** A text that Ink puts out as it is. */
export interface Plain {
  readonly widthCells: number;
  /** The codes that its first and its last character are styled by; empty for none. */
  readonly first: readonly string[];
  readonly last: readonly string[];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what begins a sequence
const SEQUENCE = /\u001b\[([\d;]*)m/y;

/** What opens styles, and what closes them, the last one first. */
export function opening(codes: readonly string[]): string {
  return codes.map((code) => `\u001b[${code}m`).join('');
}

export function closing(codes: readonly string[]): string {
  return codes
    .map((code) => `\u001b[${closingOf(code)}m`)
    .reverse()
    .join('');
}

/**
 * What Ink puts between a character styled by `left` and one styled by `right`: `both` closing and opening, or `neither`
 * where the styles are the same; undefined where it would do something else.
 */
export function between(left: readonly string[], right: readonly string[]): 'both' | 'neither' | undefined {
  if (left.length > 0 && left.join() === right.join()) return 'neither';
  const isOwn = right.every((code) => {
    const end = closingOf(code);
    // Bold and dim are closed by the same code, and yet each by its own.
    return left.every((other) => closingOf(other) !== end || (end === INTENSITY_END && other !== code));
  });
  return isOwn ? 'both' : undefined;
}

/** The codes that are opened at `at`, and the index behind them; undefined for what is not known here. */
function readCodes(
  text: string,
  at: number,
): { readonly codes: readonly string[]; readonly behind: number } | undefined {
  const codes: string[] = [];
  const ends = new Set<string>();
  let behind = at;
  while (text.charCodeAt(behind) === ESCAPE) {
    SEQUENCE.lastIndex = behind;
    const code = SEQUENCE.exec(text)?.[1] ?? '';
    const end = closingOf(code);
    if (end === undefined || ends.has(end)) return undefined;
    ends.add(end);
    codes.push(code);
    behind = SEQUENCE.lastIndex;
  }
  return { codes, behind };
}

/**
 * Reads a text of plain characters, in which each style is opened before a run of them and closed behind it, the last one
 * first; undefined for any other, of which Ink would make something else.
 */
export function readPlain(text: string): Plain | undefined {
  let [widthCells, at] = [0, 0];
  let first: readonly string[] | undefined;
  let last: readonly string[] = [];
  while (at < text.length) {
    const opened = readCodes(text, at);
    if (opened === undefined) return undefined;
    const { codes } = opened;
    if (at > 0 && between(last, codes) !== 'both') return undefined;
    first ??= codes;
    at = opened.behind;
    const from = widthCells;
    while (at < text.length && text.charCodeAt(at) !== ESCAPE) {
      const codePoint = text.codePointAt(at) ?? 0;
      const cells = plainWidth(codePoint);
      if (cells === 0) return undefined;
      widthCells += cells;
      at += unitsOf(codePoint);
    }
    const end = closing(codes);
    if (widthCells === from || !text.startsWith(end, at)) return undefined;
    at += end.length;
    last = codes;
  }
  return { widthCells, first: first ?? [], last };
}

/** Is every style closed at the end, so that nothing of it reaches the next line? */
export function isClosed(line: string): boolean {
  const open = new Set<string>();
  for (let at = line.indexOf('\u001b'); at >= 0; at = line.indexOf('\u001b', at + 1)) {
    SEQUENCE.lastIndex = at;
    const code = SEQUENCE.exec(line)?.[1];
    if (code === undefined) return false;
    const end = closingOf(code);
    if (end !== undefined) open.add(end);
    else if (!open.delete(code)) return false;
  }
  return open.size === 0;
}
