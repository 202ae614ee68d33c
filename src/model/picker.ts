import type { CatalogChanges, OutputsFound, RowBatch, TextHits } from '../catalog/catalog.ts';
import type { SessionRow } from '../catalog/session-row.ts';
import { type Line, lineOf } from './line-edit.ts';
import { clampIndex, clampTop, followSelection, scrollTo } from './list.ts';
import { emptyQuery, isSamePatterns, parseQuery, patternsOf, type Query } from './query.ts';
import { rankHits } from './rank-hits.ts';
import { type Counts, filterRows, passingRows } from './row-filters.ts';
import { type Sort, sortRows } from './row-sort.ts';
import {
  filterTerms,
  hitKey,
  hitsAmong,
  type Indexing,
  type OutputsSearch,
  type TextHit,
  type TextSearch,
  textToFind,
  unwantedIn,
} from './text-hits.ts';

/** A search under way: answers to another `seq` are late. */
interface Search {
  readonly seq: number;
  readonly rows: readonly SessionRow[];
  readonly query: Query;
}

/** Paths of sessions, and the search that found them. */
interface Passing {
  readonly seq: number;
  readonly paths: ReadonlySet<string>;
}

/** What a search found. */
export interface SearchAnswer {
  readonly hits: readonly SessionRow[];
  /** Paths of the sessions that pass the patterns; undefined without any. */
  readonly passing?: ReadonlySet<string> | undefined;
  /** Why nothing was searched, in one line. */
  readonly problem?: string | undefined;
}

/** The list of sessions with its search line. */
export interface PickerState {
  /** Folders that count as this one: itself, its real path, its worktrees. */
  readonly here: readonly string[];
  readonly rows: ReadonlyMap<string, SessionRow>;
  /** How far the reading is; undefined when all is read. */
  readonly progress: { readonly done: number; readonly total: number } | undefined;
  /** Folders that could not be listed, a line each. */
  readonly problems: readonly string[];
  readonly scope: 'here' | 'all';
  readonly sort: Sort;
  readonly isNamedOnly: boolean;
  readonly isShowingPath: boolean;
  readonly isShowingHidden: boolean;
  readonly line: Line;
  readonly query: Query;
  /** What passes all filters but the query, in order. */
  readonly candidates: readonly SessionRow[];
  readonly counts: Counts;
  /** What the list shows, in order. */
  readonly shown: readonly SessionRow[];
  /** What tells the selected line from others (a row's path, a hit's key); undefined when nothing is shown. */
  readonly selected: string | undefined;
  readonly index: number;
  readonly top: number;
  /** Lines of the window. */
  readonly height: number;
  readonly search: Search | undefined;
  /** Which sessions pass the patterns of the query; undefined while that is not known, or there are none. */
  readonly passing: Passing | undefined;
  /** Why the patterns were not searched, in one line. */
  readonly patternProblem: string | undefined;
  /** Did rows change since the search began? */
  readonly isSearchStale: boolean;
  /** What was last asked for in the texts of sessions. */
  readonly textSearch: TextSearch | undefined;
  /** Did sessions change since that? */
  readonly isTextSearchStale: boolean;
  /** What was found there, and by which search; those before stay until the first answer. */
  readonly texts: TextSearch & { readonly hits: readonly TextHit[] };
  /** What was found so far by the search that is under way. */
  readonly gathered: TextSearch & { readonly hits: readonly TextHit[] };
  /** The search in tool output; undefined while it is not asked for. */
  readonly outputs: OutputsSearch | undefined;
  /** Those of both that pass the filters: they follow `shown` in the list. */
  readonly shownTexts: readonly TextHit[];
  readonly indexing: Indexing;
  readonly seq: number;
}

/** What a picker starts from. */
export interface PickerOptions {
  readonly here: readonly string[];
  readonly scope: 'here' | 'all';
  readonly query: string;
  readonly isShowingHidden: boolean;
  readonly height: number;
  readonly nowMs: number;
}

const NO_TEXTS = { seq: 0, text: '', without: [], filters: '', within: undefined, hits: [] };

