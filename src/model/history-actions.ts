import type { SentPlace } from '../history/prompt-history.ts';
import { entryLines } from './entry-lines.ts';
import { helpLines } from './help.ts';
import { promptPreview } from './history-preview.ts';
import {
  type HistoryAction,
  type HistoryEffect,
  type HistoryOverlay,
  type HistoryState,
  historyMode,
  listHeight,
  type PlaceScreen,
  selectedGroup,
} from './history-state.ts';
import { layoutOf } from './layout.ts';
import { editLine, lineOf } from './line-edit.ts';
import { clampIndex, scrollTo } from './list.ts';
import { actionMenu } from './overlays.ts';
import type { Spans } from './spans.ts';

const SCREEN_UNITS = 20_000;

/** The selection on prompt `index` (brought into the list), the window around it. */
export function selectPrompt(state: HistoryState, index: number): HistoryState {
  const { groups } = state;
  const clamped = clampIndex(index, groups.length);
  const top = scrollTo(clamped, { top: state.top, height: listHeight(state), length: groups.length });
  const isSame = groups[clamped]?.prompt === selectedGroup(state)?.prompt;
  return { ...state, index: clamped, top, scroll: isSame ? state.scroll : 0 };
}

/** Does what a key or a menu asks for. */
export function historyAct(state: HistoryState, does: HistoryAction, effects: HistoryEffect[]): HistoryState {
  const page = Math.max(1, listHeight(state) - 1);
  switch (does) {
    case 'previous':
      return selectPrompt(state, state.index - 1);
    case 'next':
      return selectPrompt(state, state.index + 1);
    case 'pageUp':
      return selectPrompt(state, state.index - page);
    case 'pageDown':
      return selectPrompt(state, state.index + page);
    case 'first':
      return selectPrompt(state, 0);
    case 'last':
      return selectPrompt(state, state.groups.length - 1);
    case 'scope':
      return { ...state, scope: state.scope === 'here' ? 'all' : 'here' };
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
      return { ...state, line: editLine(state.line, does) };
    case 'previewUp':
    case 'previewDown':
      return scrollPreview(state, does === 'previewUp' ? -1 : 1);
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
    case 'print':
      return print(state);
    case 'copyPrompt':
      return copy(state, effects);
    case 'places':
      return askForPlaces(state, effects);
    case 'nextPlace':
      return turnPlace(state, 1, effects);
    case 'previousPlace':
      return turnPlace(state, -1, effects);
    case 'menu':
      return open(state, actionMenu(historyMode(state), ''));
    case 'help':
      return open(state, { kind: 'help', top: 0 });
    case 'back':
      return goBack(state);
    case 'quit':
      return { ...state, exit: { kind: 'interrupted' } };
    case 'redraw':
    case 'suspend':
      effects.push({ type: does });
      return state;
  }
}

function open(state: HistoryState, overlay: HistoryOverlay): HistoryState {
  return { ...state, overlays: [...state.overlays, overlay] };
}

function replaceTop(state: HistoryState, overlay: HistoryOverlay): HistoryState {
  return { ...state, overlays: [...state.overlays.slice(0, -1), overlay] };
}

function goBack(state: HistoryState): HistoryState {
  if (state.overlays.length > 0) return { ...state, overlays: state.overlays.slice(0, -1) };
  if (state.asking !== undefined) return { ...state, asking: undefined };
  if (state.line.text !== '') return { ...state, line: lineOf() };
  return { ...state, exit: { kind: 'left' } };
}

function print(state: HistoryState): HistoryState {
  const group = selectedGroup(state);
  return group === undefined ? state : { ...state, exit: { kind: 'picked', prompt: group.prompt } };
}

function copy(state: HistoryState, effects: HistoryEffect[]): HistoryState {
  const screen = state.overlays.at(-1);
  const text = screen?.kind === 'historyTranscript' ? screen.prompt : selectedGroup(state)?.prompt;
  if (text !== undefined) effects.push({ type: 'copy', text });
  return state;
}

function askForPlaces(state: HistoryState, effects: HistoryEffect[]): HistoryState {
  const group = selectedGroup(state);
  if (group === undefined) return state;
  const asking = { seq: state.seq + 1, prompt: group.prompt };
  effects.push({ type: 'findPlaces', ...asking });
  return { ...state, seq: asking.seq, asking };
}

