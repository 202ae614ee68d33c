import { plainWidth, unitsOf } from '../../src/model/plain-width.ts';

const ESCAPE = 0x1b;
/** What ends both bold and dim, which may stand together. */
const INTENSITY_END = '22';
const ENDS = new Set([INTENSITY_END, '23', '24', '27', '28', '29', '39', '49']);

/** The codes that style a character, in the order in which they came. */
type Codes = readonly string[];

/** The code that ends a style; undefined for one that is not known here. */
function closingOf(code: string): string | undefined {
  if (/^(?:38|48);(?:5;\d+|2;\d+;\d+;\d+)$/.test(code)) return code.startsWith('3') ? '39' : '49';
  const number = /^\d{1,3}$/.test(code) ? Number(code) : 0;
  if ((number >= 30 && number <= 37) || (number >= 90 && number <= 97)) return '39';
  if ((number >= 40 && number <= 47) || (number >= 100 && number <= 107)) return '49';
  if (number === 1 || number === 2) return INTENSITY_END;
  return [3, 4, 7, 8, 9].includes(number) ? String(number + 20) : undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what begins a sequence
const SEQUENCE = /\u001b\[([\d;]*)m/y;

/** The styles behind a code; undefined when the code is not known here. */
function apply(styles: Codes, code: string): Codes | undefined {
  const end = closingOf(code);
  if (end === undefined) return ENDS.has(code) ? styles.filter((style) => closingOf(style) !== code) : undefined;
  if (end === INTENSITY_END) return styles.includes(code) ? styles : [...styles, code];
  return [...styles.filter((style) => closingOf(style) !== end), code];
}

/** The least that brings about what a row of codes does; undefined when one is not known here. */
export function shortened(codes: string): string | undefined {
  let styles: Codes = [];
  for (let at = 0; at < codes.length; at = SEQUENCE.lastIndex) {
    SEQUENCE.lastIndex = at;
    const next = apply(styles, SEQUENCE.exec(codes)?.[1] ?? '');
    if (next === undefined) return undefined;
    styles = next;
  }
  return transition([], styles);
}

/** What Ink puts between a character of some styles and one of others: the least that does it. */
export function transition(from: Codes, to: Codes): string {
  if (from === to) return '';
  const isIntensity = (code: string): boolean => closingOf(code) === INTENSITY_END;
  const ended = from.filter((code) =>
    isIntensity(code) ? !to.includes(code) : to.every((other) => closingOf(other) !== closingOf(code)),
  );
  const endsIntensity = ended.some(isIntensity);
  const begun = to.filter((code) => !from.includes(code) || (endsIntensity && isIntensity(code)));
  const codes = new Set([...ended.map(closingOf).reverse(), ...begun]);
  return Array.from(codes, (code) => `\u001b[${code}m`).join('');
}

/** A text as Ink puts it out. */
export interface Plain {
  /** Without what opens the styles of its first character and closes those of its last. */
  readonly body: string;
  readonly widthCells: number;
  readonly first: Codes;
  readonly last: Codes;
}

/** A text of plain characters in known styles; undefined for any other. */
export function readPlain(text: string): Plain | undefined {
  let [body, widthCells] = ['', 0];
  let first: Codes | undefined;
  let last: Codes = [];
  let styles: Codes = [];
  for (let at = 0; at < text.length; ) {
    if (text.charCodeAt(at) === ESCAPE) {
      SEQUENCE.lastIndex = at;
      const next = apply(styles, SEQUENCE.exec(text)?.[1] ?? '');
      if (next === undefined) return undefined;
      styles = next;
      at = SEQUENCE.lastIndex;
      continue;
    }
    const start = at;
    while (at < text.length && text.charCodeAt(at) !== ESCAPE) {
      const codePoint = text.codePointAt(at) ?? 0;
      const cells = plainWidth(codePoint);
      if (cells === 0) return undefined;
      widthCells += cells;
      at += unitsOf(codePoint);
    }
    if (first === undefined) first = styles;
    else body += transition(last, styles);
    body += text.slice(start, at);
    last = styles;
  }
  return { body, widthCells, first: first ?? [], last };
}

/** The whole of it. */
export function plainText({ body, first, last }: Plain): string {
  return transition([], first) + body + transition(last, []);
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
