import { searchWords } from '../session/search-words.ts';
import { type AppEffect, type AppState, modeOf } from './app-state.ts';
import { helpLines } from './help.ts';
import { toHit } from './hit-moves.ts';
import type { ActionOf, PickerMode } from './keymap.ts';
import { actOnLabels, isLabelListAction, selectedLabel } from './label-list.ts';
import { changeLabels, leaveLabels, openLabels } from './label-overlay.ts';
import { layoutOf } from './layout.ts';
import { editLine, lineOf } from './line-edit.ts';
import { actionMenu, copyMenu, isMenu, type Overlay, type ResumeChoice } from './overlays.ts';
import {
  changeFilters,
  changeLine,
  listLength,
  nextSort,
  type PickerState,
  selectedHit,
  selectedRow,
  selectIndex,
  toggleOutputs,
} from './picker.ts';
import { previewLines } from './preview.ts';
import { rowTitle } from './row-text.ts';
import { openTranscript, screenLines, screenRows, topLine } from './transcript-screen.ts';

/** What keys can do here; the prompt history and the tree are screens of their own. */
export type PickerAction = ActionOf<PickerMode>;

/** Does what a key or a menu asks for. */
export function act(state: AppState, does: PickerAction, effects: AppEffect[]): AppState {
  const { picker } = state;
  if (modeOf(state) === 'labels' && isLabelListAction(does))
    return changeLabels(state, (list) => actOnLabels(list, does, state.size));
  const move = (index: number): AppState => ({ ...state, picker: selectIndex(picker, index) });
  const page = Math.max(1, picker.height - 1);
  switch (does) {
    case 'previous':
      return move(picker.index - 1);
    case 'next':
      return move(picker.index + 1);
    case 'pageUp':
      return move(picker.index - page);
    case 'pageDown':
      return move(picker.index + page);
    case 'first':
      return move(0);
    case 'last':
      return move(listLength(picker) - 1);
    case 'scope':
    case 'sort':
    case 'named':
    case 'path':
    case 'hidden':
      return { ...state, picker: filter(picker, does) };
    case 'left':
    case 'right':
    case 'wordLeft':
    case 'wordRight':
    case 'lineStart':
    case 'lineEnd':
    case 'deleteLeft':
    case 'deleteRight':
    case 'deleteWordLeft':
    case 'deleteWordRight':
    case 'deleteToStart':
    case 'deleteToEnd':
      return { ...state, picker: changeLine(picker, editLine(picker.line, does), state.nowMs) };
    case 'previewUp':
    case 'previewDown':
      return scrollPreview(state, does === 'previewUp' ? 1 : -1);
    case 'scrollUp':
    case 'scrollDown':
    case 'scrollPageUp':
    case 'scrollPageDown':
    case 'scrollTop':
    case 'scrollBottom':
      return scroll(state, does);
    case 'foldTools':
    case 'foldThinking':
      return fold(state, does);
    case 'resume':
      return resume(state, aboutPath(state), [], effects);
    case 'transcript':
      return openTranscript(state, aboutPath(state), effects, entryAsked(state));
    case 'copy':
      return openCopyMenu(state);
    case 'menu':
      return open(state, actionMenu(modeOf(state), aboutPath(state) ?? ''));
    case 'help':
      return open(state, { kind: 'help', top: 0 });
    case 'back':
      return goBack(state, effects);
    case 'labels':
      return openLabels(state, effects);
    case 'openLabelled':
      return openLabelled(state);
    case 'nextHit':
    case 'previousHit':
      return toHit(state, does === 'nextHit' ? 1 : -1, effects);
    case 'toolOutput':
      return searchOutputs(state);
    case 'tree':
      return openTree(state);
    case 'quit':
      return { ...state, exit: { kind: 'interrupted' } };
    case 'undo':
    case 'redraw':
    case 'suspend':
      effects.push({ type: does });
      return state;
  }
}

/** Does what an item of the menu on top offers; an item that is not there closes nothing and does nothing. */
export function choose(state: AppState, index: number, effects: AppEffect[]): AppState {
  const menu = state.overlays.at(-1);
  if (!isMenu(menu)) return state;
  const item = menu.items[index];
  if (item === undefined) return state;
  const closed = { ...state, overlays: state.overlays.slice(0, -1) };
  const { choice } = item;
  switch (choice.kind) {
    case 'action':
      return act(closed, choice.does as PickerAction, effects);
    case 'copy':
      effects.push({ type: 'copy', text: choice.text });
      return closed;
    case 'copyCommand':
      effects.push({ type: 'copyCommand', path: menu.path });
      return closed;
    case 'transcript':
      return openTranscript(closed, menu.path, effects);
    case 'resume':
      return resume(closed, menu.path, choice.choices, effects);
    case 'back':
      return closed;
  }
}

/** Path of the session that the screen is about: the one read, or the selected one. */
function aboutPath(state: AppState): string | undefined {
  const top = state.overlays.at(-1);
  return top?.kind === 'transcript' ? top.path : selectedRow(state.picker)?.path;
}

function open(state: AppState, overlay: Overlay): AppState {
  return { ...state, overlays: [...state.overlays, overlay] };
}

function filter(picker: PickerState, does: 'scope' | 'sort' | 'named' | 'path' | 'hidden'): PickerState {
  switch (does) {
    case 'scope':
      return changeFilters(picker, { scope: picker.scope === 'here' ? 'all' : 'here' });
    case 'sort':
      return changeFilters(picker, { sort: nextSort(picker) });
    case 'named':
      return changeFilters(picker, { isNamedOnly: !picker.isNamedOnly });
    case 'hidden':
      return changeFilters(picker, { isShowingHidden: !picker.isShowingHidden });
    case 'path':
      return { ...picker, isShowingPath: !picker.isShowingPath };
  }
}

