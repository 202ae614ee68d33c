import { entryFlags } from '../session/skeleton.ts';
import { age } from './age.ts';
import { neutraliseLine } from './neutralise.ts';
import { fitSpans, highlight, type Span, type Spans, type Style, span } from './spans.ts';
import { kindAt, type TreeModel } from './tree-model.ts';
import { depthOf, type Guide, guidesOf, isFoldable, isFolded, type TreeRows } from './tree-rows.ts';
import type { EntryLine } from './tree-state.ts';

/** How rows are drawn: what they share. */
export interface TreeLineView {
  readonly cells: number;
  /** The outermost level that is not drawn, and how many are. */
  readonly base: number;
  readonly levels: number;
  readonly words: readonly string[];
  readonly isShowingLabelTimes: boolean;
  readonly nowMs: number;
  readonly marked: number | undefined;
}

const GUIDES: Readonly<Record<Guide, string>> = { bar: '│ ', blank: '  ', tee: '├─', corner: '└─' };

/** Where the words stand in a text, from left to right and without overlaps. */
function rangesOf(text: string, words: readonly string[]): readonly (readonly [number, number])[] {
  const lower = text.toLowerCase();
  // A few letters change their length; then no range would fit.
  if (words.length === 0 || lower.length !== text.length) return [];
  const ranges: [number, number][] = [];
  for (const word of words) {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length))
      ranges.push([at, at + word.length]);
  }
  ranges.sort((a, b) => a[0] - b[0]);
  let end = 0;
  return ranges.flatMap(([from, to]): [number, number][] => {
    const start = Math.max(from, end);
    end = Math.max(end, to);
    return start < to ? [[start, to]] : [];
  });
}

/** How many levels of indentation leave at least two thirds of a row to its text. */
export function levelsIn(cells: number): number {
  return Math.max(1, Math.floor((cells - 8) / 6));
}

function markText(flags: number): string {
  if ((flags & entryFlags.damaged) > 0) return '! damaged ';
  if ((flags & entryFlags.cycle) > 0) return '! cycle ';
  if ((flags & entryFlags.orphan) > 0) return '! orphan ';
  return (flags & entryFlags.duplicate) > 0 ? '! duplicate ' : '';
}

/** How the text of a kind of entry looks, and who speaks in it. */
function stylesOf(
  type: string,
  role: string | undefined,
  line: EntryLine | undefined,
): readonly [speaker: Style, text: Style] {
  if (line?.isError === true) return ['danger', 'danger'];
  switch (type) {
    case 'message':
      if (role === 'user') return ['user', 'plain'];
      if (role === 'assistant') return ['assistant', 'plain'];
      return role === 'toolResult' ? ['tool', 'tool'] : ['tool', 'faint'];
    case 'compaction':
      return ['accent', 'accent'];
    case 'branch_summary':
      return ['warning', 'plain'];
    case 'custom_message':
      return ['label', 'plain'];
  }
  return ['faint', 'faint'];
}

/** What stands before the text: guides, the sign of a fold, the bullet of the active path. */
function leadOf(rows: TreeRows, row: number, { base, levels }: TreeLineView, isActive: boolean): Span[] {
  const guides = guidesOf(rows, row, base, levels).map((guide) => GUIDES[guide]);
  const isCut = depthOf(rows, row) > base + levels;
  const lead = `${base > 0 ? '…' : ''}${guides.join('')}${isCut ? '…' : ''}`;
  const fold = isFolded(rows, row) ? '⊞' : isFoldable(rows, row) && depthOf(rows, row) > 0 ? '⊟' : '';
  return [span(lead, 'faint'), span(fold, 'faint'), span(fold === '' ? '' : ' '), span(isActive ? '• ' : '', 'accent')];
}

function labelSpans(model: TreeModel, at: number, { isShowingLabelTimes, nowMs, words }: TreeLineView): Span[] {
  const label = model.labels.get(at);
  if (label === undefined) return [];
  const text = neutraliseLine(label.label.slice(0, 200));
  const time = isShowingLabelTimes && label.timeMs !== undefined ? ` ${age(label.timeMs, nowMs)}` : '';
  return [span('[', 'label'), ...highlight(text, rangesOf(text, words), 'label'), span(`${time}] `, 'label')];
}

/** One row of the tree as one line of exactly `cells` cells, without the cursor's column. */
export function treeLine(
  model: TreeModel,
  rows: TreeRows,
  row: number,
  line: EntryLine | undefined,
  view: TreeLineView,
): Spans {
  const at = rows.at[row] ?? 0;
  const { type, role } = kindAt(model.skeleton, at);
  const flags = model.skeleton.flags[at] ?? 0;
  const [speakerStyle, textStyle] = stylesOf(type, role, line);
  const mark = markText(flags);
  const known = line ?? { speaker: '', text: role ?? type };
  const speaker = neutraliseLine(known.speaker);
  const text = neutraliseLine(known.text.slice(0, view.cells * 8));
  const hidden = rows.folded[row] ?? -1;
  const count: Span[] = hidden > 0 ? [span(` +${hidden}`, 'warning')] : [];
  const room = view.cells - (hidden > 0 ? ` +${hidden}`.length : 0);
  const content = [
    ...leadOf(rows, row, view, model.isActive[at] === 1),
    span(at === view.marked ? '◆ ' : '', 'warning'),
    span(mark, 'danger'),
    ...labelSpans(model, at, view),
    span(speaker === '' ? '' : `${speaker} `, speakerStyle),
    ...highlight(text, rangesOf(text, view.words), line === undefined ? 'faint' : textStyle),
  ].filter((piece) => piece.text !== '');
  return [...fitSpans(content, room), ...count];
}