/** The session at one of the places where a prompt was sent, over everything else. */
export function openPlace(
  state: HistoryState,
  { prompt, places, index }: Pick<PlaceScreen, 'prompt' | 'places' | 'index'>,
  effects: HistoryEffect[],
): HistoryState {
  const place: SentPlace | undefined = places[index];
  if (place === undefined) return state;
  const seq = state.seq + 1;
  effects.push({ type: 'readPlace', seq, place });
  return open(
    { ...state, seq },
    {
      kind: 'historyTranscript',
      prompt,
      places,
      index,
      seq,
      loaded: { kind: 'loading' },
      top: 'prompt',
      isFoldingTools: true,
      isFoldingThinking: true,
    },
  );
}

function turnPlace(state: HistoryState, step: 1 | -1, effects: HistoryEffect[]): HistoryState {
  const screen = state.overlays.at(-1);
  if (screen?.kind !== 'historyTranscript') return state;
  const index = screen.index + step;
  if (screen.places[index] === undefined) {
    const text = step > 0 ? 'It was sent nowhere else before this' : 'It was sent nowhere else after this';
    return { ...state, notice: { text, isWarning: false } };
  }
  const below = { ...state, overlays: state.overlays.slice(0, -1) };
  return openPlace(below, { ...screen, index }, effects);
}

function fold(state: HistoryState, does: 'foldTools' | 'foldThinking'): HistoryState {
  const screen = state.overlays.at(-1);
  if (screen?.kind !== 'historyTranscript') return state;
  const change =
    does === 'foldTools'
      ? { isFoldingTools: !screen.isFoldingTools }
      : { isFoldingThinking: !screen.isFoldingThinking };
  return replaceTop(state, { ...screen, ...change });
}

/** Lines of a scrolled screen: what is left below its heading and above its status bar. */
export function scrolledRows(state: HistoryState): number {
  return Math.max(1, state.size.rows - 2);
}

/** The lines of the session, and where its top is now; [] while it is read. */
export function placeLines(
  state: HistoryState,
  screen: PlaceScreen,
): { readonly lines: readonly Spans[]; readonly top: number } {
  if (screen.loaded.kind !== 'loaded') return { lines: [], top: 0 };
  const { isFoldingTools, isFoldingThinking } = screen;
  const { columns: cells } = state.size;
  const view = { cells, nowMs: state.nowMs, isFoldingTools, isFoldingThinking, maxUnits: SCREEN_UNITS };
  const { lines, head } = entryLines(screen.loaded.transcript, screen.loaded.at, view);
  const last = Math.max(0, lines.length - scrolledRows(state));
  return { lines, top: Math.min(screen.top === 'prompt' ? head : screen.top, last) };
}

function scroll(
  state: HistoryState,
  does: 'scrollUp' | 'scrollDown' | 'scrollPageUp' | 'scrollPageDown' | 'scrollTop' | 'scrollBottom',
): HistoryState {
  const screen = state.overlays.at(-1);
  if (screen?.kind !== 'historyTranscript' && screen?.kind !== 'help') return state;
  const rows = scrolledRows(state);
  const { lines, top: now } =
    screen.kind === 'help'
      ? { lines: helpLines(state.size.columns, 'history'), top: screen.top }
      : placeLines(state, screen);
  const last = Math.max(0, lines.length - rows);
  const steps = {
    scrollUp: now - 1,
    scrollDown: now + 1,
    scrollPageUp: now - Math.max(1, rows - 1),
    scrollPageDown: now + Math.max(1, rows - 1),
    scrollTop: 0,
    scrollBottom: last,
  };
  return replaceTop(state, { ...screen, top: Math.max(0, Math.min(steps[does], last)) });
}

function scrollPreview(state: HistoryState, lines: 1 | -1): HistoryState {
  const group = selectedGroup(state);
  const place = layoutOf(state.size).preview;
  if (group === undefined || place === undefined) return state;
  const { home } = state.options;
  const view = { cells: place.columns, rows: place.rows, home, nowMs: state.nowMs, query: state.shownQuery };
  const { maxScroll } = promptPreview(group, { ...view, scroll: 0 });
  return { ...state, scroll: Math.max(0, Math.min(state.scroll + lines, maxScroll)) };
}
