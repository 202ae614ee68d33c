import { searchWords } from '../session/search-words.ts';
import { positionOfId } from '../session/skeleton.ts';
import { editLine, insert, isLineAction, type Line, lineOf } from './line-edit.ts';
import { clampTop, scrollTo } from './list.ts';
import { act, reveal } from './tree-actions.ts';
import { layOut } from './tree-arrange.ts';
import { panelRows, treeLayoutOf } from './tree-layout.ts';
import { filterTree, makeTreeModel } from './tree-model.ts';
import {
  type EntryLine,
  selectedAt,
  shownWords,
  type TreeAction,
  type TreeEffect,
  type TreeEvent,
  type TreeSearch,
  type TreeViewState,
} from './tree-state.ts';
import { panelLength, previewRoom } from './tree-text.ts';

/** How many texts are kept at most. */
const MAX_LINES = 2_000;
const MIN_PREVIEW_ENTRIES = 12;

/** The tree after an event, and the work that it asks for. Late answers change nothing. */
export function updateTree(state: TreeViewState, event: TreeEvent): readonly [TreeViewState, ...TreeEffect[]] {
  const effects: TreeEffect[] = [];
  const next = settle(step(state, event, effects), state, effects);
  return [next, ...effects];
}

function step(state: TreeViewState, event: TreeEvent, effects: TreeEffect[]): TreeViewState {
  switch (event.type) {
    case 'acted':
      return acted({ ...state, notice: undefined }, event.does, effects);
    case 'typed':
      return changeLine({ ...state, notice: undefined }, insert(state.line, event.text), effects);
    case 'cleared':
      if (state.panel !== undefined) {
        if (state.panel.answer.kind === 'loading') effects.push({ type: 'stopPanel' });
        return { ...state, panel: undefined };
      }
      return changeLine({ ...state, notice: undefined }, lineOf(), effects);
    case 'sought': {
      const at = state.model === undefined ? -1 : positionOfId(state.model.skeleton, event.entryId);
      return state.model === undefined || at < 0 ? state : reveal(state, state.model, at);
    }
    case 'panelScrolled':
      return scrollPanel(state, event);
    case 'treeResized':
      return { ...state, size: event.size };
    case 'treeTicked':
      effects.push({ type: 'checkTree' });
      return { ...state, nowMs: event.nowMs };
    case 'treeRead':
      return treeRead(state, event, effects);
    case 'treeVerified':
      return event.version === state.version ? { ...state, isVerified: true } : state;
    case 'treeFailed':
      if (state.model === undefined) return { ...state, problem: event.reason };
      return { ...state, notice: { text: event.reason, isWarning: true } };
    case 'linesRead':
      return event.version === state.version ? linesRead(state, event.lines) : state;
    case 'hitsFound':
      return hitsFound(state, event);
    case 'pathRead':
      if (state.preview?.seq !== event.seq) return state;
      return { ...state, preview: { ...state.preview, answer: event.answer, isWaiting: false } };
    case 'compared':
      if (state.panel?.kind !== 'compare' || state.panel.seq !== event.seq) return state;
      return { ...state, panel: { ...state.panel, answer: event.answer } };
    case 'contextRead':
      if (state.panel?.kind !== 'context' || state.panel.seq !== event.seq) return state;
      return { ...state, panel: { ...state.panel, answer: event.answer } };
  }
}

function acted(state: TreeViewState, does: TreeAction, effects: TreeEffect[]): TreeViewState {
  return isLineAction(does) ? changeLine(state, editLine(state.line, does), effects) : act(state, does, effects);
}

