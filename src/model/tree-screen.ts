import { helpLines } from './help.ts';
import type { KeyPress } from './key-names.ts';
import { type ActionOf, lookUp, type TreeMode } from './keymap.ts';
import type { WindowSize } from './layout.ts';
import { actionMenu, isMenu, type Menu } from './overlays.ts';
import { panelRows } from './tree-layout.ts';
import {
  createTreeView,
  type TreeAction,
  type TreeEffect,
  type TreeEvent,
  type TreeOptions,
  type TreeViewState,
} from './tree-state.ts';
import { updateTree } from './tree-view.ts';

/** What keys can do here. */
type ScreenAction = ActionOf<TreeMode | 'help' | 'menu'>;

/** How the screen ended. */
export type TreeExit = { readonly kind: 'left' } | { readonly kind: 'interrupted' };

/** The tree with what lies over it. */
export interface TreeScreenState {
  readonly view: TreeViewState;
  /** The last one has the keys. */
  readonly overlays: readonly (Menu | { readonly kind: 'help'; readonly top: number })[];
  /** Keys that came before a search found anything and must act on its hits. */
  readonly waiting: readonly KeyPress[];
  readonly exit: TreeExit | undefined;
}

/** What happens to the screen. */
export type TreeScreenEvent =
  | TreeEvent
  | { readonly type: 'keys'; readonly keys: readonly KeyPress[] }
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'noticed'; readonly notice: NonNullable<TreeViewState['notice']> }
  /** An item of the menu on top was chosen. */
  | { readonly type: 'chosen'; readonly index: number };

/** Work that leaves the model, as data. */
export type TreeScreenEffect =
  | TreeEffect
  | { readonly type: 'suspend' }
  | { readonly type: 'redraw' }
  | { readonly type: 'exit'; readonly exit: TreeExit };

/** The screen before its session was read. */
export function createTreeScreen(options: TreeOptions, size: WindowSize, nowMs: number): TreeScreenState {
  return { view: createTreeView(options, size, nowMs), overlays: [], waiting: [], exit: undefined };
}

/** Where keys go now. */
export function treeMode({ view, overlays }: TreeScreenState): TreeMode | 'help' | 'menu' {
  const top = overlays.at(-1);
  if (top !== undefined) return isMenu(top) ? 'menu' : 'help';
  return view.panel === undefined ? 'tree' : 'treePanel';
}

/** The screen after an event, and the work that it asks for. */
export function updateTreeScreen(
  state: TreeScreenState,
  event: TreeScreenEvent,
): readonly [TreeScreenState, ...TreeScreenEffect[]] {
  if (state.exit !== undefined) return [state];
  const effects: TreeScreenEffect[] = [];
  const next = step(state, event, effects);
  if (next.exit !== undefined) effects.push({ type: 'exit', exit: next.exit });
  return [next, ...effects];
}

function step(state: TreeScreenState, event: TreeScreenEvent, effects: TreeScreenEffect[]): TreeScreenState {
  switch (event.type) {
    case 'keys':
      return event.keys.reduce<TreeScreenState>((current, key) => press(current, key, effects), state);
    case 'paste':
      return treeMode(state) === 'tree' ? tell(state, { type: 'typed', text: event.text }, effects) : state;
    case 'noticed':
      return { ...state, view: { ...state.view, notice: event.notice } };
    case 'chosen':
      return choose(state, event.index, effects);
    case 'acted':
    case 'typed':
    case 'cleared':
    case 'panelScrolled':
    case 'treeResized':
    case 'treeTicked':
    case 'treeRead':
    case 'treeVerified':
    case 'treeFailed':
    case 'linesRead':
    case 'hitsFound':
    case 'pathRead':
    case 'compared':
    case 'contextRead':
      return release(tell(state, event, effects), effects);
  }
}

function tell(state: TreeScreenState, event: TreeEvent, effects: TreeScreenEffect[]): TreeScreenState {
  const [view, ...asked] = updateTree(state.view, event);
  effects.push(...asked);
  return view === state.view ? state : { ...state, view };
}

