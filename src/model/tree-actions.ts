import type { LineAction } from './line-edit.ts';
import { layOut } from './tree-arrange.ts';
import { treeLayoutOf } from './tree-layout.ts';
import { filterTree, type TreeFilter, type TreeModel } from './tree-model.ts';
import {
  downToRunStart,
  filterBeside,
  findRow,
  findRowAround,
  foldsOfOthers,
  revealed,
  turnTest,
  upToRunStart,
} from './tree-moves.ts';
import { isBranchPoint, isFoldable, isFolded, type TreeRows } from './tree-rows.ts';
import { selectedAt, type TreeAction, type TreeEffect, type TreeViewState } from './tree-state.ts';
import { previewRoom } from './tree-text.ts';

type Own = Exclude<TreeAction, LineAction>;

/** Does what a key of the tree asks for. */
export function act(state: TreeViewState, does: Own, effects: TreeEffect[]): TreeViewState {
  const { model, rows, index } = state;
  if (model === undefined || rows === undefined) return state;
  const page = Math.max(1, treeLayoutOf(state.size).listRows - 1);
  const { length } = rows;
  switch (does) {
    case 'previous':
      return select(state, rows, (index - 1 + length) % Math.max(1, length));
    case 'next':
      return select(state, rows, (index + 1) % Math.max(1, length));
    case 'pageUp':
      return select(state, rows, Math.max(0, index - page));
    case 'pageDown':
      return select(state, rows, Math.min(length - 1, index + page));
    case 'first':
      return select(state, rows, 0);
    case 'last':
      return select(state, rows, length - 1);
    case 'parent':
      return select(state, rows, rows.parent[index] ?? -1);
    case 'child':
      return select(state, rows, index + 1 < (rows.end[index] ?? 0) ? index + 1 : -1);
    case 'activeEntry':
      return reveal(state, model, model.tip);
    case 'previousTurn':
      return jump(state, findRow(rows, index, -1, turnTest(rows, model)), 'No turn above');
    case 'nextTurn':
      return jump(state, findRow(rows, index, 1, turnTest(rows, model)), 'No turn below');
    case 'previousBranch':
      return jump(
        state,
        findRow(rows, index, -1, (row) => isBranchPoint(rows, row)),
        'No branch point above',
      );
    case 'nextBranch':
      return jump(
        state,
        findRow(rows, index, 1, (row) => isBranchPoint(rows, row)),
        'No branch point below',
      );
    case 'previousLabel':
      return jump(state, findRowAround(rows, index, -1, labelTest(rows, model)), 'No other label is shown');
    case 'nextLabel':
      return jump(state, findRowAround(rows, index, 1, labelTest(rows, model)), 'No other label is shown');
    case 'previousHit':
      return toHit(state, model, -1);
    case 'nextHit':
      return toHit(state, model, 1);
    case 'fold':
      return foldOrUp(state, rows);
    case 'unfold':
      return unfoldOrDown(state, rows);
    case 'foldOthers':
      return withFolds(state, foldsOfOthers(model, filterTree(model, state.filter)));
    case 'unfoldAll':
      return withFolds(state, new Set());
    case 'nextFilter':
    case 'previousFilter':
      return withFilter(state, filterBeside(state.filter, does === 'nextFilter' ? 1 : -1));
    case 'filterDefault':
    case 'filterNoTools':
    case 'filterUser':
    case 'filterLabelled':
    case 'filterAll':
      return withFilter(state, FILTERS[does]);
    case 'labelTimes':
      return { ...state, isShowingLabelTimes: !state.isShowingLabelTimes };
    case 'previewUp':
    case 'previewDown':
      return scrollPreview(state, does === 'previewUp' ? 1 : -1);
    case 'mark':
      return mark(state);
    case 'compare':
      return compare(state, effects);
    case 'context':
      return openContext(state, effects);
    case 'copyEntry':
      if (index >= 0) effects.push({ type: 'copyEntry', version: state.version, at: selectedAt(state) });
      return state;
  }
}

const FILTERS = {
  filterDefault: 'default',
  filterNoTools: 'no-tools',
  filterUser: 'user',
  filterLabelled: 'labelled',
  filterAll: 'all',
} as const satisfies Readonly<Record<string, TreeFilter>>;

/** Puts the cursor on a row; one that is not there changes nothing. */
function select(state: TreeViewState, rows: TreeRows, row: number): TreeViewState {
  const at = rows.at[row];
  return at === undefined ? state : { ...state, index: row, anchor: at };
}

function tell(state: TreeViewState, text: string): TreeViewState {
  return { ...state, notice: { text, isWarning: false } };
}

