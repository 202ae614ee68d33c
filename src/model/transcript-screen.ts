import { searchForm } from '../catalog/text-form.ts';
import type { AppEffect, AppState } from './app-state.ts';
import type { TranscriptScreen } from './overlays.ts';
import { rowTitle } from './row-text.ts';
import { literalRanges } from './search.ts';
import type { Spans } from './spans.ts';
import { type LaidOut, layOutTranscript } from './transcript-lines.ts';

const SCREEN_UNITS = 20_000;
/** Lines in sight above a place that was gone to. */
const LINES_ABOVE = 2;
const NOTHING: LaidOut = { lines: [], starts: [] };

function laidOut(state: AppState, { loaded, isFoldingTools, isFoldingThinking }: TranscriptScreen): LaidOut {
  if (loaded.kind !== 'loaded') return NOTHING;
  const { size, nowMs } = state;
  const view = { cells: size.columns, nowMs, isFoldingTools, isFoldingThinking, maxUnits: SCREEN_UNITS };
  return layOutTranscript(loaded.transcript, view);
}

/** The whole transcript of a session over everything else; at an entry, or at its end. */
export function openTranscript(
  state: AppState,
  path: string | undefined,
  effects: AppEffect[],
  entryId?: string,
  arrival: TranscriptScreen['arrival'] = 'entry',
): AppState {
  if (path === undefined) return state;
  const row = state.picker.rows.get(path);
  const seq = state.seq + 1;
  effects.push({ type: 'readTranscript', path, entryId, seq, use: 'screen' });
  const screen: TranscriptScreen = {
    kind: 'transcript',
    path,
    title: row === undefined ? '' : rowTitle(row),
    entryId,
    words: state.picker.query.words,
    arrival,
    place: undefined,
    seq,
    loaded: { kind: 'loading' },
    top: 'end',
    isFoldingTools: false,
    // The words may stand in what was thought.
    isFoldingThinking: entryId === undefined,
  };
  return { ...state, seq, overlays: [...state.overlays, screen] };
}

/** Lines of the full-screen transcript; [] while it is read. */
export function screenLines(state: AppState, screen: TranscriptScreen): readonly Spans[] {
  return laidOut(state, screen).lines;
}

/** Lines of a scrolled screen: what is left below its heading and above its status bar. */
export function screenRows(state: AppState): number {
  return Math.max(1, state.size.rows - 2);
}

/** The first line shown of `length` lines. */
export function topLine(top: number | 'end', length: number, rows: number): number {
  const last = Math.max(0, length - rows);
  return top === 'end' ? last : Math.min(top, last);
}

/** A place in a transcript where all words stand within one entry. */
interface Place {
  readonly entryId: string;
  /** The first item of the entry. */
  readonly item: number;
  /** One behind its last item. */
  readonly end: number;
}

const found = new WeakMap<object, { readonly words: string; readonly places: readonly Place[] }>();

/** The entries of a transcript in which all of its words stand, oldest first; [] without words, or while it is read. */
export function placesIn({ loaded, words }: TranscriptScreen): readonly Place[] {
  if (loaded.kind !== 'loaded' || words.length === 0) return [];
  const { items } = loaded.transcript;
  const key = words.join('\n');
  const known = found.get(items);
  if (known?.words === key) return known.places;
  const places: Place[] = [];
  // As the catalog compares, so that each of its hits is a place.
  const wanted = words.map(searchForm);
  for (let item = 0, end = 0; item < items.length; item = end) {
    const { entryId } = items[item] ?? { entryId: '' };
    let text = '';
    for (end = item; end < items.length && items[end]?.entryId === entryId; end++) {
      const { heading, text: own, label = '' } = items[end] ?? { heading: '', text: '' };
      text += `${heading}\n${label}\n${own}\n`;
    }
    const form = searchForm(text);
    if (wanted.every((word) => form.includes(word))) places.push({ entryId, item, end });
  }
  found.set(items, { words: key, places });
  return places;
}

/** The line of a place at which its first word stands; where that is folded or cut, its first line. */
function lineOf(place: Place, { words }: TranscriptScreen, { lines, starts }: LaidOut): number {
  const start = starts[place.item] ?? 0;
  const end = starts[place.end] ?? lines.length;
  for (let line = start; line < end; line++) {
    const text = (lines[line] ?? []).map((piece) => piece.text).join('');
    if (literalRanges(text, words).length > 0) return line;
  }
  return start;
}

/** The screen with one of its places in sight, its heading too where there is room. */
function atPlace(state: AppState, screen: TranscriptScreen, index: number): TranscriptScreen {
  const place = placesIn(screen)[index];
  if (place === undefined) return screen;
  const all = laidOut(state, screen);
  const line = lineOf(place, screen, all);
  const start = all.starts[place.item] ?? 0;
  const isNear = line - start < screenRows(state) - LINES_ABOVE;
  return { ...screen, top: isNear ? start : Math.max(0, line - LINES_ABOVE), place: index };
}

/** A transcript's screen that was just read: at the entry that it was opened for, or at the place that was on the way. */
export function showRead(state: AppState, screen: TranscriptScreen): TranscriptScreen {
  const { loaded, entryId, arrival } = screen;
  if (loaded.kind !== 'loaded') return screen;
  const places = placesIn(screen);
  if (arrival !== 'entry' && places.length > 0) return toEndPlace(state, screen, arrival) ?? screen;
  const place = places.findIndex((one) => one.entryId === entryId);
  if (place >= 0) return atPlace(state, screen, place);
  const item = entryId === undefined ? -1 : loaded.transcript.items.findIndex((one) => one.entryId === entryId);
  return item < 0 ? screen : { ...screen, top: laidOut(state, screen).starts[item] ?? 0 };
}

/** The screen at its next place (or the one before); undefined when there is none on that side of where one reads. */
export function toPlaceBeside(state: AppState, screen: TranscriptScreen, step: 1 | -1): TranscriptScreen | undefined {
  const places = placesIn(screen);
  if (screen.place !== undefined) {
    const next = screen.place + step;
    return places[next] === undefined ? undefined : atPlace(state, screen, next);
  }
  const all = laidOut(state, screen);
  const rows = screenRows(state);
  const top = topLine(screen.top, all.lines.length, rows);
  const lines = places.map((place) => lineOf(place, screen, all));
  // At its end one has read what is in sight.
  const before = screen.top === 'end' ? all.lines.length : top;
  const next = step > 0 ? lines.findIndex((line) => line >= top) : lines.findLastIndex((line) => line < before);
  return next < 0 ? undefined : atPlace(state, screen, next);
}

/** The screen at its first or last place; undefined when it has none. */
export function toEndPlace(
  state: AppState,
  screen: TranscriptScreen,
  end: 'first' | 'last',
): TranscriptScreen | undefined {
  const count = placesIn(screen).length;
  return count === 0 ? undefined : atPlace(state, screen, end === 'first' ? 0 : count - 1);
}
