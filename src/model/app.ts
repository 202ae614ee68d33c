import { act, choose, type PickerAction, previewMaxScroll } from './app-actions.ts';
import { type AppEffect, type AppEvent, type AppState, modeOf } from './app-state.ts';
import { hitAwaited } from './hit-moves.ts';
import type { KeyPress } from './key-names.ts';
import { lookUp } from './keymap.ts';
import { resizeLabels, typeIntoLabels } from './label-list.ts';
import { changeLabels, labelsFound } from './label-overlay.ts';
import { layoutOf } from './layout.ts';
import { insert, type LineAction } from './line-edit.ts';
import { resumeDialog } from './overlays.ts';
import {
  addOutputs,
  addRows,
  addTexts,
  applyChanges,
  changeLine,
  finishLoading,
  resizePicker,
  selectedHit,
  selectedRow,
  showHits,
} from './picker.ts';
import type { Loaded } from './preview.ts';
import { rowTitle, type SessionRow } from './row-text.ts';
import { showRead } from './transcript-screen.ts';
import type { TreeExit } from './tree-screen-state.ts';

/** The screens after an event, and the work that it asks for. Late answers change nothing. */
export function updateApp(state: AppState, event: AppEvent): readonly [AppState, ...AppEffect[]] {
  if (state.exit !== undefined) return [state];
  const effects: AppEffect[] = [];
  const next = followSelection(step(state, event, effects), effects);
  const { search, textSearch } = next.picker;
  if (search !== undefined && search !== state.picker.search) effects.push({ type: 'search', search });
  if (textSearch !== undefined && textSearch !== state.picker.textSearch) {
    effects.push({ type: 'searchTexts', search: textSearch });
  }
  const { outputs } = next.picker;
  if (outputs?.seq !== state.picker.outputs?.seq) {
    effects.push(outputs === undefined ? { type: 'stopOutputs' } : { type: 'searchOutputs', search: outputs });
  }
  if (next.exit !== undefined) effects.push({ type: 'exit', exit: next.exit });
  return [next, ...effects];
}

