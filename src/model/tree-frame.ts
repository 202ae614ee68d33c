import { searchField } from './frame.ts';
import { helpLines } from './help.ts';
import { barHints } from './keymap.ts';
import { neutraliseLine } from './neutralise.ts';
import { fitSpans, type Span, type Spans, span, spread } from './spans.ts';
import { widthCells } from './text.ts';
import { panelRows, treeLayoutOf } from './tree-layout.ts';
import { treeLine } from './tree-line.ts';
import { type TreeScreenState, treeMode } from './tree-screen.ts';
import { selectedAt, type TreeViewState } from './tree-state.ts';
import { panelHeading, panelLines, treeCount, treeLineView, treeState } from './tree-text.ts';

/** The search line with position and hits, and the column of its cursor. */
export function treeSearchLine(view: TreeViewState): { readonly line: Spans; readonly cursor: number } {
  return searchField(view.line, treeCount(view), view.size.columns);
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
    const shown = word === 'leave' && !isEmptyLine ? 'clear' : word;
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
