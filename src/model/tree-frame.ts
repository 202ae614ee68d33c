import { searchField } from './frame.ts';
import { helpLines } from './help.ts';
import { barHints } from './keymap.ts';
import { neutraliseLine } from './neutralise.ts';
import { fitSpans, type Span, type Spans, span, spread } from './spans.ts';
import { widthCells } from './text.ts';
import { panelRows, treeLayoutOf } from './tree-layout.ts';
import { treeLine } from './tree-line.ts';
import { type TextField, type TreeScreenState, treeMode } from './tree-screen-state.ts';
import { selectedAt, type TreeViewState } from './tree-state.ts';
import { panelHeading, panelLines, treeCount, treeLineView, treeState } from './tree-text.ts';

const FIELD_NAMES = { label: 'Label', summary: 'Summary' } as const satisfies Record<TextField['use'], string>;
const FIELD_HINTS = { label: 'empty clears', summary: 'of the branch that is left' } as const;

/** The line that has the keys: a text that is asked for, else the search with position and hits; and where its cursor is. */
export function treeInputLine({ view, overlays }: TreeScreenState): { readonly line: Spans; readonly cursor: number } {
  const { columns } = view.size;
  const field = overlays.at(-1);
  if (field?.kind !== 'field') return searchField(view.line, treeCount(view), columns);
  const name = `${FIELD_NAMES[field.use]} `;
  const hint = columns < 60 ? '' : FIELD_HINTS[field.use];
  const { line, cursor } = searchField(field.line, hint, columns - name.length, '');
  return { line: [span(name, 'strong'), ...line], cursor: cursor + name.length };
}

/** A row as it is drawn. */
export interface DrawnRow {
  /** The position of its entry. */
  readonly at: number;
  readonly line: Spans;
  readonly isSelected: boolean;
}

/** The rows of the window. */
export function treeWindow(view: TreeViewState): readonly DrawnRow[] {
  const { model, rows, top, index, lines } = view;
  const lineView = treeLineView(view);
  if (model === undefined || rows === undefined || lineView === undefined) return [];
  const { listRows } = treeLayoutOf(view.size);
  return Array.from(rows.at.subarray(top, top + listRows), (at, offset) => ({
    at,
    line: treeLine(model, rows, top + offset, lines.get(at), lineView),
    isSelected: top + offset === index,
  }));
}

/** The bottom line: a notice when there is one, else the keys that matter, and what is hidden or wrong. */
export function treeStatus(state: TreeScreenState): Spans {
  const { view } = state;
  const { columns } = view.size;
  if (view.notice !== undefined) {
    const sign = view.notice.isWarning ? span('! ', 'warning') : span('✓ ', 'live');
    return fitSpans([sign, span(neutraliseLine(view.notice.text))], columns);
  }
  if (state.asking !== undefined)
    return fitSpans(
      [span('Looking what would happen …   ', 'faint'), span('Esc', 'accent'), span(' back', 'faint')],
      columns,
    );
  if (state.leavingWith !== undefined) return fitSpans([span('Copying the text …', 'faint')], columns);
  const right = treeMode(state) === 'tree' ? treeState(view) : '';
  // What is hidden matters more than keys: those have a help screen.
  if (widthCells(right) + 2 > columns) return fitSpans([span(right, 'faint')], columns);
  return spread(hints(state, columns - widthCells(right) - 2), [span(right, 'faint')], columns);
}

function hints(state: TreeScreenState, cells: number): Spans {
  const result: Span[] = [];
  let room = cells;
  const isEmptyLine = state.view.line.text === '';
  const has = { selection: selectedAt(state.view) >= 0, emptyLine: isEmptyLine };
  for (const { key, word } of barHints(treeMode(state), has)) {
    const leave = isEmptyLine ? (state.behind === undefined ? word : 'back') : 'clear';
    const shown = word === 'leave' ? leave : word;
    const gap = result.length === 0 ? '' : '   ';
    const width = widthCells(key) + 1 + shown.length + gap.length;
    if (width > room) continue;
    room -= width;
    result.push(span(gap + key, 'accent'), span(` ${shown}`, 'faint'));
  }
  return result;
}

/** What covers the tree, if anything: help, a comparison or a context; its heading and the lines in sight. */
export function coverOf({
  view,
  overlays,
}: TreeScreenState): { readonly heading: Spans; readonly lines: readonly Spans[]; readonly rows: number } | undefined {
  const rows = panelRows(view.size);
  const top = overlays.at(-1);
  if (top?.kind === 'help') {
    const lines = helpLines(view.size.columns, 'tree');
    const from = Math.max(0, Math.min(top.top, lines.length - rows));
    const heading = fitSpans([span('Keys', 'strong')], view.size.columns);
    return { heading, lines: lines.slice(from, from + rows), rows };
  }
  const { panel } = view;
  if (panel === undefined) return undefined;
  const lines = panelLines(view, panel);
  const from = Math.max(0, Math.min(panel.top, lines.length - rows));
  return { heading: panelHeading(view, panel), lines: lines.slice(from, from + rows), rows };
}