function step(state: AppState, event: AppEvent, effects: AppEffect[]): AppState {
  switch (event.type) {
    case 'keys':
      // An open tree has a machine of its own, which gets them too.
      if (state.tree?.isShown === true) return state;
      return event.keys.reduce<AppState>((current, key) => press(current, key, effects), state);
    case 'paste':
      return state.tree === undefined ? type(state, event.text) : state;
    case 'resized':
      return changeLabels(
        { ...state, size: event.size, picker: resizePicker(state.picker, layoutOf(event.size).listRows) },
        (list) => resizeLabels(list, event.size),
      );
    case 'ticked':
      return { ...state, nowMs: event.nowMs };
    case 'rowsRead': {
      const picker = addRows(state.picker, event.batch);
      const { problems } = picker;
      if (problems.length === state.picker.problems.length) return { ...state, picker };
      const more = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`;
      return { ...state, picker, notice: { text: `${problems[0]}${more}`, isWarning: true } };
    }
    case 'allRead': {
      const { picker, hasWidened } = finishLoading(state.picker);
      if (!hasWidened) return { ...state, picker };
      return { ...state, picker, notice: { text: 'No session in this folder: showing all', isWarning: false } };
    }
    case 'readingFailed':
      return {
        ...state,
        picker: { ...state.picker, progress: undefined, problems: [...state.picker.problems, event.reason] },
        notice: { text: event.reason, isWarning: true },
      };
    case 'sessionsChanged':
      return { ...state, picker: applyChanges(state.picker, event.changes) };
    case 'textsFound':
      return hitAwaited({ ...state, picker: addTexts(state.picker, event.seq, event.found) });
    case 'outputsFound': {
      const picker = addOutputs(state.picker, event.seq, event.found);
      const { problem } = event.found;
      if (problem === undefined || picker === state.picker) return { ...state, picker };
      return { ...state, picker, notice: { text: problem, isWarning: true } };
    }
    case 'searched':
      return release({ ...state, picker: showHits(state.picker, event.seq, event.answer) }, effects);
    case 'transcriptRead':
      return loaded(state, event.seq, { kind: 'loaded', transcript: event.transcript });
    case 'transcriptFailed':
      return loaded(state, event.seq, { kind: 'failed', reason: event.reason });
    case 'resumeAnswered':
      return answered(state, event);
    case 'noticed':
      return { ...state, notice: event.notice };
    case 'treeShown':
      return state.tree === undefined ? state : { ...state, tree: { ...state.tree, isShown: true } };
    case 'treeLeft':
      return leaveTree(state, event.exit);
    case 'labelsFound':
      return labelsFound(state, event.seq, event.found);
    case 'chosen':
      return choose(state, event.index, effects);
  }
}

/** One key, in the mode of this moment: an earlier key of the same burst may have changed it. */
function press(state: AppState, key: KeyPress, effects: AppEffect[]): AppState {
  if (state.exit !== undefined) return state;
  const { tree } = state;
  if (tree !== undefined) return { ...state, tree: { ...tree, firstKeys: [...tree.firstKeys, key] } };
  const mode = modeOf(state);
  const binding = lookUp(mode, key, state.picker.line.text === '');
  const isPicker = mode === 'picker';
  const isText = (isPicker || mode === 'labels') && binding === undefined && key.text !== '';
  // While a search runs its hits are not there yet: whatever acts on a row waits for them, and what follows it too.
  const isHasty = state.picker.search !== undefined && !isText && binding?.does !== 'back' && !isEditing(binding?.does);
  if (isPicker && binding?.does !== 'quit' && (state.waiting.length > 0 || isHasty)) {
    return { ...state, waiting: [...state.waiting, key] };
  }
  const fresh = clearNotice(state);
  if (isText) return type(fresh, key.text);
  if (binding === undefined) return fresh;
  if (binding.when !== undefined && selectedRow(fresh.picker) === undefined && isPicker) {
    return { ...fresh, notice: { text: 'No session is selected', isWarning: true } };
  }
  return act(fresh, binding.does as PickerAction, effects);
}

/** What a key takes away, whatever it does: the notice, and the wish for a hit that is not there yet. */
function clearNotice(state: AppState): AppState {
  return state.notice === undefined && state.hitStep === 0 ? state : { ...state, notice: undefined, hitStep: 0 };
}

function isEditing(does: string | undefined): boolean {
  const editing: readonly LineAction[] = ['left', 'right', 'wordLeft', 'wordRight', 'lineStart', 'lineEnd'];
  const deleting: readonly LineAction[] = ['deleteLeft', 'deleteRight', 'deleteWordLeft', 'deleteWordRight'];
  const cutting: readonly LineAction[] = ['deleteToStart', 'deleteToEnd'];
  return [...editing, ...deleting, ...cutting].some((action) => action === does);
}

/** Text goes into the line that has the keys; elsewhere it is nobody's. */
function type(state: AppState, text: string): AppState {
  const mode = modeOf(state);
  if (mode === 'labels') return changeLabels(state, (list) => typeIntoLabels(list, text, state.size));
  if (mode !== 'picker') return state;
  return { ...state, picker: changeLine(state.picker, insert(state.picker.line, text), state.nowMs) };
}

/** The tree has ended: the list is there again, or another tree, or everything ends with it. */
function leaveTree(state: AppState, exit: TreeExit): AppState {
  switch (exit.kind) {
    case 'left':
      return { ...state, tree: undefined };
    case 'branch':
    case 'interrupted':
      return { ...state, tree: undefined, exit };
  }
}

/** The keys that waited for a search, now that it ended. */
function release(state: AppState, effects: AppEffect[]): AppState {
  if (state.picker.search !== undefined || state.waiting.length === 0) return state;
  const { waiting } = state;
  return waiting.reduce<AppState>((current, key) => press(current, key, effects), { ...state, waiting: [] });
}

function loaded(state: AppState, seq: number, answer: Loaded): AppState {
  if (state.preview.seq === seq) {
    return { ...state, preview: { ...state.preview, loaded: endAt(answer, state.preview.entryId) } };
  }
  const overlays = state.overlays.map((overlay) =>
    overlay.kind === 'transcript' && overlay.seq === seq ? showRead(state, { ...overlay, loaded: answer }) : overlay,
  );
  return { ...state, overlays };
}

/** A conversation that ends with an entry. */
function endAt(answer: Loaded, entryId: string | undefined): Loaded {
  if (answer.kind !== 'loaded' || entryId === undefined) return answer;
  const { transcript } = answer;
  const last = transcript.items.findLastIndex((item) => item.entryId === entryId);
  return last < 0
    ? answer
    : { kind: 'loaded', transcript: { ...transcript, items: transcript.items.slice(0, last + 1) } };
}

function answered(state: AppState, { seq, answer }: Extract<AppEvent, { type: 'resumeAnswered' }>): AppState {
  const { asking } = state;
  if (asking === undefined || asking.seq !== seq) return state;
  const { path, choices } = asking;
  const done = { ...state, asking: undefined, notice: undefined };
  if (answer.kind === 'ready') return { ...done, exit: { kind: 'resume', path, choices } };
  const row = state.picker.rows.get(path);
  const dialog = resumeDialog(answer, row === undefined ? '' : rowTitle(row), path, choices);
  return { ...done, overlays: [...state.overlays, dialog] };
}

/** What of a file decides whether its preview must be read again. */
function versionOf(row: SessionRow): string {
  return `${row.mtimeMs} ${row.sizeBytes}`;
}

/** Keeps the preview with the selection: another session, or the same one changed on disk, is read anew. */
function followSelection(state: AppState, effects: AppEffect[]): AppState {
  const row = selectedRow(state.picker);
  const { preview } = state;
  if (row === undefined) {
    if (preview.path === undefined) return state;
    return {
      ...state,
      preview: { path: undefined, entryId: undefined, seq: 0, version: '', loaded: { kind: 'loading' }, scroll: 0 },
    };
  }
  const version = versionOf(row);
  const entryId = selectedHit(state.picker)?.entryId ?? undefined;
  const isSame = row.path === preview.path && entryId === preview.entryId;
  if (layoutOf(state.size).preview === undefined || (isSame && version === preview.version)) {
    const scroll = Math.min(preview.scroll, previewMaxScroll(state));
    return scroll === preview.scroll ? state : { ...state, preview: { ...preview, scroll } };
  }
  const seq = state.seq + 1;
  effects.push({ type: 'readTranscript', path: row.path, entryId, seq, use: 'preview' });
  return {
    ...state,
    seq,
    preview: {
      path: row.path,
      entryId,
      seq,
      version,
      loaded: isSame ? preview.loaded : { kind: 'loading' },
      scroll: isSame ? preview.scroll : 0,
    },
  };
}
