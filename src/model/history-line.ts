import { age } from './age.ts';
import { promptLine, promptRanges } from './history-match.ts';
import type { PromptGroup } from './history-state.ts';
import { countText, projectText } from './row-text.ts';
import { fitSpans, highlight, type Span, type Spans, span } from './spans.ts';
import { fit, fitEnd, widthCells } from './text.ts';

/** Widths of a row's columns in cells; 0 for one that has no room or is not wanted. */
export interface PromptColumns {
  readonly prompt: number;
  readonly project: number;
  readonly count: number;
  readonly age: number;
}

const MARKER_CELLS = 2;

/** Divides the width of a row: the project gives way first, then the count of repeats, then the age. */
export function promptColumns(cells: number, hasProject: boolean): PromptColumns {
  const inner = cells - MARKER_CELLS;
  const ageCells = inner >= 16 ? 5 : 0;
  const count = inner >= 34 ? 6 : 0;
  const project = hasProject && inner >= 46 ? Math.min(18, Math.floor(inner * 0.25)) : 0;
  return { prompt: inner - ageCells - count - project, project, count, age: ageCells };
}

/** The headings over the columns. */
export function promptHeading(columns: PromptColumns): string {
  const right = (text: string, cells: number): string => (cells === 0 ? '' : ` ${fitEnd(text, cells - 1)}`);
  return [
    ' '.repeat(MARKER_CELLS),
    fit('Prompt', columns.prompt),
    columns.project === 0 ? '' : ` ${fit('Project', columns.project - 1)}`,
    right('Sent', columns.count),
    right('Age', columns.age),
  ].join('');
}

/** How a row is drawn. */
export interface PromptRowView {
  readonly columns: PromptColumns;
  readonly query: string;
  readonly nowMs: number;
}

/** Cells that are left before the first hit when the beginning of a prompt must go for it to be seen. */
const LEAD_CELLS = 8;

/** The line from a little before its first hit on, when that would not be seen otherwise. */
function slideToHit(text: string, query: string, cells: number): string {
  const first = promptRanges(text, query)[0];
  if (first === undefined || widthCells(text.slice(0, first[1])) < cells) return text;
  const blank = text.lastIndexOf(' ', Math.max(0, first[0] - LEAD_CELLS));
  const from = first[0] - blank > cells / 2 ? first[0] : blank + 1;
  return from === 0 ? text : `…${text.slice(from)}`;
}

/** One prompt as one line, without its selection marker: exactly `cells` − 2 wide. */
export function promptRow(group: PromptGroup, { columns, query, nowMs }: PromptRowView): Spans {
  const right = (text: string, cells: number): Span[] =>
    cells === 0 ? [] : [span(` ${fitEnd(text, cells - 1)}`, 'faint')];
  const text = slideToHit(promptLine(group.prompt, query), query, columns.prompt);
  const shown = text.slice(0, columns.prompt * 32);
  return [
    ...fitSpans(highlight(shown, promptRanges(shown, query), 'plain'), columns.prompt),
    ...(columns.project === 0 ? [] : [span(` ${fit(projectText(group.cwd), columns.project - 1)}`, 'faint')]),
    ...right(group.count > 1 ? `×${countText(group.count)}` : '', columns.count),
    ...right(age(group.timeMs, nowMs), columns.age),
  ];
}