/** One key, in the mode of this moment: an earlier key of the same burst may have changed it. */
function press(state: TreeScreenState, key: KeyPress, effects: TreeScreenEffect[]): TreeScreenState {
  if (state.exit !== undefined) return state;
  const mode = treeMode(state);
  const binding = lookUp(mode, key, state.view.line.text === '');
  const does = binding?.does as ScreenAction | undefined;
  const isTree = mode === 'tree';
  const isText = isTree && does === undefined && key.text !== '';
  // Before there is anything to act on, whatever acts on a row waits for it, and what follows it too.
  const isEmpty = state.view.model === undefined && state.view.problem === undefined;
  const isHasty = does !== undefined && does !== 'back' && !isText && (isEmpty || state.view.pending !== undefined);
  if (isTree && does !== 'quit' && (state.waiting.length > 0 || (isHasty && !isEditing(does)))) {
    return { ...state, waiting: [...state.waiting, key] };
  }
  if (isText) return tell(state, { type: 'typed', text: key.text }, effects);
  return does === undefined ? clearNotice(state) : perform(clearNotice(state), does, effects);
}

function isEditing(does: ScreenAction | undefined): boolean {
  return does !== undefined && /^(delete|line|word|left$|right$)/.test(does);
}

function clearNotice(state: TreeScreenState): TreeScreenState {
  return state.view.notice === undefined ? state : { ...state, view: { ...state.view, notice: undefined } };
}

/** The keys that waited, now that there is something to act on. */
function release(state: TreeScreenState, effects: TreeScreenEffect[]): TreeScreenState {
  const { view, waiting } = state;
  const isReady = (view.model !== undefined || view.problem !== undefined) && view.pending === undefined;
  if (waiting.length === 0 || !isReady) return state;
  return waiting.reduce<TreeScreenState>((current, key) => press(current, key, effects), { ...state, waiting: [] });
}

function perform(state: TreeScreenState, does: ScreenAction, effects: TreeScreenEffect[]): TreeScreenState {
  switch (does) {
    case 'menu':
      return { ...state, overlays: [...state.overlays, actionMenu('tree', state.view.path)] };
    case 'help':
      return { ...state, overlays: [...state.overlays, { kind: 'help', top: 0 }] };
    case 'back':
      return goBack(state, effects);
    case 'quit':
      return { ...state, exit: { kind: 'interrupted' } };
    case 'redraw':
    case 'suspend':
      effects.push({ type: does });
      return state;
    case 'scrollUp':
    case 'scrollDown':
    case 'scrollPageUp':
    case 'scrollPageDown':
    case 'scrollTop':
    case 'scrollBottom':
      return scroll(state, does, effects);
  }
  const action: TreeAction = does;
  return tell(state, { type: 'acted', does: action }, effects);
}

function goBack(state: TreeScreenState, effects: TreeScreenEffect[]): TreeScreenState {
  if (state.overlays.length > 0) return { ...state, overlays: state.overlays.slice(0, -1) };
  const { panel, line } = state.view;
  if (panel === undefined && line.text === '') return { ...state, exit: { kind: 'left' } };
  return tell(state, { type: 'cleared' }, effects);
}

const SCROLLS = {
  scrollUp: { by: 'line', down: false },
  scrollDown: { by: 'line', down: true },
  scrollPageUp: { by: 'page', down: false },
  scrollPageDown: { by: 'page', down: true },
  scrollTop: { by: 'end', down: false },
  scrollBottom: { by: 'end', down: true },
} as const;

function scroll(state: TreeScreenState, does: keyof typeof SCROLLS, effects: TreeScreenEffect[]): TreeScreenState {
  const { by, down } = SCROLLS[does];
  const help = state.overlays.at(-1);
  if (help?.kind !== 'help') return tell(state, { type: 'panelScrolled', by, down }, effects);
  const rows = panelRows(state.view.size);
  const last = Math.max(0, helpLines(state.view.size.columns, 'tree').length - rows);
  const steps = { line: 1, page: Math.max(1, rows - 1), end: Number.POSITIVE_INFINITY };
  const top = Math.max(0, Math.min(last, help.top + (down ? steps[by] : -steps[by])));
  return { ...state, overlays: [...state.overlays.slice(0, -1), { kind: 'help', top }] };
}

/** Does what an item of the menu on top offers. */
function choose(state: TreeScreenState, index: number, effects: TreeScreenEffect[]): TreeScreenState {
  const menu = state.overlays.at(-1);
  if (!isMenu(menu)) return state;
  const choice = menu.items[index]?.choice;
  if (choice?.kind !== 'action') return state;
  return perform({ ...state, overlays: state.overlays.slice(0, -1) }, choice.does as ScreenAction, effects);
}