function treeRead(
  state: TreeViewState,
  { version, skeleton, stamp }: Extract<TreeEvent, { type: 'treeRead' }>,
  effects: TreeEffect[],
): TreeViewState {
  const model = makeTreeModel(skeleton);
  const isFirst = state.model === undefined;
  const wasOnLeaf = state.anchor === state.model?.tip;
  // Who looks at the end of a session that goes on stays at its end.
  const start = isFirst && state.startId !== undefined ? positionOfId(skeleton, state.startId) : -1;
  const isAtLeaf = isFirst || wasOnLeaf || state.anchor >= model.count;
  const anchor = start >= 0 ? start : isAtLeaf ? model.tip : state.anchor;
  // Who comes for an entry sees it, whatever its kind.
  const isHidden = start >= 0 && filterTree(model, state.filter)[start] === 0;
  const read = layOut({
    ...state,
    version,
    stamp,
    model,
    problem: undefined,
    isVerified: false,
    anchor,
    filter: isHidden ? 'all' : state.filter,
    // All is read anew; until then the old texts stay, so that nothing flickers.
    asked: new Set(),
    preview: state.preview === undefined ? undefined : { ...state.preview, at: -1 },
    search: undefined,
    pending: undefined,
    marked: state.marked !== undefined && state.marked < model.count ? state.marked : undefined,
  });
  // With an empty line, the hits of the last search are still there to go through.
  const words =
    state.line.text.trim() === '' ? (state.search?.words ?? state.startWords) : searchWords(state.line.text);
  return startSearch(read, words, effects, undefined);
}

function linesRead(state: TreeViewState, read: readonly EntryLine[]): TreeViewState {
  const lines = new Map(state.lines.size > MAX_LINES ? [] : state.lines);
  for (const line of read) lines.set(line.at, line);
  return { ...state, lines, asked: state.lines.size > MAX_LINES ? new Set() : state.asked };
}

/** Edits the search line; another search starts at once, an empty line shows everything again. */
function changeLine(state: TreeViewState, line: Line, effects: TreeEffect[]): TreeViewState {
  if (line === state.line) return state;
  const next = { ...state, line };
  if (line.text === state.line.text) return next;
  if (line.text.trim() !== '') return startSearch(next, searchWords(line.text), effects, state);
  if (state.pending !== undefined) effects.push({ type: 'stopSearch' });
  // The last hits stay known, for going from one to the next in the whole tree.
  return layOut({ ...next, pending: undefined, asked: new Set() });
}

/** Does each hit of the words lie among those of the earlier ones? */
function narrows(words: readonly string[], earlier: readonly string[]): boolean {
  return earlier.every((word) => words.some((longer) => longer.includes(word)));
}

function startSearch(
  state: TreeViewState,
  words: readonly string[],
  effects: TreeEffect[],
  before: TreeViewState | undefined,
): TreeViewState {
  const { model, search } = state;
  if (words.length === 0 || model === undefined) return state;
  const last = state.pending ?? search;
  if (last !== undefined && before?.line.text.trim() !== '' && last.words.join(' ') === words.join(' ')) return state;
  const seq = state.seq + 1;
  const isNarrower = search?.isDone === true && narrows(words, search.words);
  const within = isNarrower ? positionsOf(search.hits, search.count) : undefined;
  effects.push({ type: 'searchTree', seq, version: state.version, words, within });
  return { ...state, seq, pending: { seq, words, hits: new Uint8Array(model.count), count: 0, isDone: false } };
}

function positionsOf(hits: Uint8Array, count: number): Int32Array {
  const positions = new Int32Array(count);
  let length = 0;
  hits.forEach((hit, at) => {
    if (hit === 1) positions[length++] = at;
  });
  return positions;
}

function hitsFound(
  state: TreeViewState,
  { seq, hits, isDone }: Extract<TreeEvent, { type: 'hitsFound' }>,
): TreeViewState {
  const { pending, search } = state;
  const current = pending?.seq === seq ? pending : search?.seq === seq ? search : undefined;
  if (current === undefined) return state;
  const all = current.hits.slice();
  for (const at of hits) all[at] = 1;
  const found: TreeSearch = { ...current, hits: all, count: current.count + hits.length, isDone };
  const isNew = pending?.seq === seq;
  return layOut({
    ...state,
    ...(isDone ? startNotice(state, found) : {}),
    search: found,
    pending: isNew ? undefined : pending,
    asked: isNew ? new Set() : state.asked,
  });
}

