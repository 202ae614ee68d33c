import { type Span, type Spans, type Style, span } from './spans.ts';
import { wrap } from './text.ts';

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6} /;
const QUOTE = /^ {0,3}>/;
const LIST_SIGN = /^\s*(?:[-*+]|\d{1,3}[.)])\s/;

/** Which signs of a line can be trusted to come in pairs. */
function pairsOf(line: string): { readonly code: boolean; readonly bold: boolean } {
  const count = (sign: string): number => line.split(sign).length - 1;
  return { code: count('`') > 0 && count('`') % 2 === 0, bold: count('**') > 0 && count('**') % 2 === 0 };
}

/** Styles code and bold within the pieces that one line was wrapped to; what opens on one piece may close on another. */
function inline(pieces: readonly string[], line: string, base: Style): Spans[] {
  const pairs = pairsOf(line);
  if (!pairs.code && !pairs.bold) return pieces.map((piece) => [span(piece, base)]);
  let isCode = false;
  let isBold = false;
  return pieces.map((piece) => {
    const spans: Span[] = [];
    for (const part of piece.split(/(`|\*\*)/)) {
      const opensOrCloses = part === '`' ? pairs.code : part === '**' && pairs.bold && !isCode;
      const style = (): Style => (isCode ? 'tool' : isBold ? 'strong' : base);
      const before = style();
      if (opensOrCloses && part === '`') isCode = !isCode;
      else if (opensOrCloses) isBold = !isBold;
      // The signs themselves belong to what they enclose.
      const own = opensOrCloses && style() === base ? before : style();
      if (part !== '') spans.push(span(part, own));
    }
    return spans;
  });
}

/**
 * A neutralised text as lines of at most so many cells, broken as `wrap` does, with headings, lists, quotes, code and bold
 * told apart by style alone: every character stays, so that what is read is what was written.
 */
export function markdownLines(text: string, cells: number, base: Style): Spans[] {
  const lines: Spans[] = [];
  let isFenced = false;
  for (const line of text.split('\n')) {
    const pieces = wrap(line, cells);
    const isFence = FENCE.test(line);
    if (isFence || isFenced) {
      for (const piece of pieces) lines.push([span(piece, isFence ? 'faint' : 'tool')]);
      if (isFence) isFenced = !isFenced;
    } else if (HEADING.test(line)) for (const piece of pieces) lines.push([span(piece, 'strong')]);
    else if (QUOTE.test(line)) for (const piece of pieces) lines.push([span(piece, 'faint')]);
    else lines.push(...listed(inline(pieces, line, base), line));
  }
  return lines;
}

/** The sign of a list's item stands out. */
function listed(lines: Spans[], line: string): Spans[] {
  const sign = LIST_SIGN.exec(line)?.[0] ?? '';
  const [first, ...rest] = lines;
  const [head, ...others] = first ?? [];
  if (sign === '' || head === undefined || !head.text.startsWith(sign)) return lines;
  return [[span(sign, 'accent'), span(head.text.slice(sign.length), head.style), ...others], ...rest];
}