/** An empty list that waits for rows. */
export function createPicker(options: PickerOptions): PickerState {
  const { here, scope, query, isShowingHidden, height, nowMs } = options;
  return {
    here,
    rows: new Map(),
    progress: { done: 0, total: 0 },
    problems: [],
    scope,
    sort: 'relevance',
    isNamedOnly: false,
    isShowingPath: false,
    isShowingHidden,
    line: lineOf(query),
    query: query.trim() === '' ? emptyQuery : parseQuery(query, nowMs),
    candidates: [],
    counts: { total: 0, elsewhere: 0, hidden: 0, unnamed: 0 },
    shown: [],
    selected: undefined,
    index: 0,
    top: 0,
    height,
    search: undefined,
    passing: undefined,
    patternProblem: undefined,
    isSearchStale: false,
    textSearch: undefined,
    isTextSearchStale: false,
    texts: NO_TEXTS,
    gathered: NO_TEXTS,
    outputs: undefined,
    shownTexts: [],
    indexing: undefined,
    seq: 0,
  };
}

/** The selected row, or the one of the selected hit's session; undefined when nothing is shown. */
export function selectedRow(picker: PickerState): SessionRow | undefined {
  const hit = selectedHit(picker);
  return hit === undefined ? picker.shown[picker.index] : picker.rows.get(hit.path);
}

/** The selected hit in a text; undefined when a session's own row is selected. */
export function selectedHit(picker: PickerState): TextHit | undefined {
  return picker.shownTexts[picker.index - picker.shown.length];
}

/** How many lines the list has: sessions, and hits in their texts. */
export function listLength({ shown, shownTexts }: PickerState): number {
  return shown.length + shownTexts.length;
}

function keyAt({ shown, shownTexts }: PickerState, index: number): string | undefined {
  const hit = shownTexts[index - shown.length];
  return hit === undefined ? shown[index]?.path : hitKey(hit);
}

/** The order in which rows stand: `relevance` only while something is searched. */
export function effectiveSort(picker: PickerState): Sort {
  return picker.sort === 'relevance' && !isSearching(picker) ? 'recent' : picker.sort;
}

/** Does the search line narrow the list? */
function isSearching(picker: PickerState): boolean {
  return picker.query.terms.length > 0;
}

/** The selection on row `index` (brought into the list), the window around it. */
export function selectIndex(picker: PickerState, index: number): PickerState {
  const length = listLength(picker);
  const clamped = clampIndex(index, length);
  const top = scrollTo(clamped, { top: picker.top, height: picker.height, length });
  const selected = keyAt(picker, clamped);
  if (clamped === picker.index && top === picker.top && selected === picker.selected) return picker;
  return { ...picker, index: clamped, top, selected };
}

/** The window with another number of lines. */
export function resizePicker(picker: PickerState, height: number): PickerState {
  if (height === picker.height) return picker;
  const top = clampTop(picker.top, height, listLength(picker));
  return selectIndex({ ...picker, height, top }, picker.index);
}

/** More rows, or the same with more figures. The selection stays on its session. */
export function addRows(picker: PickerState, { rows, done, total, problems, gone = [] }: RowBatch): PickerState {
  const news = problems.filter((problem) => !picker.problems.includes(problem));
  const next = { ...picker, progress: { done, total }, problems: [...picker.problems, ...new Set(news)] };
  return mergeRows(next, rows, gone);
}

function mergeRows(picker: PickerState, rows: readonly SessionRow[], gone: readonly string[]): PickerState {
  if (rows.length === 0 && gone.length === 0) return picker;
  const merged = new Map(picker.rows);
  for (const path of gone) merged.delete(path);
  for (const row of rows) merged.set(row.path, row);
  return refresh(askAgain({ ...picker, rows: merged }));
}

/** Sessions changed: what is answered is asked for once more, at once or as soon as the answer is there. */
function askAgain(picker: PickerState): PickerState {
  const isAnswered = picker.texts.seq === picker.textSearch?.seq;
  return isAnswered ? { ...picker, textSearch: undefined } : { ...picker, isTextSearchStale: true };
}

