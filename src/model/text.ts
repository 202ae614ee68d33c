import stringWidth from 'string-width';
import { plainWidth, unitsOf } from './plain-width.ts';

const ELLIPSIS = '…';

/** Cells of a text of plain characters alone; -1 for any other. */
function plainTextWidth(text: string): number {
  let width = 0;
  for (let index = 0; index < text.length; ) {
    const codePoint = text.codePointAt(index) ?? 0;
    const cells = plainWidth(codePoint);
    if (cells === 0) return -1;
    width += cells;
    index += unitsOf(codePoint);
  }
  return width;
}

let segmenter: Intl.Segmenter | undefined;

/** The characters as a reader counts them. The first text that needs it pays for `Intl.Segmenter`; plain ones never do. */
export function graphemes(text: string): string[] {
  if (plainTextWidth(text) >= 0) return Array.from(text);
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Cells of one grapheme. A grapheme that seems to have none still takes the cell that Ink gives it. */
function graphemeWidth(grapheme: string): number {
  const plain = plainTextWidth(grapheme);
  return plain > 0 ? plain : Math.max(1, stringWidth(grapheme, { countAnsiEscapeCodes: true }));
}

/** Cells that a neutralised text without line breaks takes, as Ink counts them. */
export function widthCells(text: string): number {
  const plain = plainTextWidth(text);
  return plain >= 0 ? plain : graphemes(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

/** How many UTF-16 units of a text fit into so many cells, cut between graphemes, and the cells they take. */
export function fitUnits(text: string, cells: number): { readonly units: number; readonly width: number } {
  // A huge text is cut before it is measured: a grapheme of more than 32 units is no writing.
  const head = text.length > cells * 32 ? text.slice(0, Math.max(0, cells) * 32) : text;
  let units = 0;
  let width = 0;
  for (const grapheme of graphemes(head)) {
    const next = width + graphemeWidth(grapheme);
    if (next > cells) break;
    width = next;
    units += grapheme.length;
  }
  return { units, width };
}

/** The text, or as much of it as fits into so many cells with an ellipsis at its end; '' for no cells. */
export function truncate(text: string, cells: number): string {
  if (cells <= 0) return '';
  if (text.length <= cells * 32 && widthCells(text) <= cells) return text;
  const { units } = fitUnits(text, cells - 1);
  return text.slice(0, units) + ELLIPSIS;
}

/** The text, or its end behind an ellipsis; for paths, whose end tells more. */
export function truncateStart(text: string, cells: number): string {
  if (cells <= 0) return '';
  const tail = text.length > cells * 32 ? text.slice(-cells * 32) : text;
  if (tail === text && widthCells(text) <= cells) return text;
  let width = 1;
  let result = '';
  for (const grapheme of graphemes(tail).reverse()) {
    width += graphemeWidth(grapheme);
    if (width > cells) break;
    result = grapheme + result;
  }
  return ELLIPSIS + result;
}

/** The text cut or filled with spaces to exactly so many cells. */
export function fit(text: string, cells: number): string {
  const cut = truncate(text, cells);
  return cut + ' '.repeat(Math.max(0, cells - widthCells(cut)));
}

/** The same with the spaces before it. */
export function fitEnd(text: string, cells: number): string {
  const cut = truncate(text, cells);
  return ' '.repeat(Math.max(0, cells - widthCells(cut))) + cut;
}

/**
 * A neutralised text as lines of at most so many cells: broken at its own line breaks, at spaces, and within a word that is
 * longer than a line. A grapheme wider than the line is replaced by `?`. Linear; `maxLines` ends the work early.
 */
export function wrap(text: string, cells: number, maxLines = Number.POSITIVE_INFINITY): string[] {
  const lines: string[] = [];
  if (cells <= 0) return lines;
  for (let from = 0; from <= text.length && lines.length < maxLines; ) {
    const end = text.indexOf('\n', from);
    wrapLine(text.slice(from, end < 0 ? text.length : end), cells, maxLines, lines);
    if (end < 0) break;
    from = end + 1;
  }
  return lines;
}

function wrapLine(line: string, cells: number, maxLines: number, lines: string[]): void {
  let current = '';
  let width = 0;
  // Where the current line may be broken: units and cells up to and including the last space.
  let breakUnits = 0;
  let breakWidth = 0;
  for (const wide of graphemes(line)) {
    const grapheme = graphemeWidth(wide) > cells ? '?' : wide;
    const size = graphemeWidth(grapheme);
    if (width + size > cells) {
      if (grapheme === ' ') {
        // A space at the end of a full line is the break.
        breakUnits = current.length;
        breakWidth = width;
        continue;
      }
      const cut = breakUnits > 0 ? breakUnits : current.length;
      lines.push(current.slice(0, cut).trimEnd());
      if (lines.length >= maxLines) return;
      current = current.slice(cut);
      width -= breakUnits > 0 ? breakWidth : width;
      breakUnits = 0;
    }
    current += grapheme;
    width += size;
    if (grapheme === ' ') {
      breakUnits = current.length;
      breakWidth = width;
    }
  }
  lines.push(current.trimEnd());
}
