import { type Layout, layoutOf, type WindowSize } from './layout.ts';

/** Where everything of the tree goes: as in the list, without headings over its columns. */
export function treeLayoutOf(size: WindowSize): Layout {
  const layout = layoutOf(size);
  return layout.hasHeadings ? { ...layout, hasHeadings: false, listRows: layout.listRows + 1 } : layout;
}

/** Lines of a panel that lies over the tree: what is left between its heading and the status bar. */
export function panelRows({ rows }: WindowSize): number {
  return Math.max(1, rows - 2);
}
