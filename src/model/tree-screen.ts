import { helpLines } from './help.ts';
import type { KeyPress } from './key-names.ts';
import { type ActionOf, lookUp, type TreeMode } from './keymap.ts';
import {
  actOnLabels,
  addLabels,
  changeLabelLine,
  createLabelList,
  isLabelListAction,
  type LabelList,
  resizeLabels,
  selectedLabel,
  typeIntoLabels,
} from './label-list.ts';
import { editLine, insert, isLineAction, type Line, lineOf } from './line-edit.ts';
import { actionMenu, isMenu } from './overlays.ts';
import { acceptLine, askToBranch, chooseInDialog, closeTop, notify, openLabel, planned } from './tree-changes.ts';
import { panelRows } from './tree-layout.ts';
import { type TreeScreenEffect, type TreeScreenEvent, type TreeScreenState, treeMode } from './tree-screen-state.ts';
import { selectedAt, type TreeAction, type TreeEvent } from './tree-state.ts';
import { updateTree } from './tree-view.ts';
import { returnToTree, visitTree } from './tree-visits.ts';

/** What keys can do here. */
type ScreenAction = ActionOf<TreeMode | 'help' | 'menu' | 'dialog'>;

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
      return type(state, event.text, effects);
    case 'noticed':
      return notify(state, event.notice.text, event.notice.isWarning);
    case 'branchPlanned':
      return planned(state, event.seq, event.answer);
    case 'copied':
      if (state.leavingWith === undefined) return state;
      return { ...state, exit: { kind: 'branch', wish: { ...state.leavingWith, copied: event.said } } };
    case 'chosen':
      return choose(state, event.index, effects);
    case 'labelsFound':
      return changeLabels(state, (list) =>
        list.seq === event.seq ? addLabels(list, event.found, state.view.size) : list,
      );
    case 'treeResized':
      return changeLabels(tell(state, event, effects), (list) => resizeLabels(list, event.size));
    case 'sought':
    case 'acted':
    case 'typed':
    case 'cleared':
    case 'panelScrolled':
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

/** Text goes into the line that has the keys; elsewhere it is nobody's. */
function type(state: TreeScreenState, text: string, effects: TreeScreenEffect[]): TreeScreenState {
  const mode = treeMode(state);
  if (mode === 'labels') return changeLabels(state, (list) => typeIntoLabels(list, text, state.view.size));
  if (mode === 'field') return changeField(state, (line) => insert(line, text));
  return mode === 'tree' && state.leavingWith === undefined ? tell(state, { type: 'typed', text }, effects) : state;
}

function changeLabels(state: TreeScreenState, change: (list: LabelList) => LabelList): TreeScreenState {
  const overlays = state.overlays.map((overlay) => (overlay.kind === 'labels' ? change(overlay) : overlay));
  return { ...state, overlays };
}

/** The tree of the selected label's session, at its entry: this one, or another. */
function openLabelled(state: TreeScreenState, effects: TreeScreenEffect[]): TreeScreenState {
  const list = state.overlays.at(-1);
  const label = list?.kind === 'labels' ? selectedLabel(list) : undefined;
  if (label === undefined) return notify(state, 'No label is selected');
  const { path, entryId } = label;
  effects.push({ type: 'stopLabels' });
  if (path === state.view.path) return tell(closeTop(state), { type: 'sought', entryId }, effects);
  return visitTree(state, path, entryId, effects);
}

function changeField(state: TreeScreenState, change: (line: Line) => Line): TreeScreenState {
  const field = state.overlays.at(-1);
  if (field?.kind !== 'field') return state;
  return { ...state, overlays: [...state.overlays.slice(0, -1), { ...field, line: change(field.line) }] };
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
  // Whoever is leaving has decided.
  if (state.leavingWith !== undefined && does !== 'quit') return state;
  const isText = (isTree || mode === 'field' || mode === 'labels') && does === undefined && key.text !== '';
  // Before there is anything to act on, whatever acts on a row waits for it, and what follows it too.
  const isEmpty = state.view.model === undefined && state.view.problem === undefined;
  const isHasty = does !== undefined && does !== 'back' && !isText && (isEmpty || state.view.pending !== undefined);
  if (isTree && does !== 'quit' && (state.waiting.length > 0 || (isHasty && !isEditing(does)))) {
    return { ...state, waiting: [...state.waiting, key] };
  }
  if (isText) return type(clearNotice(state), key.text, effects);
  if (does === undefined) return clearNotice(state);
  if (isTree && binding?.when !== undefined && selectedAt(state.view) < 0) return notify(state, 'No entry is selected');
  return perform(clearNotice(state), does, effects);
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
  if (treeMode(state) === 'labels' && isLabelListAction(does))
    return changeLabels(state, (list) => actOnLabels(list, does, state.view.size));
  switch (does) {
    case 'menu':
      return { ...state, overlays: [...state.overlays, { ...actionMenu('tree', state.view.path), kind: 'menu' }] };
    case 'help':
      return { ...state, overlays: [...state.overlays, { kind: 'help', top: 0 }] };
    case 'label':
      return openLabel(state);
    case 'branch':
      return askToBranch(state, effects);
    case 'accept': {
      const field = state.overlays.at(-1);
      return field?.kind === 'field' ? acceptLine(state, field, effects) : state;
    }
    case 'labels': {
      const seq = state.seq + 1;
      effects.push({ type: 'readLabels', seq });
      return { ...state, seq, overlays: [...state.overlays, createLabelList(seq)] };
    }
    case 'openLabelled':
      return openLabelled(state, effects);
    case 'back':
      return goBack(state, effects);
    case 'quit':
      return { ...state, exit: { kind: 'interrupted' } };
    case 'undo':
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
  if (treeMode(state) === 'field')
    return isLineAction(action) ? changeField(state, (line) => editLine(line, action)) : state;
  return tell(state, { type: 'acted', does: action }, effects);
}

function goBack(state: TreeScreenState, effects: TreeScreenEffect[]): TreeScreenState {
  const top = state.overlays.at(-1);
  if (top?.kind === 'labels') {
    if (top.line.text !== '') return changeLabels(state, (list) => changeLabelLine(list, lineOf(), state.view.size));
    effects.push({ type: 'stopLabels' });
  }
  if (top !== undefined) return closeTop(state);
  if (state.asking !== undefined) return { ...state, asking: undefined };
  const { panel, line } = state.view;
  if (panel !== undefined || line.text !== '') return tell(state, { type: 'cleared' }, effects);
  return state.behind === undefined ? { ...state, exit: { kind: 'left' } } : returnToTree(state, state.behind, effects);
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
  if (choice === undefined) return state;
  if (menu.kind === 'dialog') return chooseInDialog(state, menu, choice, effects);
  return choice.kind === 'action' ? perform(closeTop(state), choice.does as ScreenAction, effects) : state;
}
