import { type AppState, modeOf } from './app-state.ts';
import { barHints } from './keymap.ts';
import type { WindowSize } from './layout.ts';
import type { Line } from './line-edit.ts';
import { neutraliseLine } from './neutralise.ts';
import { effectiveSort, listLength, type PickerState, selectedRow } from './picker.ts';
import { indexingText, percent } from './progress.ts';
import { RANKED_HITS } from './rank-hits.ts';
import { countText, folderText } from './row-text.ts';
import type { FolderColumn } from './session-line.ts';
import { fitSpans, type Span, type Spans, span, spansWidth, spread } from './spans.ts';
import { fitUnits, graphemes, truncateStart, widthCells, wrap } from './text.ts';

/** What the folder column shows: nothing while all rows are of one folder. */
export function folderColumn(picker: PickerState): FolderColumn {
  if (picker.isShowingPath) return 'path';
  return picker.scope === 'all' ? 'project' : 'none';
}

/** The top line: whose sessions these are, and in which order. */
export function headerLine(state: AppState): Spans {
  const { picker, options, size } = state;
  const isHere = picker.scope === 'here';
  const tab = (text: string, isOn: boolean): Span[] => [
    span(isOn ? '● ' : '○ ', isOn ? 'accent' : 'faint'),
    span(text, isOn ? 'strong' : 'faint'),
  ];
  const folder = folderText(options.here[0] ?? null, options.home);
  const modes = [
    ...(picker.isNamedOnly ? ['named only'] : []),
    ...(picker.isShowingHidden ? ['with hidden'] : []),
    ...(picker.indexing === undefined ? [] : [indexingText(picker.indexing, size.columns)]),
    `by ${SORT_WORDS[effectiveSort(picker)]}`,
  ];
  const left = [span('Bough  ', 'accent'), ...tab('This folder', isHere), span('  '), ...tab('All', !isHere)];
  const right = [span(modes.join(' · '), 'faint')];
  const room = size.columns - spansWidth(left) - spansWidth(right) - 4;
  const isShown = isHere && room >= 8 && folder !== '';
  return spread(isShown ? [...left, span(`  ${truncateStart(folder, room)}`, 'faint')] : left, right, size.columns);
}

const SORT_WORDS = {
  relevance: 'relevance',
  recent: 'last use',
  created: 'start',
  cost: 'cost',
  size: 'size',
} as const;

/**
 * The search line, `selected/shown` at its right end, and the column of its cursor. The text is cut so that the cursor is in
 * sight.
 */
export function searchLine(state: AppState): { readonly line: Spans; readonly cursor: number } {
  const { picker, size } = state;
  const { index, line, search } = picker;
  const length = listLength(picker);
  const count = length === 0 ? '0/0' : `${index + 1}/${length}`;
  return searchField(line, search === undefined ? count : `… ${count}`, size.columns);
}

/** A search line of so many cells with a count at its right end, and the column of its cursor, which is always in sight. */
export function searchField(
  line: Line,
  count: string,
  columns: number,
  whenEmpty = 'Type to search',
): { readonly line: Spans; readonly cursor: number } {
  const right = [span(count, 'faint')];
  const prompt = span('❯ ', 'accent');
  const cells = Math.max(1, columns - 4 - spansWidth(right));
  const { text, cursor } =
    line.text === '' && cells > 20 ? { text: [span(whenEmpty, 'faint')], cursor: 0 } : cutAround(line, cells);
  return { line: spread([prompt, ...text], right, columns), cursor: cursor + 2 };
}

function cutAround(line: Line, cells: number): { readonly text: Spans; readonly cursor: number } {
  const parts = graphemes(line.text);
  const before = parts.slice(0, line.cursor).join('');
  // From its start while the cursor still fits then; else what stands before the cursor takes two thirds.
  const room = Math.floor((cells * 2) / 3) - 1;
  const shown = widthCells(before) < cells ? before : `…${tail(parts.slice(0, line.cursor), room)}`;
  const after = parts.slice(line.cursor).join('');
  const cursor = widthCells(shown);
  return { text: [span(shown), span(after.slice(0, fitUnits(after, cells - cursor).units))], cursor };
}

function tail(parts: readonly string[], cells: number): string {
  let width = 0;
  let from = parts.length;
  for (; from > 0; from--) {
    width += widthCells(parts[from - 1] ?? '');
    if (width > cells) break;
  }
  return parts.slice(from).join('');
}

