import type { AppState } from './app-state.ts';
import { helpLines } from './help.ts';
import type { LabelList } from './label-list.ts';
import type { WindowSize } from './layout.ts';
import { neutraliseLine } from './neutralise.ts';
import type { Menu, MenuItem, Overlay, TranscriptScreen } from './overlays.ts';
import { literalRanges } from './search.ts';
import { fitSpans, highlight, type Spans, span, spread } from './spans.ts';
import { fit, wrap } from './text.ts';
import { placesIn, screenLines, screenRows, topLine } from './transcript-screen.ts';

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
  const shown = all.slice(top, top + rows);
  if (overlay.kind === 'help')
    return { heading: spread([span('Keys', 'strong')], [span(share, 'faint')], columns), lines: shown, rows };
  const hit = overlay.place === undefined ? '' : `hit ${overlay.place + 1}/${placesIn(overlay).length} · `;
  return {
    heading: spread([span(overlay.title, 'strong')], [span(`${hit}${share}`, 'faint')], columns),
    lines: shown.map((line) =>
      line.flatMap(({ text, style }) => highlight(text, literalRanges(text, overlay.words), style)),
    ),
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
