import { screenLines, screenRows, topLine } from './app-actions.ts';
import type { AppState } from './app-state.ts';
import { helpLines } from './help.ts';
import type { LabelList } from './label-list.ts';
import type { WindowSize } from './layout.ts';
import { neutraliseLine } from './neutralise.ts';
import type { Menu, MenuItem, Overlay, TranscriptScreen } from './overlays.ts';
import { fitSpans, type Spans, span, spread } from './spans.ts';
import { fit, wrap } from './text.ts';

const LABEL_CELLS = 50;

/** What stands above a menu's items: its title and what it is about; little of it in a low window. */
export function menuLines(menu: Menu<unknown>, { columns, rows }: WindowSize): readonly Spans[] {
  const title = fitSpans([span(`  ${menu.title}`, 'strong')], columns);
  const room = rows - 1 - menu.items.length;
  const about = menu.lines
    .filter((line) => line !== '')
    .flatMap((line) => wrap(line, Math.max(1, columns - 4), 3))
    .map((line): Spans => [span(`  ${line}`, 'faint')]);
  const lines = [[], title, ...about, []];
  return room >= lines.length ? lines : [title, ...about.slice(0, Math.max(0, Math.min(room - 1, rows - 3)))];
}

/** A menu's item with its key, cut to the window. */
export function menuLabel({ label, key }: MenuItem<unknown>, columns: number): string {
  const cells = Math.min(key === '' ? Math.max(LABEL_CELLS, label.length) : LABEL_CELLS, columns - 5);
  const keyCells = key === '' || cells < 24 ? 0 : 10;
  return fit(label, cells - keyCells) + (keyCells === 0 ? '' : ` ${fit(key, keyCells - 1)}`);
}

/** A scrolled screen: its heading, the lines in sight, and how many lines have room. */
export function overlayLines(
  state: AppState,
  overlay: Exclude<Overlay, Menu | LabelList>,
): { readonly heading: Spans; readonly lines: readonly Spans[]; readonly rows: number } {
  const rows = screenRows(state);
  const { columns } = state.size;
  const all = overlay.kind === 'help' ? helpLines(columns) : contentLines(state, overlay);
  const top = topLine(overlay.top, all.length, rows);
  const share = all.length <= rows ? 'all' : `${Math.round((Math.min(top + rows, all.length) / all.length) * 100)}%`;
  const title = overlay.kind === 'help' ? 'Keys' : overlay.title;
  return {
    heading: spread([span(title, 'strong')], [span(share, 'faint')], columns),
    lines: all.slice(top, top + rows),
    rows,
  };
}

function contentLines(state: AppState, screen: TranscriptScreen): readonly Spans[] {
  switch (screen.loaded.kind) {
    case 'loading':
      return [[span('Reading …', 'faint')]];
    case 'failed':
      return wrap(neutraliseLine(screen.loaded.reason), state.size.columns).map((line) => [span(line, 'danger')]);
    case 'loaded':
      return screenLines(state, screen);
  }
}
