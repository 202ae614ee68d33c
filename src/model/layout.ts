/** The terminal, in cells. */
export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

/** Where everything goes; all figures in cells. */
export interface Layout {
  /** Too small for a list: only a short notice fits. */
  readonly isTiny: boolean;
  readonly hasHeader: boolean;
  readonly hasHeadings: boolean;
  readonly listColumns: number;
  readonly listRows: number;
  /** undefined: no room for it. */
  readonly preview: { readonly place: 'right' | 'below'; readonly columns: number; readonly rows: number } | undefined;
}

const MIN_COLUMNS = 20;
const MIN_ROWS = 5;
const SIDE_BY_SIDE_COLUMNS = 100;

/** Divides the window: header, search line, headings, list with preview, status bar. */
export function layoutOf({ columns, rows }: WindowSize): Layout {
  const hasHeader = rows >= 8;
  const hasHeadings = rows >= 12 && columns >= 40;
  // Search line and status bar are always there.
  const headings = hasHeadings ? 1 : 0;
  const body = rows - 2 - (hasHeader ? 1 : 0) - headings;
  const base = { isTiny: columns < MIN_COLUMNS || rows < MIN_ROWS, hasHeader, hasHeadings };
  if (columns >= SIDE_BY_SIDE_COLUMNS && body >= 4) {
    const listColumns = Math.floor((columns - 3) * 0.58);
    const place = { place: 'right', columns: columns - listColumns - 3, rows: body + headings } as const;
    return { ...base, listColumns, listRows: body, preview: place };
  }
  if (body >= 16 && columns >= 40) {
    const listRows = Math.ceil((body - 1) / 2);
    const place = { place: 'below', columns, rows: body - 1 - listRows } as const;
    return { ...base, listColumns: columns, listRows, preview: place };
  }
  return { ...base, listColumns: columns, listRows: Math.max(1, body), preview: undefined };
}
