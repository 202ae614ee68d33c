import { idAt } from '../session/skeleton.ts';
import {
  type BranchAnswer,
  type BranchDialog,
  type BranchWay,
  type BranchWish,
  branchDialog,
} from './branch-dialog.ts';
import { lineOf } from './line-edit.ts';
import type { TextField, TreeOverlay, TreeScreenEffect, TreeScreenState } from './tree-screen-state.ts';
import { selectedAt } from './tree-state.ts';

const MAX_ENTRY_UNITS = 300;

/** The screen with a notice. */
export function notify(state: TreeScreenState, text: string, isWarning = true): TreeScreenState {
  return { ...state, view: { ...state.view, notice: { text, isWarning } } };
}

function open(state: TreeScreenState, overlay: TreeOverlay): TreeScreenState {
  return { ...state, overlays: [...state.overlays, overlay] };
}

/** Closes what lies on top. */
export function closeTop(state: TreeScreenState): TreeScreenState {
  return { ...state, overlays: state.overlays.slice(0, -1) };
}

/** Asks for the label of the selected entry. */
export function openLabel(state: TreeScreenState): TreeScreenState {
  const { model } = state.view;
  const at = selectedAt(state.view);
  if (model === undefined || at < 0) return state;
  const entryId = idAt(model.skeleton, at);
  return open(state, { kind: 'field', use: 'label', entryId, line: lineOf(model.labels.get(at)?.label) });
}

/** Looks into branching at the selected entry. */
export function askToBranch(state: TreeScreenState, effects: TreeScreenEffect[]): TreeScreenState {
  const { path, model, stamp } = state.view;
  const at = selectedAt(state.view);
  if (model === undefined || at < 0) return state;
  if (state.isPicking) return notify(state, 'A session is only picked here: branch in bough itself, or bough tree');
  return ask(state, { path, at, entryId: idAt(model.skeleton, at), seen: stamp, choices: [] }, effects);
}

function ask(state: TreeScreenState, point: BranchDialog['point'], effects: TreeScreenEffect[]): TreeScreenState {
  const seq = state.seq + 1;
  effects.push({ type: 'planBranch', seq, point });
  return { ...state, seq, asking: { ...point, seq } };
}

/** Opens the dialog that was asked for; an answer that nobody waits for any more opens nothing. */
export function planned(state: TreeScreenState, seq: number, answer: BranchAnswer): TreeScreenState {
  const { asking, view } = state;
  if (asking === undefined || asking.seq !== seq) return state;
  const { seq: _, ...point } = asking;
  const line = view.lines.get(point.at);
  const text = line === undefined ? point.entryId : `${line.speaker}${line.text.slice(0, MAX_ENTRY_UNITS)}`;
  return open({ ...state, asking: undefined }, branchDialog(point, text, answer));
}

/** Does what an item of the dialog offers. */
export function chooseInDialog(
  state: TreeScreenState,
  dialog: BranchDialog,
  choice: BranchDialog['items'][number]['choice'],
  effects: TreeScreenEffect[],
): TreeScreenState {
  switch (choice.kind) {
    case 'branch':
      return leave(state, dialog, choice.way, undefined, effects);
    case 'summary':
      return open(state, { kind: 'field', use: 'summary', dialog, way: choice.way, line: lineOf() });
    case 'agree': {
      const { point } = dialog;
      return ask(closeTop(state), { ...point, choices: [...point.choices, choice.choice] }, effects);
    }
    case 'copyText':
      effects.push({ type: 'copyEntry', version: state.view.version, at: dialog.point.at });
      return closeTop(state);
    case 'back':
      return closeTop(state);
    case 'action':
      return state;
  }
}

/** Takes the line as it stands. */
export function acceptLine(state: TreeScreenState, field: TextField, effects: TreeScreenEffect[]): TreeScreenState {
  const { text } = field.line;
  if (field.use === 'summary') return leave(state, field.dialog, field.way, text.trim() || undefined, effects);
  effects.push({ type: 'setLabel', entryId: field.entryId, label: text, seen: state.view.stamp });
  return closeTop(state);
}

/** Ends the screen with a wish; a message's text is copied first, while there is a screen. */
function leave(
  state: TreeScreenState,
  { point, text }: BranchDialog,
  way: BranchWay,
  summary: string | undefined,
  effects: TreeScreenEffect[],
): TreeScreenState {
  const wish: BranchWish = { ...point, way, summary, copied: undefined };
  if (text === undefined) return { ...state, exit: { kind: 'branch', wish } };
  effects.push({ type: 'copyFirst', text });
  return { ...state, overlays: [], leavingWith: wish };
}