/** What changed on disk since all was read. The selection stays on its line. */
export function applyChanges(picker: PickerState, { rows, gone, indexing }: CatalogChanges): PickerState {
  const isIndexed = picker.indexing !== undefined && indexing === undefined;
  const merged = mergeRows({ ...picker, indexing }, rows, gone);
  return isIndexed ? refresh(askAgain(merged)) : merged;
}

/** More hits in texts; late ones change nothing. An answer that repeats a question replaces the one before it as a whole. */
export function addTexts(picker: PickerState, seq: number, { hits, isDone }: TextHits): PickerState {
  const { textSearch, texts, gathered } = picker;
  if (textSearch?.seq !== seq) return picker;
  const all = { ...textSearch, hits: gathered.seq === seq ? [...gathered.hits, ...hits] : hits };
  const isRepeat = texts.text === textSearch.text && texts.seq !== seq;
  if (!isDone && (isRepeat || hits.length === 0)) return { ...picker, gathered: all };
  // While more come the newest are shown as they are found; what is first stays first when they are put in order.
  const isAtTop = picker.index === 0 && !isRepeat;
  const ranked = isDone ? { ...all, hits: rankHits(all.hits) } : all;
  const answered = {
    ...picker,
    texts: ranked,
    gathered: all,
    selected: isDone && isAtTop ? undefined : picker.selected,
  };
  const shown = showRows(answered, picker.shown);
  return isDone && picker.isTextSearchStale ? refresh(askAgain(shown)) : shown;
}

/** All is read. A folder without a session shows all instead: `hasWidened` tells that it did. */
export function finishLoading(picker: PickerState): { readonly picker: PickerState; readonly hasWidened: boolean } {
  const done = refresh(askAgain({ ...picker, progress: undefined }));
  const { counts, candidates } = picker;
  const isEmpty = candidates.length === 0 && counts.hidden === 0 && counts.unnamed === 0;
  if (picker.scope === 'all' || !isEmpty || counts.elsewhere === 0) return { picker: done, hasWidened: false };
  return { picker: refresh({ ...done, scope: 'all' }), hasWidened: true };
}

/** The same list under another filter or order; the selection stays on its session while it is shown. */
export function changeFilters(
  picker: PickerState,
  change: Partial<Pick<PickerState, 'scope' | 'sort' | 'isNamedOnly' | 'isShowingHidden'>>,
): PickerState {
  return refresh({ ...picker, ...change, search: undefined });
}

/** Another search line. A query that means something else starts a search and selects its first hit. */
export function changeLine(picker: PickerState, line: Line, nowMs: number): PickerState {
  if (line === picker.line) return picker;
  if (line.text === picker.line.text) return { ...picker, line };
  const query = parseQuery(line.text, nowMs);
  const { passing, patternProblem } = isSamePatterns(query, picker.query)
    ? picker
    : { passing: undefined, patternProblem: undefined };
  const changed = { ...picker, line, query, passing, patternProblem };
  return refresh({ ...changed, selected: undefined, index: 0, top: 0, search: undefined });
}

/** The answer of a search; a late one changes nothing. */
export function showHits(picker: PickerState, seq: number, answer: SearchAnswer): PickerState {
  if (picker.search?.seq !== seq) return picker;
  const { hits, passing, problem } = answer;
  const ordered = picker.sort === 'relevance' ? hits : sortRows(hits, picker.sort);
  const answered = {
    ...picker,
    search: undefined,
    isSearchStale: false,
    passing: passing === undefined ? undefined : { seq, paths: passing },
    patternProblem: problem,
  };
  const shown = showRows(askTexts(answered), ordered);
  return picker.isSearchStale ? refresh(shown) : shown;
}

/** The next order: with a query `relevance` is one of them, without one it would be the same as `recent`. */
export function nextSort(picker: PickerState): Sort {
  const orders: readonly Sort[] = isSearching(picker)
    ? ['relevance', 'recent', 'created', 'cost', 'size']
    : ['recent', 'created', 'cost', 'size'];
  const next = orders[(orders.indexOf(effectiveSort(picker)) + 1) % orders.length] ?? 'relevance';
  return next === 'recent' && !isSearching(picker) ? 'relevance' : next;
}

