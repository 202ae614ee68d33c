import { activityMs, type SessionRow } from '../catalog/session-row.ts';
import { age } from './age.ts';
import { neutraliseLine } from './neutralise.ts';
import { costText, countText, folderText, projectText, rowTitle } from './row-text.ts';
import { matchRanges } from './search.ts';
import { fitSpans, highlight, type Span, type Spans, type Style, span } from './spans.ts';
import { fit, fitEnd, truncateStart } from './text.ts';
import type { TextHit } from './text-hits.ts';

/** Widths of a row's columns in cells; 0 for one that has no room or is not wanted. */
export interface RowColumns {
  readonly title: number;
  readonly folder: number;
  readonly marks: number;
  readonly age: number;
  readonly messages: number;
  readonly branches: number;
  readonly cost: number;
}

/** What the folder column shows: nothing, the project's name, or the whole path. */
export type FolderColumn = 'none' | 'project' | 'path';

const MARKER_CELLS = 2;

/** Divides the width of a row: figures give way, the least telling first, before the title becomes unreadable. */
export function rowColumns(cells: number, folder: FolderColumn): RowColumns {
  const inner = cells - MARKER_CELLS;
  const branches = inner >= 74 ? 4 : 0;
  const cost = inner >= 62 ? 7 : 0;
  const messages = inner >= 46 ? 6 : 0;
  const marks = inner >= 50 ? 6 : inner >= 24 ? 3 : 0;
  const ageCells = inner >= 16 ? 5 : 0;
  const rest = inner - branches - cost - messages - marks - ageCells;
  const share = folder === 'path' ? Math.min(48, Math.floor(rest * 0.45)) : Math.min(20, Math.floor(rest * 0.3));
  const folderCells = folder === 'none' || share < 8 ? 0 : share;
  return { title: rest - folderCells, folder: folderCells, marks, age: ageCells, messages, branches, cost };
}

/** The headings over the columns. */
export function headingLine(columns: RowColumns, folder: FolderColumn): string {
  const right = (text: string, cells: number): string => (cells === 0 ? '' : ` ${fitEnd(text, cells - 1)}`);
  return [
    ' '.repeat(MARKER_CELLS),
    fit('Session', columns.title),
    columns.folder === 0 ? '' : ` ${fit(folder === 'path' ? 'Folder' : 'Project', columns.folder - 1)}`,
    ' '.repeat(columns.marks),
    right('Age', columns.age),
    right('Msgs', columns.messages),
    right('Br', columns.branches),
    right('Cost', columns.cost),
  ].join('');
}

/** The signs of a row, each with its meaning for the help. */
export const markHelp = [
  ['●', 'live', 'an agent has it open'],
  ['!', 'danger', 'damaged, or cannot be read'],
  ['◆', 'label', 'has labels'],
  ['↳', 'faint', 'forked from another session'],
  ['✓', 'faint', 'last turn done'],
  ['…', 'warning', 'last turn not answered yet'],
  ['■', 'warning', 'last turn stopped by you'],
  ['✗', 'danger', 'last turn ended in an error'],
] as const satisfies readonly (readonly [string, Style, string])[];

const TURN_MARKS = {
  done: ['✓', 'faint'],
  pending: ['…', 'warning'],
  aborted: ['■', 'warning'],
  error: ['✗', 'danger'],
} as const;

function marksOf(row: SessionRow, cells: number): Spans {
  if (cells === 0) return [];
  const blank = span(' ');
  const isDamaged = row.problem !== null || row.id === null || (row.damagedLines ?? 0) > 0;
  const [sign, style] = row.lastTurn === null ? ([' ', 'faint'] as const) : TURN_MARKS[row.lastTurn];
  const turn = span(sign, style);
  const live = row.live === true ? span('●', 'live') : undefined;
  const damage = isDamaged ? span('!', 'danger') : undefined;
  const label = (row.labelCount ?? 0) > 0 ? span('◆', 'label') : undefined;
  const fork = row.parentSession === null ? undefined : span('↳', 'faint');
  // Each sign has its own place while there is room; else the most important one stands beside the turn.
  const places = cells >= 6 ? [fork, label, damage, live, turn] : [damage ?? live ?? label ?? fork, turn];
  return [blank, ...places.map((mark) => mark ?? blank)];
}

/** How a row is drawn. */
export interface RowView {
  readonly columns: RowColumns;
  readonly folder: FolderColumn;
  readonly home: string;
  readonly words: readonly string[];
  readonly nowMs: number;
}

/** One session as one line, without its selection marker: exactly `cells` − 2 wide. */
export function sessionLine(row: SessionRow, view: RowView): Spans {
  const { columns, words } = view;
  const right = (text: string, cells: number, style: Style): Span[] =>
    cells === 0 ? [] : [span(` ${fitEnd(text, cells - 1)}`, style)];
  const title = rowTitle(row).slice(0, columns.title * 32);
  return [
    ...fitSpans(highlight(title, matchRanges(title, words), 'plain'), columns.title),
    ...folderSpans(row, view),
    ...marksOf(row, columns.marks),
    ...right(age(activityMs(row), view.nowMs), columns.age, 'faint'),
    ...right(countText(row.messageCount), columns.messages, 'faint'),
    ...right(row.branchCount === 0 ? '-' : countText(row.branchCount), columns.branches, 'faint'),
    ...right(costText(row.cost), columns.cost, 'faint'),
  ];
}

function folderSpans(row: SessionRow, { columns, folder, home, words }: RowView): Spans {
  if (columns.folder === 0) return [];
  const cells = columns.folder - 1;
  const text = folder === 'path' ? truncateStart(folderText(row.cwd, home), cells) : projectText(row.cwd);
  return [span(' '), ...fitSpans(highlight(text, matchRanges(text, words), 'faint'), cells)];
}

const HIT_TITLE_CELLS = 28;

/** A hit in a session's text as one line, without its selection marker: the snippet, the session, the age. */
export function hitLine(hit: TextHit, row: SessionRow | undefined, view: RowView): Spans {
  const { columns, words } = view;
  const cells = Object.values(columns).reduce((sum, width) => sum + width, 0);
  const ageCells = columns.age;
  const titleCells = cells >= 70 ? HIT_TITLE_CELLS : 0;
  const room = Math.max(1, cells - ageCells - titleCells - 2);
  const snippet = neutraliseLine(hit.snippet);
  const title = row === undefined ? '' : rowTitle(row).slice(0, HIT_TITLE_CELLS * 32);
  return fitSpans(
    [
      span('≡ ', 'accent'),
      ...fitSpans(highlight(snippet, matchRanges(snippet, words), 'plain'), room),
      ...(titleCells === 0 ? [] : [span(` ${fit(title, titleCells - 1)}`, 'faint')]),
      ...(ageCells === 0 || hit.timeMs === null
        ? []
        : [span(` ${fitEnd(age(hit.timeMs, view.nowMs), ageCells - 1)}`, 'faint')]),
    ],
    cells,
  );
}
