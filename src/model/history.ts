import type { PromptNews, SentPlace } from '../history/prompt-history.ts';
import { historyAct, openPlace, selectPrompt } from './history-actions.ts';
import {
  type HistoryAction,
  type HistoryEffect,
  type HistoryEvent,
  type HistoryState,
  historyMode,
  selectedGroup,
} from './history-state.ts';
import type { KeyPress } from './key-names.ts';
import { lookUp } from './keymap.ts';
import { insert, isLineAction, type Line } from './line-edit.ts';
import { isMenu } from './overlays.ts';

/** The screen after an event, and the work that it asks for. Late answers change nothing. */
export function updateHistory(state: HistoryState, event: HistoryEvent): readonly [HistoryState, ...HistoryEffect[]] {
  if (state.exit !== undefined) return [state];
  const effects: HistoryEffect[] = [];
  const next = step(state, event, effects);
  const { search } = next;
  if (search !== undefined && search.seq !== state.search?.seq) {
    const { seq, query, folders } = search;
    effects.push({ type: 'search', seq, query, folders });
  }
  if (next.exit !== undefined) effects.push({ type: 'exit', exit: next.exit });
  return [next, ...effects];
}

function step(state: HistoryState, event: HistoryEvent, effects: HistoryEffect[]): HistoryState {
  switch (event.type) {
    case 'started':
      return startSearch(state);
    case 'keys':
      return event.keys.reduce<HistoryState>((current, key) => press(current, key, effects), state);
    case 'paste':
      return historyMode(state) === 'history' ? changeLine(state, insert(state.line, event.text)) : state;
    case 'resized':
      return selectPrompt({ ...state, size: event.size }, state.index);
    case 'ticked': {
      const ticked = { ...state, nowMs: event.nowMs };
      // A database that was locked may be free by now.
      return state.problems.length > 0 && state.search === undefined ? startSearch(ticked) : ticked;
    }
    case 'found':
      return state.search?.seq === event.seq ? release(found(state, event.news), effects) : state;
    case 'searchFailed':
      if (state.search?.seq !== event.seq) return state;
      return { ...state, search: undefined, waiting: [], notice: { text: event.reason, isWarning: true } };
    case 'placesFound':
      return state.asking?.seq === event.seq ? placesFound(state, event.places, effects) : state;
    case 'placesFailed':
      if (state.asking?.seq !== event.seq) return state;
      return { ...state, asking: undefined, notice: { text: event.reason, isWarning: true } };
    case 'transcriptRead':
      return loaded(state, event.seq, { kind: 'loaded', ...event.answer });
    case 'transcriptFailed':
      return loaded(state, event.seq, { kind: 'failed', reason: event.reason });
    case 'noticed':
      return { ...state, notice: event.notice };
    case 'chosen':
      return choose(state, event.index, effects);
  }
}

/** Asks anew for what the line and the scope say. */
function startSearch(state: HistoryState): HistoryState {
  const seq = state.seq + 1;
  const folders = state.scope === 'here' ? state.options.here : undefined;
  return { ...state, seq, search: { seq, query: state.line.text, folders, isSettled: false } };
}

/** Another search line; another text starts a search. */
function changeLine(state: HistoryState, line: Line): HistoryState {
  if (line === state.line) return state;
  const isSame = line.text.trim() === state.line.text.trim();
  return isSame ? { ...state, line } : startSearch({ ...state, line, asking: undefined });
}

/** One key, in the mode of this moment: an earlier key of the same burst may have changed it. */
function press(state: HistoryState, key: KeyPress, effects: HistoryEffect[]): HistoryState {
  if (state.exit !== undefined) return state;
  const mode = historyMode(state);
  const binding = lookUp(mode, key, state.line.text === '');
  const isList = mode === 'history';
  const isText = isList && binding === undefined && key.text !== '';
  const does = binding?.does as HistoryAction | undefined;
  // Before a search has anything to show, whatever acts on a prompt waits for it, and what follows it too.
  const isHasty = state.search?.isSettled === false && !isText && does !== undefined && !isEditing(does);
  if (isList && does !== 'quit' && (state.waiting.length > 0 || isHasty)) {
    return { ...state, waiting: [...state.waiting, key] };
  }
  const fresh = state.notice === undefined ? state : { ...state, notice: undefined };
  if (isText) return changeLine(fresh, insert(fresh.line, key.text));
  if (does === undefined) return fresh;
  if (binding?.when !== undefined && isList && selectedGroup(fresh) === undefined) {
    return { ...fresh, notice: { text: 'No prompt is selected', isWarning: true } };
  }
  return perform(fresh, does, effects);
}