/** The bottom line: a notice when there is one, else the keys that matter; right of them what is held back or still read. */
export function statusLine(state: AppState): Spans {
  const { columns } = state.size;
  const { asking } = state;
  const { query, patternProblem } = state.picker;
  const problem = modeOf(state) === 'picker' ? (query.problems[0] ?? patternProblem) : undefined;
  const notice = state.notice ?? (problem === undefined ? undefined : { text: problem, isWarning: true });
  if (notice !== undefined) {
    const sign = notice.isWarning ? span('! ', 'warning') : span('✓ ', 'live');
    return fitSpans([sign, span(neutraliseLine(notice.text))], columns);
  }
  if (asking !== undefined) return fitSpans([span('Looking whether it can be resumed …', 'faint')], columns);
  const right = modeOf(state) === 'picker' ? pickerState(state.picker) : '';
  return spread(hints(state, columns - widthCells(right) - 2), [span(right, 'faint')], columns);
}

function outputsText({ isDone, hits, doneBytes, totalBytes }: NonNullable<PickerState['outputs']>): string {
  if (!isDone) return `scanning tool output ${percent({ doneBytes, totalBytes })}`;
  const count = hits.length >= RANKED_HITS ? `${hits.length}+` : String(hits.length);
  return `${count} in tool output`;
}

function pickerState({ progress, counts, isShowingHidden, outputs }: PickerState): string {
  if (outputs !== undefined) return outputsText(outputs);
  if (progress !== undefined && progress.total > 0) return `reading ${progress.done}/${progress.total}`;
  if (progress !== undefined) return 'reading …';
  return counts.hidden > 0 && !isShowingHidden ? `${countText(counts.hidden)} hidden (Alt+H)` : '';
}

function hints(state: AppState, cells: number): Spans {
  const result: Span[] = [];
  let room = cells;
  const isEmptyLine = state.picker.line.text === '';
  const has = { selection: selectedRow(state.picker) !== undefined, emptyLine: isEmptyLine };
  for (const { key, does, word } of barHints(modeOf(state), has)) {
    const shown =
      does === 'resume' && state.options.isPicking ? 'pick' : word === 'leave' && !isEmptyLine ? 'clear' : word;
    const gap = result.length === 0 ? '' : '   ';
    const width = widthCells(key) + 1 + shown.length + gap.length;
    if (width > room) continue;
    room -= width;
    result.push(span(gap + key, 'accent'), span(` ${shown}`, 'faint'));
  }
  return result;
}

/** Why the list is empty, and what to do about it: wrapped to so many cells. */
export function emptyLines(state: AppState, cells: number): Spans[] {
  const lines = emptyTexts(state).flatMap((text, index) =>
    wrap(text, Math.max(1, cells - 4)).map((line): Spans => [span(`  ${line}`, index === 0 ? 'plain' : 'faint')]),
  );
  return [[], ...lines];
}

function emptyTexts({ picker, options }: AppState): string[] {
  if (picker.search !== undefined) return [];
  const { counts, progress } = picker;
  if (options.agentDirs.length === 0) {
    return [
      'No agent has kept sessions here yet.',
      'Looked for ~/.xcsh/agent, ~/.omp/agent and ~/.pi/agent.',
      'bough --demo shows sample sessions.',
    ];
  }
  const ways: string[] = [];
  if (counts.elsewhere > 0) ways.push(`Tab: ${counts.elsewhere} in other folders`);
  if (counts.unnamed > 0) ways.push(`Ctrl+N: ${counts.unnamed} without a name`);
  if (counts.hidden > 0) ways.push(`Alt+H: ${counts.hidden} hidden (sub-agents, without a prompt)`);
  if (picker.query.terms.length > 0) {
    if (picker.textSearch !== undefined && picker.outputs === undefined) ways.unshift('Alt+O: search tool output too');
    if (picker.patternProblem !== undefined) return [picker.patternProblem, 'Esc: clear the search'];
    const without = picker.candidates.length;
    return [`No match among ${without} ${without === 1 ? 'session' : 'sessions'}.`, 'Esc: clear the search', ...ways];
  }
  if (progress !== undefined)
    return [picker.scope === 'here' ? 'No session of this folder so far …' : 'Reading sessions …', ...ways];
  if (counts.total === 0 && picker.problems.length > 0)
    return ['No session could be read.', ...picker.problems.map(neutraliseLine)];
  if (counts.total === 0) return ['No sessions yet.', 'bough --demo shows sample sessions.'];
  return [picker.scope === 'here' ? 'No session in this folder.' : 'No session to show.', ...ways];
}

/** What a window shows that is too small for a list; at most its size. */
export function tinyLines({ columns, rows }: WindowSize): string[] {
  return wrap('Window too small', Math.max(1, columns), Math.max(1, rows));
}
