import { compareLines } from './compare.ts';
import { contextLines } from './context-lines.ts';
import { neutraliseLine } from './neutralise.ts';
import { countText } from './row-text.ts';
import { fitSpans, type Spans, type Style, span, spread } from './spans.ts';
import { wrap } from './text.ts';
import { transcriptLines } from './transcript-lines.ts';
import { panelRows, treeLayoutOf } from './tree-layout.ts';
import { levelsIn, type TreeLineView } from './tree-line.ts';
import { baseLevel } from './tree-rows.ts';
import { shownWords, type TreePanel, type TreeViewState } from './tree-state.ts';

/** Units of a piece's text that the preview shows. */
const MAX_UNITS = 4_000;

/** What the session is called. */
function treeTitle({ model, title }: TreeViewState): string {
  return neutraliseLine((title === '' ? (model?.skeleton.header?.title ?? '') : title).slice(0, 400)) || '(no title)';
}

/** The top line: which session this is, and which of its entries are shown. */
export function treeHeader(state: TreeViewState): Spans {
  const left = [span('Bough  ', 'accent'), span(treeTitle(state), 'strong')];
  const times = state.isShowingLabelTimes ? '[+label times] ' : '';
  return spread(left, [span(`${times}[${state.filter}]`, 'faint')], state.size.columns);
}

/** What the end of the search line says: `row/rows`, the hits, and whether more are looked for. */
export function treeCount({ rows, index, search, pending, line }: TreeViewState): string {
  const length = rows?.length ?? 0;
  const isSearched = line.text.trim() !== '';
  const isSearching = pending !== undefined || (isSearched && search?.isDone === false);
  const hits =
    isSearched && search !== undefined ? `${countText(search.count)} ${search.count === 1 ? 'hit' : 'hits'} ` : '';
  return `${isSearching ? '… ' : ''}${hits}${length === 0 ? 0 : index + 1}/${length}`;
}

/** What is held back, and what is wrong: the right end of the status bar. The leaf is never hidden without a word. */
export function treeState(state: TreeViewState): string {
  const { model, rows, hiddenByFilter, hiddenHits, search } = state;
  if (model === undefined || rows === undefined) return state.problem === undefined ? 'reading …' : '';
  const { damagedLines } = model.skeleton;
  const { tip } = model;
  const isSearched = shownWords(state).length > 0;
  const parts: string[] = [];
  if (damagedLines > 0) parts.push(`! ${damagedLines} damaged`);
  if (tip >= 0 && rows.hasRow[tip] !== 1) {
    parts.push(isSearched && search?.hits[tip] !== 1 ? 'active entry is no hit' : 'active entry hidden');
  }
  if (rows.hiddenByFolds > 0) parts.push(`${countText(rows.hiddenByFolds)} folded`);
  if (isSearched && hiddenHits > 0) parts.push(`${countText(hiddenHits)} hits hidden by the filter`);
  else if (hiddenByFilter > 0) parts.push(`${countText(hiddenByFilter)} hidden`);
  return parts.join(' · ');
}

/** How the rows of the window are drawn. */
export function treeLineView(state: TreeViewState): TreeLineView | undefined {
  const { rows, top, index } = state;
  if (rows === undefined) return undefined;
  const { listColumns, listRows } = treeLayoutOf(state.size);
  const levels = levelsIn(listColumns);
  return {
    cells: listColumns - 2,
    base: baseLevel(rows, top, listRows, index, levels),
    levels,
    words: shownWords(state),
    isShowingLabelTimes: state.isShowingLabelTimes,
    nowMs: state.nowMs,
    marked: state.marked,
  };
}

/** Why no row is shown, and what to do about it. */
export function emptyTree(state: TreeViewState): readonly Spans[] {
  const cells = Math.max(1, treeLayoutOf(state.size).listColumns - 4);
  const texts = (): string[] => {
    const { model, problem, filter, hiddenByFilter, hiddenHits, search, pending } = state;
    if (problem !== undefined) return [neutraliseLine(problem)];
    if (model === undefined || pending !== undefined) return [];
    if (model.count === 0) return ['This session has no entries.'];
    if (shownWords(state).length > 0) {
      if (search?.isDone === false) return [];
      const ways = hiddenHits > 0 ? [`Alt+A: all entries, ${hiddenHits} hits among them`] : [];
      return ['No hit in any branch.', ...ways, 'Esc: clear the search'];
    }
    const what = filter === 'labelled' ? 'No entry has a label.' : `The filter [${filter}] shows nothing.`;
    return [what, `Alt+D: default, Alt+A: all (${hiddenByFilter} hidden)`];
  };
  return [
    [],
    ...texts().flatMap((text, index) =>
      wrap(text, cells).map((line): Spans => [span(`  ${line}`, index === 0 ? 'plain' : 'faint')]),
    ),
  ];
}

/** The preview: the conversation on the path to the selected entry, its end first. */
export function previewRoom(state: TreeViewState): { readonly lines: readonly Spans[]; readonly maxScroll: number } {
  const place = treeLayoutOf(state.size).preview;
  const { preview, nowMs } = state;
  if (place === undefined || preview === undefined) return { lines: [], maxScroll: 0 };
  const { columns, rows } = place;
  const { answer } = preview;
  switch (answer.kind) {
    case 'loading':
      return { lines: [], maxScroll: 0 };
    case 'failed':
      return {
        lines: wrap(neutraliseLine(answer.reason), columns).map((line) => [span(line, 'danger')]),
        maxScroll: 0,
      };
    case 'loaded': {
      const view = { cells: columns, nowMs, isFoldingTools: true, isFoldingThinking: true, maxUnits: MAX_UNITS };
      const talk = transcriptLines(answer.value, view);
      const room = Math.max(1, rows - 1);
      const maxScroll = Math.max(0, talk.length - room);
      const end = talk.length - Math.min(preview.scroll, maxScroll);
      const above = Math.max(0, end - room);
      const more = above > 0 || answer.value.omitted > 0 ? '─ ↑ Path to here ' : '─ Path to here ';
      return { lines: [rule(more, columns), ...talk.slice(above, end)], maxScroll };
    }
  }
}

function rule(text: string, cells: number, style: Style = 'faint'): Spans {
  return fitSpans([span(text.padEnd(cells, '─').slice(0, cells), style)], cells);
}

function sideNames({ marked }: TreeViewState, a: number): readonly [string, string] {
  return [marked === a ? 'The marked branch' : 'The active branch', 'The branch here'];
}

/** All lines of a panel. */
export function panelLines(state: TreeViewState, panel: TreePanel): readonly Spans[] {
  const { columns } = state.size;
  if (panel.answer.kind === 'loading') return [[span('Reading …', 'faint')]];
  if (panel.answer.kind === 'failed')
    return wrap(neutraliseLine(panel.answer.reason), columns).map((line) => [span(line, 'danger')]);
  return panel.kind === 'compare'
    ? compareLines(panel.answer.value, sideNames(state, panel.a), columns, state.nowMs)
    : contextLines(panel.answer.value, columns);
}

export function panelLength(state: TreeViewState, panel: TreePanel): number {
  return panelLines(state, panel).length;
}

/** The heading of a panel. */
export function panelHeading(state: TreeViewState, panel: TreePanel): Spans {
  const rows = panelRows(state.size);
  const length = panelLength(state, panel);
  const share = length <= rows ? 'all' : `${Math.round((Math.min(panel.top + rows, length) / length) * 100)}%`;
  const title = panel.kind === 'compare' ? 'Two branches' : 'What the model would see here';
  return spread([span(title, 'strong')], [span(share, 'faint')], state.size.columns);
}
