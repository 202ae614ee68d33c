/** The index of the first row of the window. Rows are counted from 0. */
export interface Window {
  readonly top: number;
  readonly height: number;
  readonly length: number;
}

/** A position brought into the list: 0 … length − 1, or 0 for an empty list. */
export function clampIndex(index: number, length: number): number {
  return Math.max(0, Math.min(index, length - 1));
}

/** The top of the window, moved as little as possible so that the row is inside and no line stays empty without need. */
export function scrollTo(index: number, { top, height, length }: Window): number {
  const rows = Math.max(1, height);
  const shown = index < top ? index : index >= top + rows ? index - rows + 1 : top;
  return clampTop(shown, rows, length);
}

/** The top of the window, held where the last line of it is the last row at most. */
export function clampTop(top: number, height: number, length: number): number {
  return Math.max(0, Math.min(top, length - Math.max(1, height)));
}

/**
 * Where the selection is after the list changed: on the same id, and if it is gone on the row that took its place (the last
 * one at the end). undefined for an empty list.
 */
export function followSelection(
  ids: readonly string[],
  selected: string | undefined,
  lastIndex: number,
): number | undefined {
  if (ids.length === 0) return undefined;
  const index = selected === undefined ? -1 : ids.indexOf(selected);
  return index >= 0 ? index : clampIndex(lastIndex, ids.length);
}