function jump(state: TreeViewState, row: number, otherwise: string): TreeViewState {
  return row < 0 || state.rows === undefined ? tell(state, otherwise) : select(state, state.rows, row);
}

function labelTest(rows: TreeRows, { labels }: TreeModel): (row: number) => boolean {
  return (row) => labels.has(rows.at[row] ?? -1);
}

/** Puts the cursor on an entry, out of any fold. */
export function reveal(state: TreeViewState, model: TreeModel, at: number): TreeViewState {
  const folds = revealed(model, state.folds, at);
  const open = folds === state.folds ? { ...state, anchor: at } : { ...state, anchor: at, folds };
  const next = layOut(open);
  return next.rows?.hasRow[at] === 1
    ? next
    : tell(next, 'It is hidden by the filter or the search; this is its nearest row');
}

/** The next hit, of the last search when the line is empty: in its place, and out of any fold. */
function toHit(state: TreeViewState, model: TreeModel, step: 1 | -1): TreeViewState {
  const { search, rows } = state;
  if (search === undefined || rows === undefined) return tell(state, 'Nothing was searched for yet');
  const isHit = (at: number): boolean => search.hits[at] === 1;
  if (state.line.text.trim() !== '') {
    // All rows are hits; the only one is chosen where the cursor stands.
    const row = findRowAround(rows, state.index, step, () => true);
    return select(state, rows, row < 0 ? state.index : row);
  }
  const shown = filterTree(model, state.filter);
  const { order, placeOf, count } = model;
  const from = placeOf[selectedAt(state)] ?? 0;
  for (let steps = 1; steps <= count; steps++) {
    const at = order[(from + step * steps + count * 2) % count] ?? -1;
    if (isHit(at) && shown[at] === 1) return reveal(state, model, at);
  }
  return tell(state, search.count === 0 ? 'The last search found nothing' : 'The filter hides every hit');
}

function withFolds(state: TreeViewState, folds: ReadonlySet<number>): TreeViewState {
  return layOut({ ...state, folds });
}

function withFilter(state: TreeViewState, filter: TreeFilter): TreeViewState {
  return filter === state.filter ? state : layOut({ ...state, filter });
}

function foldOrUp(state: TreeViewState, rows: TreeRows): TreeViewState {
  const { index, folds } = state;
  const isSearched = state.line.text.trim() !== '';
  if (!isSearched && isFoldable(rows, index) && !isFolded(rows, index)) {
    const at = selectedAt(state);
    return layOut({ ...state, anchor: at, folds: new Set([...folds, at]) });
  }
  return select(state, rows, upToRunStart(rows, index));
}

function unfoldOrDown(state: TreeViewState, rows: TreeRows): TreeViewState {
  const { index, folds } = state;
  if (!isFolded(rows, index)) return select(state, rows, downToRunStart(rows, index));
  const at = selectedAt(state);
  return layOut({ ...state, anchor: at, folds: new Set([...folds].filter((fold) => fold !== at)) });
}

function scrollPreview(state: TreeViewState, lines: 1 | -1): TreeViewState {
  const { preview } = state;
  if (preview === undefined) return state;
  const scroll = Math.max(0, Math.min(preview.scroll + lines, previewRoom(state).maxScroll));
  return { ...state, preview: { ...preview, scroll } };
}

function mark(state: TreeViewState): TreeViewState {
  const at = selectedAt(state);
  if (at < 0) return state;
  if (state.marked === at) return tell({ ...state, marked: undefined }, 'The mark is gone');
  return tell({ ...state, marked: at }, 'Marked: go to another entry to compare the two');
}

/** Compares with the marked entry, or else with the leaf. */
function compare(state: TreeViewState, effects: TreeEffect[]): TreeViewState {
  const b = selectedAt(state);
  const a = state.marked ?? state.model?.tip ?? -1;
  if (a < 0 || b < 0) return state;
  if (a === b) return tell(state, 'Mark an entry, then go to another one to compare the two');
  const seq = state.seq + 1;
  effects.push({ type: 'compareEntries', seq, version: state.version, a, b });
  return { ...state, seq, panel: { kind: 'compare', seq, a, b, top: 0, answer: { kind: 'loading' } } };
}

function openContext(state: TreeViewState, effects: TreeEffect[]): TreeViewState {
  const at = selectedAt(state);
  if (at < 0) return state;
  const seq = state.seq + 1;
  effects.push({ type: 'readContext', seq, version: state.version, at });
  return { ...state, seq, panel: { kind: 'context', seq, at, top: 0, answer: { kind: 'loading' } } };
}
