import { byLabelTime, type LabelledEntry } from '../catalog/label-entry.ts';
import type { WindowSize } from './layout.ts';
import { editLine, insert, isLineAction, type Line, type LineAction, lineOf } from './line-edit.ts';
import { clampIndex, scrollTo } from './list.ts';

/** The labels of all sessions on the whole screen, the one set last first. */
export interface LabelList {
  readonly kind: 'labels';
  readonly seq: number;
  readonly labels: readonly LabelledEntry[];
  /** Those that hold all words of the line. */
  readonly shown: readonly LabelledEntry[];
  /** Sessions and folders that could not be read. */
  readonly problems: readonly string[];
  readonly isDone: boolean;
  readonly line: Line;
  /** The selected one of those shown. */
  readonly index: number;
  readonly top: number;
}

/** What keys do to the list. */
type Move = 'previous' | 'next' | 'pageUp' | 'pageDown' | 'first' | 'last';

const moves: readonly string[] = ['previous', 'next', 'pageUp', 'pageDown', 'first', 'last'] satisfies readonly Move[];

/** Is it something that a key does to the list itself? */
export function isLabelListAction(does: string): does is Move | LineAction {
  return moves.includes(does) || isLineAction(does);
}

/** The list before any label was found. */
export function createLabelList(seq: number): LabelList {
  return {
    kind: 'labels',
    seq,
    labels: [],
    shown: [],
    problems: [],
    isDone: false,
    line: lineOf(),
    index: 0,
    top: 0,
  };
}

/** Rows of the list: what is left between its heading, the search line and the status bar. */
export function labelRows({ rows }: WindowSize): number {
  return Math.max(1, rows - 3);
}

/** The selected label; undefined when none is shown. */
export function selectedLabel({ shown, index }: LabelList): LabelledEntry | undefined {
  return shown[index];
}

function holds({ label, text, cwd, id, path }: LabelledEntry, words: readonly string[]): boolean {
  const all = `${label}\n${text}\n${cwd ?? ''}\n${id ?? path}`.toLowerCase();
  return words.every((word) => all.includes(word));
}

/** Narrows to the words of the line; the selection stays on its label. */
function narrow(list: LabelList, size: WindowSize): LabelList {
  const words = list.line.text.toLowerCase().split(/\s+/);
  const selected = selectedLabel(list);
  const shown = list.labels.filter((label) => holds(label, words));
  const at = selected === undefined ? -1 : shown.indexOf(selected);
  return select({ ...list, shown }, Math.max(0, at), size);
}

function select(list: LabelList, index: number, size: WindowSize): LabelList {
  const { length } = list.shown;
  const to = clampIndex(index, length);
  return { ...list, index: to, top: scrollTo(to, { top: list.top, height: labelRows(size), length }) };
}

/** The list in a window of another size. */
export function resizeLabels(list: LabelList, size: WindowSize): LabelList {
  return select(list, list.index, size);
}

/** The list with what was found since; who has not moved stays at the top. */
export function addLabels(
  list: LabelList,
  found: { readonly labels: readonly LabelledEntry[]; readonly problems: readonly string[]; readonly isDone: boolean },
  size: WindowSize,
): LabelList {
  const labels = [...list.labels, ...found.labels].sort(byLabelTime);
  const next = { ...list, labels, problems: [...list.problems, ...found.problems], isDone: found.isDone };
  return list.index === 0 ? select(narrow(next, size), 0, size) : narrow(next, size);
}

/** The list after a key. */
export function actOnLabels(list: LabelList, does: Move | LineAction, size: WindowSize): LabelList {
  const page = Math.max(1, labelRows(size) - 1);
  switch (does) {
    case 'previous':
      return select(list, list.index - 1, size);
    case 'next':
      return select(list, list.index + 1, size);
    case 'pageUp':
      return select(list, list.index - page, size);
    case 'pageDown':
      return select(list, list.index + page, size);
    case 'first':
      return select(list, 0, size);
    case 'last':
      return select(list, list.shown.length - 1, size);
  }
  return changeLabelLine(list, editLine(list.line, does), size);
}

/** The list after a text was typed or pasted. */
export function typeIntoLabels(list: LabelList, text: string, size: WindowSize): LabelList {
  return changeLabelLine(list, insert(list.line, text), size);
}

/** The list with another search line. */
export function changeLabelLine(list: LabelList, line: Line, size: WindowSize): LabelList {
  return line.text === list.line.text ? { ...list, line } : narrow({ ...list, line }, size);
}
