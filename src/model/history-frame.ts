import { age } from './age.ts';
import { searchField } from './frame.ts';
import { helpLines } from './help.ts';
import { placeLines, scrolledRows } from './history-actions.ts';
import {
  type HistoryOverlay,
  type HistoryState,
  historyMode,
  type PlaceScreen,
  selectedGroup,
} from './history-state.ts';
import { barHints } from './keymap.ts';
import { neutraliseLine } from './neutralise.ts';
import type { Menu } from './overlays.ts';
import { countText, folderText } from './row-text.ts';
import { fitSpans, type Span, type Spans, span, spansWidth, spread } from './spans.ts';
import { truncateStart, widthCells, wrap } from './text.ts';

/** The top line: whose prompts these are. */
export function historyHeader({ scope, options, size }: HistoryState): Spans {
  const isHere = scope === 'here';
  const tab = (text: string, isOn: boolean): Span[] => [
    span(isOn ? '● ' : '○ ', isOn ? 'accent' : 'faint'),
    span(text, isOn ? 'strong' : 'faint'),
  ];
  const left = [span('Prompts  ', 'accent'), ...tab('This folder', isHere), span('  '), ...tab('Everywhere', !isHere)];
  const folder = folderText(options.here[0] ?? null, options.home);
  const room = size.columns - spansWidth(left) - 4;
  const isShown = isHere && room >= 8 && folder !== '';
  return fitSpans(isShown ? [...left, span(`  ${truncateStart(folder, room)}`, 'faint')] : left, size.columns);
}

/** The search line with the position of the selection, and the column of its cursor. */
export function historySearchLine(state: HistoryState): { readonly line: Spans; readonly cursor: number } {
  const { groups, index, line, search, hasMore, size } = state;
  const total = `${countText(groups.length)}${hasMore ? '+' : ''}`;
  const count = groups.length === 0 ? '0/0' : `${index + 1}/${total}`;
  return searchField(line, search === undefined ? count : `… ${count}`, size.columns);
}

/** The bottom line: a notice when there is one, else the keys that matter. */
export function historyStatus(state: HistoryState): Spans {
  const { notice, asking, size } = state;
  if (notice !== undefined) {
    const sign = notice.isWarning ? span('! ', 'warning') : span('✓ ', 'live');
    return fitSpans([sign, span(neutraliseLine(notice.text))], size.columns);
  }
  if (asking !== undefined)
    return fitSpans([span('Looking for the session where it was sent …', 'faint')], size.columns);
  return fitSpans(hints(state), size.columns);
}

function hints(state: HistoryState): Spans {
  const result: Span[] = [];
  let room = state.size.columns;
  const isEmptyLine = state.line.text === '';
  const has = { selection: selectedGroup(state) !== undefined, emptyLine: isEmptyLine };
  for (const { key, word } of barHints(historyMode(state), has)) {
    const shown = word === 'leave' && !isEmptyLine ? 'clear' : word;
    const gap = result.length === 0 ? '' : '   ';
    const width = widthCells(key) + 1 + shown.length + gap.length;
    if (width > room) continue;
    room -= width;
    result.push(span(gap + key, 'accent'), span(` ${shown}`, 'faint'));
  }
  return result;
}

/** Why the list is empty, and what to do about it: wrapped to so many cells. */
export function historyEmptyLines(state: HistoryState, cells: number): Spans[] {
  const lines = emptyTexts(state).flatMap((text, index) =>
    wrap(text, Math.max(1, cells - 4)).map((line): Spans => [span(`  ${line}`, index === 0 ? 'plain' : 'faint')]),
  );
  return [[], ...lines.map((line) => fitSpans(line, cells))];
}

function emptyTexts({ search, problems, databaseCount, shownQuery, scope, options }: HistoryState): string[] {
  if (search !== undefined) return search.isSettled ? [] : ['Searching …'];
  const troubles = problems.map(neutraliseLine);
  if (databaseCount === 0 && troubles.length > 0) return ['No prompt history could be read.', ...troubles];
  if (databaseCount === 0) {
    return [
      'No agent has kept a prompt history yet.',
      ...options.databases.map((path) => `Looked for ${folderText(path, options.home)}`),
      'bough history import takes the prompts of pi from its sessions.',
    ];
  }
  const ways = scope === 'here' ? ['Tab: search everywhere'] : [];
  if (shownQuery.trim() !== '')
    return ['No prompt has all of these words.', 'Esc: clear the search', ...ways, ...troubles];
  return [scope === 'here' ? 'No prompt was sent in this folder.' : 'No prompt yet.', ...ways, ...troubles];
}

/** A scrolled screen: its heading, the lines in sight, and how many lines have room. */
export function historyOverlayLines(
  state: HistoryState,
  overlay: Exclude<HistoryOverlay, Menu>,
): { readonly heading: Spans; readonly lines: readonly Spans[]; readonly rows: number } {
  const rows = scrolledRows(state);
  const { columns } = state.size;
  if (overlay.kind === 'help') {
    const lines = helpLines(columns, 'history');
    const top = Math.max(0, Math.min(overlay.top, lines.length - rows));
    return { heading: spread([span('Keys', 'strong')], [], columns), lines: lines.slice(top, top + rows), rows };
  }
  const { lines, top } = placeLines(state, overlay);
  const shown = overlay.loaded.kind === 'loaded' ? lines.slice(top, top + rows) : waitingLines(overlay, columns);
  return { heading: placeHeading(overlay, state), lines: shown.slice(0, rows), rows };
}

function placeHeading({ places, index, loaded }: PlaceScreen, { size, nowMs }: HistoryState): Spans {
  const place = places[index];
  const when = place?.timeMs === undefined || place.timeMs === null ? '' : age(place.timeMs, nowMs);
  const ago = when === '' ? 'Sent' : `Sent ${when === 'now' ? 'just now' : `${when} ago`}`;
  const title = loaded.kind === 'loaded' ? neutraliseLine((loaded.title ?? '').slice(0, 400)) : '';
  const name = title === '' ? neutraliseLine(place?.path.slice(place.path.lastIndexOf('/') + 1) ?? '') : title;
  const right = places.length > 1 ? [span(`${index + 1}/${places.length}`, 'faint')] : [];
  return spread([span(ago, 'strong'), span(` in ${name}`, 'faint')], right, size.columns);
}

function waitingLines({ loaded }: PlaceScreen, columns: number): readonly Spans[] {
  if (loaded.kind !== 'failed') return [[span('Reading …', 'faint')]];
  return wrap(neutraliseLine(loaded.reason), columns).map((line) => [span(line, 'danger')]);
}