/** Tells that there is more to go to, once what the tree was opened with was found. */
function startNotice({ startWords, line }: TreeViewState, { words, count }: TreeSearch): Partial<TreeViewState> {
  if (words !== startWords || startWords.length === 0) return {};
  if (count < 2 || line.text !== '') return { startWords: [] };
  const text = `F3 goes on to the next of ${count} entries with “${words.join(' ')}”`;
  return { startWords: [], notice: { text, isWarning: false } };
}

/** Keeps the selected row in the window, and asks for what the window shows. */
function settle(state: TreeViewState, before: TreeViewState, effects: TreeEffect[]): TreeViewState {
  const { rows, index } = state;
  if (rows === undefined) return state;
  const height = treeLayoutOf(state.size).listRows;
  const isFirst = before.rows === undefined;
  const atFirst = state.startId === undefined ? height - 1 : Math.floor(height / 2);
  const wished = isFirst ? index - atFirst : state.top;
  const top =
    index < 0 ? 0 : clampTop(scrollTo(index, { top: wished, height, length: rows.length }), height, rows.length);
  const windowed = top === state.top ? state : { ...state, top };
  return askForPath(askForLines(windowed, height, effects), effects);
}

/** Texts of the rows in the window; when some are missing, those of the pages beside it too. */
function askForLines(state: TreeViewState, height: number, effects: TreeEffect[]): TreeViewState {
  const { rows, top, asked, version } = state;
  if (rows === undefined) return state;
  const isMissing = (at: number | undefined): at is number => at !== undefined && !asked.has(at);
  if (!rows.at.subarray(top, top + height).some(isMissing)) return state;
  const ats = Array.from(rows.at.subarray(Math.max(0, top - height), top + 2 * height)).filter(isMissing);
  effects.push({ type: 'readLines', version, ats, words: shownWords(state) });
  return { ...state, asked: new Set([...asked, ...ats]) };
}

/** The path to the selected entry, so much of it as the preview has lines, and more when one scrolls up. */
function askForPath(state: TreeViewState, effects: TreeEffect[]): TreeViewState {
  const place = treeLayoutOf(state.size).preview;
  const at = selectedAt(state);
  if (place === undefined || at < 0) return state.preview === undefined ? state : { ...state, preview: undefined };
  const { preview, version } = state;
  const isSame = preview?.at === at;
  if (isSame && !needsMore(state)) return state;
  const limit = isSame ? preview.limit * 2 : Math.max(MIN_PREVIEW_ENTRIES, place.rows);
  const seq = state.seq + 1;
  effects.push({ type: 'readPath', seq, version, at, limit, isMoving: !isSame });
  // Until the new path is there the old one stays, so that nothing flickers.
  const answer = preview?.answer ?? { kind: 'loading' as const };
  return { ...state, seq, preview: { at, seq, limit, answer, isWaiting: true, scroll: isSame ? preview.scroll : 0 } };
}

function needsMore(state: TreeViewState): boolean {
  const { preview } = state;
  if (preview?.answer.kind !== 'loaded' || preview.isWaiting || preview.answer.value.omitted === 0) return false;
  return preview.scroll >= previewRoom(state).maxScroll && preview.scroll > 0;
}

function scrollPanel(state: TreeViewState, { by, down }: Extract<TreeEvent, { type: 'panelScrolled' }>): TreeViewState {
  const { panel } = state;
  if (panel === undefined) return state;
  const rows = panelRows(state.size);
  const last = Math.max(0, panelLength(state, panel) - rows);
  const steps = { line: 1, page: Math.max(1, rows - 1), end: Number.POSITIVE_INFINITY };
  const top = Math.max(0, Math.min(last, panel.top + (down ? steps[by] : -steps[by])));
  return { ...state, panel: { ...panel, top } };
}
