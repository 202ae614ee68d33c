import type { AppState } from './app-state.ts';
import { helpLines } from './help.ts';
import type { LabelList } from './label-list.ts';
import { neutraliseLine } from './neutralise.ts';
import type { Menu, Overlay, TranscriptScreen } from './overlays.ts';
import { literalRanges } from './search.ts';
import { highlight, type Spans, span, spread } from './spans.ts';
import { wrap } from './text.ts';
import { placesIn, screenLines, screenRows, topLine } from './transcript-screen.ts';

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
