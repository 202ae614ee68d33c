import type { LabelsFound } from '../catalog/catalog.ts';
import type { AppEffect, AppState } from './app-state.ts';
import { addLabels, changeLabelLine, createLabelList, type LabelList } from './label-list.ts';
import { lineOf } from './line-edit.ts';

/** The list of labels over the list of sessions, changed; nothing happens where it is not open. */
export function changeLabels(state: AppState, change: (list: LabelList) => LabelList): AppState {
  const overlays = state.overlays.map((overlay) => (overlay.kind === 'labels' ? change(overlay) : overlay));
  return { ...state, overlays };
}

/** Opens the list of labels, and has them read. */
export function openLabels(state: AppState, effects: AppEffect[]): AppState {
  const seq = state.seq + 1;
  effects.push({ type: 'readLabels', seq });
  return { ...state, seq, overlays: [...state.overlays, createLabelList(seq)] };
}

/** Takes labels that were found; those of a list that was closed are nobody's. */
export function labelsFound(state: AppState, seq: number, found: LabelsFound): AppState {
  return changeLabels(state, (list) => (list.seq === seq ? addLabels(list, found, state.size) : list));
}

/** Esc in the list: clears its line first, then closes it. */
export function leaveLabels(state: AppState, list: LabelList, effects: AppEffect[]): AppState {
  if (list.line.text !== '') return changeLabels(state, (open) => changeLabelLine(open, lineOf(), state.size));
  effects.push({ type: 'stopLabels' });
  return { ...state, overlays: state.overlays.slice(0, -1) };
}
