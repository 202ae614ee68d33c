import type { AppEffect, AppState } from './app-state.ts';
import type { TranscriptScreen } from './overlays.ts';
import { type PickerState, selectedHit, selectIndex } from './picker.ts';
import { hitKey, type TextHit } from './text-hits.ts';
import { openTranscript, toEndPlace, toPlaceBeside } from './transcript-screen.ts';

/** On to the next hit in a text, or back to the one before: in the list, or in the transcript that lies over it. */
export function toHit(state: AppState, step: 1 | -1, effects: AppEffect[]): AppState {
  const top = state.overlays.at(-1);
  return top?.kind === 'transcript' ? toHitInTranscript(state, top, step, effects) : toHitInList(state, step);
}

/** Goes to the hit that was asked for before there was one. */
export function hitAwaited(state: AppState): AppState {
  const { hitStep, picker } = state;
  if (hitStep === 0 || state.overlays.length > 0 || isAwaited(picker)) return state;
  return toHitInList({ ...state, hitStep: 0 }, hitStep);
}

/** Are the hits in the list those of an earlier line? */
function isAwaited({ textSearch, texts }: PickerState): boolean {
  return textSearch !== undefined && texts.seq !== textSearch.seq;
}

function tell(state: AppState, text: string): AppState {
  return { ...state, notice: { text, isWarning: false } };
}

function toHitInList(state: AppState, step: 1 | -1): AppState {
  const { picker } = state;
  const { shown, shownTexts } = picker;
  if (isAwaited(picker)) return { ...state, hitStep: step };
  const count = shownTexts.length;
  if (picker.textSearch === undefined) return tell(state, 'Type words to search for first');
  if (count === 0) return tell(state, 'No text holds these words');
  const from = picker.index - shown.length;
  const to = from < 0 ? (step > 0 ? 0 : count - 1) : (from + step + count) % count;
  return { ...state, picker: selectIndex(picker, shown.length + to) };
}

/** The hits of the list, those of one session together, in the order in which the sessions come up. */
function bySession(hits: readonly TextHit[]): readonly TextHit[] {
  const sessions = Map.groupBy(hits, ({ path }) => path);
  return [...sessions.values()].flat();
}

/** Hits that the transcript does not show: of other sessions, or of this one's other branches. */
function nextElsewhere(picker: PickerState, screen: TranscriptScreen, step: 1 | -1): TextHit | undefined {
  const hits = bySession(picker.shownTexts);
  const selected = selectedHit(picker);
  const key = selected?.path === screen.path ? hitKey(selected) : undefined;
  const at = hits.findIndex((hit) => hitKey(hit) === key);
  const from = at < 0 && step < 0 ? 0 : at;
  const here = new Set(
    screen.loaded.kind === 'loaded' ? screen.loaded.transcript.items.map(({ entryId }) => entryId) : [],
  );
  for (let steps = 1; steps <= hits.length; steps++) {
    const hit = hits[(from + step * steps + hits.length * 2) % hits.length];
    if (hit === undefined) continue;
    if (hit.path !== screen.path || (hit.entryId !== null && !here.has(hit.entryId))) return hit;
  }
  return undefined;
}

function toHitInTranscript(state: AppState, screen: TranscriptScreen, step: 1 | -1, effects: AppEffect[]): AppState {
  // On the way to it already.
  if (screen.loaded.kind === 'loading') return state;
  const below = state.overlays.slice(0, -1);
  const here = toPlaceBeside(state, screen, step);
  if (here !== undefined) return { ...state, overlays: [...below, here] };
  const { picker } = state;
  const hit = nextElsewhere(picker, screen, step);
  if (hit === undefined) return wrapAround(state, screen, step);
  const index = picker.shown.length + picker.shownTexts.indexOf(hit);
  const arrival = hit.path === screen.path ? 'entry' : step > 0 ? 'first' : 'last';
  const moved = { ...state, overlays: below, picker: selectIndex(picker, index) };
  return openTranscript(moved, hit.path, effects, hit.entryId ?? undefined, arrival);
}

/** All hits stand in this transcript: round to its other end. */
function wrapAround(state: AppState, screen: TranscriptScreen, step: 1 | -1): AppState {
  const around = toEndPlace(state, screen, step > 0 ? 'first' : 'last');
  if (around === undefined) return tell(state, screen.words.length === 0 ? 'Nothing was searched for' : 'No other hit');
  return { ...state, overlays: [...state.overlays.slice(0, -1), around] };
}