function searchOutputs(state: AppState): AppState {
  const picker = toggleOutputs(state.picker);
  if (picker !== state.picker) return { ...state, picker };
  return { ...state, notice: { text: 'Type words to search for first', isWarning: false } };
}

function goBack(state: AppState, effects: AppEffect[]): AppState {
  const top = state.overlays.at(-1);
  if (top?.kind === 'labels') return leaveLabels(state, top, effects);
  if (state.overlays.length > 0) return { ...state, overlays: state.overlays.slice(0, -1) };
  if (state.asking !== undefined) return { ...state, asking: undefined };
  const { picker } = state;
  if (picker.line.text !== '') return { ...state, picker: changeLine(picker, lineOf(), state.nowMs) };
  return { ...state, exit: { kind: 'left' } };
}

function resume(
  state: AppState,
  path: string | undefined,
  choices: readonly ResumeChoice[],
  effects: AppEffect[],
): AppState {
  if (path === undefined || state.asking !== undefined) return state;
  if (state.options.isPicking) return { ...state, exit: { kind: 'picked', path } };
  const seq = state.seq + 1;
  const asking = { seq, path, choices };
  effects.push({ type: 'prepareResume', asking });
  return { ...state, seq, asking };
}

function openCopyMenu(state: AppState): AppState {
  const path = aboutPath(state);
  const row = path === undefined ? undefined : state.picker.rows.get(path);
  return row === undefined ? state : open(state, copyMenu(rowTitle(row), row.path, row.id));
}

/** The entry of the selected hit, while the list has the keys. */
function entryAsked(state: AppState): string | undefined {
  return state.overlays.length > 0 ? undefined : (selectedHit(state.picker)?.entryId ?? undefined);
}

/** The search line as the tree's search takes it: words alone. */
function treeWords({ query }: PickerState): readonly string[] {
  return [...new Set(query.words.flatMap(searchWords))];
}

/** The tree of the selected session, at the selected hit. */
function openTree(state: AppState): AppState {
  const row = selectedRow(state.picker);
  if (row === undefined) return state;
  const isHit = state.overlays.length === 0 && selectedHit(state.picker) !== undefined;
  return openTreeOf(state, row.path, entryAsked(state), isHit ? treeWords(state.picker) : []);
}

/** The tree of a session, at an entry; undefined for the leaf. What lies over the list stays there. */
function openTreeOf(
  state: AppState,
  path: string,
  entryId: string | undefined,
  words: readonly string[] = [],
): AppState {
  const row = state.picker.rows.get(path);
  return {
    ...state,
    tree: { path, title: row === undefined ? '' : rowTitle(row), entryId, words, firstKeys: [], isShown: false },
  };
}

function openLabelled(state: AppState): AppState {
  const list = state.overlays.at(-1);
  const label = list?.kind === 'labels' ? selectedLabel(list) : undefined;
  if (label === undefined) return { ...state, notice: { text: 'No label is selected', isWarning: true } };
  return openTreeOf(state, label.path, label.entryId);
}

function fold(state: AppState, does: 'foldTools' | 'foldThinking'): AppState {
  const screen = state.overlays.at(-1);
  if (screen?.kind !== 'transcript') return state;
  const change =
    does === 'foldTools'
      ? { isFoldingTools: !screen.isFoldingTools }
      : { isFoldingThinking: !screen.isFoldingThinking };
  return { ...state, overlays: [...state.overlays.slice(0, -1), { ...screen, ...change }] };
}

function scroll(
  state: AppState,
  does: 'scrollUp' | 'scrollDown' | 'scrollPageUp' | 'scrollPageDown' | 'scrollTop' | 'scrollBottom',
): AppState {
  const screen = state.overlays.at(-1);
  if (screen?.kind !== 'transcript' && screen?.kind !== 'help') return state;
  const length = screen.kind === 'help' ? helpLines(state.size.columns).length : screenLines(state, screen).length;
  const rows = screenRows(state);
  const last = Math.max(0, length - rows);
  const now = topLine(screen.top, length, rows);
  const steps = {
    scrollUp: now - 1,
    scrollDown: now + 1,
    scrollPageUp: now - Math.max(1, rows - 1),
    scrollPageDown: now + Math.max(1, rows - 1),
    scrollTop: 0,
    scrollBottom: last,
  };
  const top = Math.max(0, Math.min(steps[does], last));
  const moved =
    screen.kind === 'help'
      ? { ...screen, top }
      : { ...screen, top: top === last ? ('end' as const) : top, place: undefined };
  return { ...state, overlays: [...state.overlays.slice(0, -1), moved] };
}

/** How far the preview can be scrolled up; 0 when there is none. */
export function previewMaxScroll(state: AppState): number {
  const row = selectedRow(state.picker);
  const place = layoutOf(state.size).preview;
  if (row === undefined || place === undefined) return 0;
  const { home } = state.options;
  const view = { cells: place.columns, rows: place.rows, home, nowMs: state.nowMs, scroll: 0 };
  return previewLines(row, state.preview.loaded, view).maxScroll;
}

function scrollPreview(state: AppState, lines: 1 | -1): AppState {
  // How far it can go is held after every event.
  const scroll = Math.max(0, state.preview.scroll + lines);
  return { ...state, preview: { ...state.preview, scroll } };
}
