import { fitUnits, widthCells } from './text.ts';

/** What a piece of text means; the theme says how it looks. */
export type Style =
  | 'plain'
  | 'strong'
  | 'faint'
  | 'match'
  | 'accent'
  | 'live'
  | 'danger'
  | 'warning'
  | 'label'
  | 'user'
  | 'assistant'
  | 'tool';

/** A piece of one line. Its text is neutralised and holds no line break. */
export interface Span {
  readonly text: string;
  readonly style: Style;
}

/** One line of the screen. */
export type Spans = readonly Span[];

export const span = (text: string, style: Style = 'plain'): Span => ({ text, style });

/** Cells that the pieces take. */
export function spansWidth(spans: Spans): number {
  return spans.reduce((sum, { text }) => sum + widthCells(text), 0);
}

/** The pieces cut or filled to exactly so many cells; what was cut ends in an ellipsis. */
export function fitSpans(spans: Spans, cells: number): Spans {
  if (cells <= 0) return [];
  const width = spansWidth(spans);
  if (width <= cells) return width === cells ? spans : [...spans, span(' '.repeat(cells - width))];
  const result: Span[] = [];
  let room = cells - 1;
  for (const { text, style } of spans) {
    const { units, width: taken } = fitUnits(text, room);
    room -= taken;
    if (units === text.length) {
      result.push({ text, style });
      continue;
    }
    result.push({ text: `${text.slice(0, units)}…`, style }, span(' '.repeat(room)));
    return result;
  }
  return [...result, span('…')];
}

/** Left and right text of one line with the space between them; the left one is cut first. */
export function spread(left: Spans, right: Spans, cells: number): Spans {
  const rightWidth = spansWidth(right);
  if (rightWidth === 0) return fitSpans(left, cells);
  if (rightWidth + 2 > cells) return fitSpans(left, cells);
  return [...fitSpans(left, cells - rightWidth - 1), span(' '), ...right];
}

/** A text in pieces, the ranges (UTF-16, sorted, disjoint) in another style. */
export function highlight(text: string, ranges: readonly (readonly [number, number])[], style: Style): Spans {
  const result: Span[] = [];
  let at = 0;
  for (const [from, to] of ranges) {
    if (from > at) result.push(span(text.slice(at, from), style));
    result.push(span(text.slice(from, to), 'match'));
    at = to;
  }
  if (at < text.length) result.push(span(text.slice(at), style));
  return result;
}
