import type { LabelledEntry } from '../catalog/label-entry.ts';
import { age } from './age.ts';
import { searchField } from './frame.ts';
import { type LabelList, labelRows } from './label-list.ts';
import type { WindowSize } from './layout.ts';
import { neutraliseLine } from './neutralise.ts';
import { countText, projectText } from './row-text.ts';
import { fitSpans, type Spans, span, spread } from './spans.ts';
import { fit, fitEnd, wrap } from './text.ts';

const MARKER_CELLS = 2;
const AGE_CELLS = 5;

/** The heading: whose labels these are, and what could not be read. */
export function labelHeading({ problems, isDone }: LabelList, { columns }: WindowSize): Spans {
  const unread = problems.length === 0 ? '' : `! ${countText(problems.length)} not read`;
  const state = isDone ? unread : 'reading …';
  return spread([span('Labels  ', 'accent'), span('of all sessions', 'strong')], [span(state, 'faint')], columns);
}

/** The search line with the position of the selection, and the column of its cursor. */
export function labelSearchLine(
  { line, index, shown }: LabelList,
  { columns }: WindowSize,
): { readonly line: Spans; readonly cursor: number } {
  return searchField(line, shown.length === 0 ? '0/0' : `${index + 1}/${countText(shown.length)}`, columns);
}

/** One label as one line: itself, what its entry says, the project, when it was set. The project gives way first. */
function labelLine({ label, text, cwd, labelledMs }: LabelledEntry, cells: number, nowMs: number): Spans {
  const labelCells = Math.min(24, Math.floor((cells - AGE_CELLS) * 0.4));
  const projectCells = cells >= 60 ? Math.min(18, Math.floor(cells * 0.2)) : 0;
  const textCells = cells - labelCells - projectCells - AGE_CELLS;
  const project = projectCells === 0 ? [] : [span(` ${fit(projectText(cwd), projectCells - 1)}`, 'faint')];
  const when = labelledMs === null ? '' : age(labelledMs, nowMs);
  return [
    span(fit(neutraliseLine(label.slice(0, 400)), labelCells - 1), 'label'),
    span(' '),
    ...fitSpans([span(neutraliseLine(text.slice(0, cells * 8)))], textCells),
    ...project,
    span(fitEnd(when, AGE_CELLS), 'faint'),
  ];
}

/** A row as it is drawn. */
export interface DrawnLabel {
  readonly key: string;
  readonly line: Spans;
  readonly isSelected: boolean;
}

/** The labels of the window. */
export function labelWindow(list: LabelList, size: WindowSize, nowMs: number): readonly DrawnLabel[] {
  const { shown, top, index } = list;
  return shown.slice(top, top + labelRows(size)).map((label, offset) => ({
    key: `${label.path} ${label.line}`,
    line: labelLine(label, size.columns - MARKER_CELLS, nowMs),
    isSelected: top + offset === index,
  }));
}

/** Why no label is shown. */
export function noLabels({ labels, isDone, problems }: LabelList, size: WindowSize): readonly Spans[] {
  if (!isDone) return [];
  const what =
    labels.length > 0 ? ['No label matches.', 'Esc: clear the search'] : ['No entry of any session has a label.'];
  const lines = [...what, ...problems].flatMap((text) => wrap(neutraliseLine(text), Math.max(1, size.columns - 4)));
  return [[], ...lines.map((line, at): Spans => [span(`  ${line}`, at === 0 ? 'plain' : 'faint')])].slice(
    0,
    labelRows(size),
  );
}