function isEditing(does: HistoryAction): boolean {
  return isLineAction(does) || does === 'back';
}

function perform(state: HistoryState, does: HistoryAction, effects: HistoryEffect[]): HistoryState {
  const before = { ...state, asking: undefined };
  const after = historyAct(does === 'back' ? state : before, does, effects);
  if (after.scope !== state.scope) return startSearch({ ...after, index: 0, top: 0, scroll: 0, groups: [] });
  return after.line === state.line ? after : changeLine({ ...after, line: state.line }, after.line);
}

/** The keys that waited for a search, now that it has something to show. */
function release(state: HistoryState, effects: HistoryEffect[]): HistoryState {
  if (state.search?.isSettled === false || state.waiting.length === 0) return state;
  return state.waiting.reduce<HistoryState>((current, key) => press(current, key, effects), { ...state, waiting: [] });
}

function found(state: HistoryState, news: PromptNews): HistoryState {
  const { search } = state;
  if (search === undefined) return state;
  const { groups, hasMore, isDone, databaseCount, problems } = news;
  const isSettled = isDone || groups.length > 0;
  // What was shown before stays until there is something else: no flicker between two keys.
  if (!isSettled) return { ...state, databaseCount };
  const isFirst = !search.isSettled;
  const isOtherQuery = isFirst && search.query !== state.shownQuery;
  const selected = selectedGroup(state)?.prompt;
  const next = {
    ...state,
    groups,
    shownQuery: search.query,
    hasMore,
    databaseCount,
    problems,
    search: isDone ? undefined : { ...search, isSettled },
    scroll: isOtherQuery ? 0 : state.scroll,
    notice: noticeOf(state, problems),
  };
  // At the top the newest prompt is meant, further down the one that was chosen.
  const isAtTop = isOtherQuery || state.index === 0;
  const followed = isAtTop ? 0 : groups.findIndex(({ prompt }) => prompt === selected);
  return selectPrompt({ ...next, top: isOtherQuery ? 0 : state.top }, followed < 0 ? state.index : followed);
}

/** Each problem is told once. */
function noticeOf(state: HistoryState, problems: readonly string[]): HistoryState['notice'] {
  const news = problems.filter((problem) => !state.problems.includes(problem));
  if (news.length === 0) return state.notice;
  const more = news.length === 1 ? '' : ` (and ${news.length - 1} more)`;
  return { text: `${news[0]}${more}`, isWarning: true };
}

function placesFound(state: HistoryState, places: readonly SentPlace[], effects: HistoryEffect[]): HistoryState {
  const { asking } = state;
  if (asking === undefined) return state;
  const done = { ...state, asking: undefined };
  if (places.length === 0)
    return { ...done, notice: { text: 'No session holds this prompt any more', isWarning: true } };
  return openPlace(done, { prompt: asking.prompt, places, index: 0 }, effects);
}

function loaded(
  state: HistoryState,
  seq: number,
  answer: Extract<HistoryState['overlays'][number], { kind: 'historyTranscript' }>['loaded'],
): HistoryState {
  const overlays = state.overlays.map((overlay) =>
    overlay.kind === 'historyTranscript' && overlay.seq === seq ? { ...overlay, loaded: answer } : overlay,
  );
  return { ...state, overlays };
}

/** Does what an item of the menu on top offers. */
function choose(state: HistoryState, index: number, effects: HistoryEffect[]): HistoryState {
  const menu = state.overlays.at(-1);
  if (!isMenu(menu)) return state;
  const choice = menu.items[index]?.choice;
  if (choice?.kind !== 'action') return state;
  const closed = { ...state, overlays: state.overlays.slice(0, -1) };
  return perform(closed, choice.does as HistoryAction, effects);
}