/** Asks for what the search line wants of texts, in the sessions that pass all filters, unless that was asked last. */
function askTexts(picker: PickerState): PickerState {
  const { query, textSearch, rows, passing: matched } = picker;
  const text = textToFind(query);
  if (text === undefined) return { ...picker, textSearch: undefined, texts: NO_TEXTS, outputs: undefined };
  // Which sessions to look in is not known yet.
  if (patternsOf(query).length > 0 && matched === undefined) return { ...picker, textSearch: undefined };
  const { scope, isNamedOnly, isShowingHidden } = picker;
  const terms = filterTerms(query);
  const filters = JSON.stringify([scope, isNamedOnly, isShowingHidden, terms, matched?.seq]);
  if (text === textSearch?.text && filters === textSearch.filters) return picker;
  const passing = passingRows(picker);
  const within = passing.length === rows.size ? undefined : passing.map(({ path }) => path);
  const seq = picker.seq + 1;
  // Tool output was asked for about other words, or other sessions.
  const outputs = picker.outputs?.text === text && picker.outputs.filters === filters ? picker.outputs : undefined;
  return {
    ...picker,
    seq,
    textSearch: { seq, text, without: unwantedIn(query), filters, within },
    isTextSearchStale: false,
    outputs,
  };
}

function refresh(picker: PickerState): PickerState {
  const filtered = askTexts({ ...picker, ...filterRows(picker) });
  if (!isSearching(picker))
    return showRows({ ...filtered, search: undefined, isSearchStale: false }, filtered.candidates);
  // Rows keep arriving while the same query runs: let it end, or none ever would.
  if (filtered.search !== undefined) return { ...filtered, isSearchStale: true };
  const seq = filtered.seq + 1;
  return { ...filtered, seq, search: { seq, rows: filtered.candidates, query: picker.query }, isSearchStale: false };
}

/** Hits in texts, and behind them those in tool output that are not among them: a command and what it gave back are one. */
function allHits({ texts, outputs }: PickerState): readonly TextHit[] {
  if (outputs === undefined || outputs.hits.length === 0) return texts.hits;
  const known = new Set(texts.hits.map(hitKey));
  return [...texts.hits, ...outputs.hits.filter((hit) => !known.has(hitKey(hit)))];
}

/** Asks for tool output too, about the words of this moment, or no more. Changes nothing where there are no words. */
export function toggleOutputs(picker: PickerState): PickerState {
  const { textSearch, outputs } = picker;
  if (outputs !== undefined) return showRows({ ...picker, outputs: undefined }, picker.shown);
  if (textSearch === undefined) return picker;
  const { text, without, filters } = textSearch;
  const seq = picker.seq + 1;
  const rows = passingRows(picker).filter(({ problem }) => problem === null);
  const totalBytes = rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const none = { hits: [], doneBytes: 0, totalBytes, isDone: false };
  return { ...picker, seq, outputs: { seq, text, without, filters, rows, ...none } };
}

/** More tool output; late ones change nothing. */
export function addOutputs(picker: PickerState, seq: number, found: OutputsFound): PickerState {
  const { outputs } = picker;
  if (outputs?.seq !== seq) return picker;
  const { doneBytes, totalBytes, isDone } = found;
  const hits = found.hits.length === 0 ? outputs.hits : [...outputs.hits, ...found.hits];
  return showRows({ ...picker, outputs: { ...outputs, hits, doneBytes, totalBytes, isDone } }, picker.shown);
}

function showRows(picker: PickerState, shown: readonly SessionRow[]): PickerState {
  const hits = allHits(picker);
  const shownTexts = hits.length === 0 ? hits : hitsAmong(hits, passingRows(picker));
  const keys = [...shown.map(({ path }) => path), ...shownTexts.map(hitKey)];
  const index = followSelection(keys, picker.selected, picker.index) ?? 0;
  // Rows that come in above push the window down with the selection, unless the start of the list is in sight.
  const shift = picker.top === 0 ? 0 : index - picker.index;
  const top = clampTop(picker.top + shift, picker.height, keys.length);
  return selectIndex({ ...picker, shown, shownTexts, top, index, selected: keys[index] }, index);
}
