import { byActivity } from '../catalog/listing.ts';
import { PatternMatcher } from '../catalog/pattern-client.ts';
import { isLive } from '../catalog/read-row.ts';
import { activityMs, isShownByDefault, type SessionRow } from '../catalog/session-row.ts';
import { SessionError } from '../errors.ts';
import { age } from '../model/age.ts';
import { neutraliseLine } from '../model/neutralise.ts';
import { parseQuery, patternsOf, type Query } from '../model/query.ts';
import { patternText, searchRows } from '../model/search.ts';
import { fit, fitEnd, truncate } from '../model/text.ts';
import { print, tell, toJson } from '../output.ts';
import { foldersOfScope } from '../scope.ts';
import { snapshotProcesses } from '../session/open-files.ts';
import { openSidecar } from './catalog-work.ts';
import { type Choice, currentRows } from './current-rows.ts';
import type { Place } from './place.ts';
import type { SortName } from './sort-names.ts';

export interface ListOptions {
  readonly all: boolean;
  readonly hidden: boolean;
  readonly sort: SortName;
  readonly limit: number | undefined;
  readonly query: string;
  readonly json: boolean;
}

/** The public shape of a session in `list --json` and wherever a command names one (product page, "Commands"). */
export function sessionJson(row: SessionRow): Readonly<Record<string, unknown>> {
  return {
    path: row.path,
    id: row.id,
    agent: row.agent,
    cwd: row.cwd,
    title: row.title,
    titleSource: row.titleSource,
    firstMessage: row.firstMessage,
    created: row.createdMs,
    modified: row.modifiedMs,
    entryCount: row.entryCount,
    messageCount: row.messageCount,
    branchCount: row.branchCount,
    labelCount: row.labelCount,
    sizeBytes: row.sizeBytes,
    parentSession: row.parentSession,
    models: row.models,
    tokens: row.tokens,
    cost: row.cost,
    damagedLines: row.damagedLines,
    live: row.live,
    lastTurn: row.lastTurn,
    problem: row.problem,
  };
}

function comparator(sort: SortName): (a: SessionRow, b: SessionRow) => number {
  const by = (value: (row: SessionRow) => number | null) => (a: SessionRow, b: SessionRow) =>
    (value(b) ?? Number.NEGATIVE_INFINITY) - (value(a) ?? Number.NEGATIVE_INFINITY) || byActivity(a, b);
  switch (sort) {
    case 'created':
      return by((row) => row.createdMs);
    case 'cost':
      return by((row) => row.cost);
    case 'size':
      return by((row) => row.sizeBytes);
    case 'recent':
    case 'relevance':
      return byActivity;
  }
}

function inScope(
  rows: readonly SessionRow[],
  place: Place,
  options: ListOptions,
  say: (text: string) => void,
): readonly SessionRow[] {
  if (options.all) return rows;
  const here = new Set(foldersOfScope(place.cwd));
  const local = rows.filter((row) => row.cwd !== null && here.has(row.cwd));
  if (local.some((row) => options.hidden || isShownByDefault(row))) return local;
  if (rows.length > 0) say(`no session belongs to ${neutraliseLine(place.cwd)}: listing every folder's`);
  return rows;
}

/** Those of some rows that pass the patterns of a query; undefined without patterns. Throws `usage` where these take too long. */
function passing(
  rows: readonly SessionRow[],
  query: Query,
  workerUrl: URL,
): Promise<ReadonlySet<SessionRow> | undefined> {
  const patterns = patternsOf(query);
  if (patterns.length === 0) return Promise.resolve(undefined);
  const matcher = new PatternMatcher(workerUrl);
  return new Promise((resolve, reject) => {
    // A thread alone keeps no process waiting.
    const waiting = setInterval(() => undefined, 60_000);
    matcher.match(patterns, rows.map(patternText), (answer) => {
      clearInterval(waiting);
      matcher.stop();
      if (answer.kind === 'failed') reject(new SessionError('usage', answer.reason));
      else resolve(new Set(rows.filter((_, index) => answer.passing[index] === 1)));
    });
  });
}

function search(rows: readonly SessionRow[], query: Query): readonly SessionRow[] {
  const searching = searchRows(rows, query);
  for (let step = searching.next(); ; step = searching.next()) if (step.done) return step.value;
}

/** What the rows are searched for, and those that pass its patterns, where there are any. */
interface Wanted {
  readonly query: Query;
  readonly passed?: ReadonlySet<SessionRow> | undefined;
}

interface Chosen {
  readonly scoped: readonly SessionRow[];
  readonly shown: readonly SessionRow[];
  readonly found: readonly SessionRow[];
  readonly page: readonly SessionRow[];
}

/** Those of all sessions that are in scope, shown, found, and within the limit. */
function chosenOf(
  all: readonly SessionRow[],
  place: Place,
  options: ListOptions,
  { query, passed }: Wanted,
  say: (text: string) => void = () => undefined,
): Chosen {
  const scoped = inScope(all, place, options, say);
  const shown = options.hidden ? scoped : scoped.filter(isShownByDefault);
  const sorted = [...shown].sort(comparator(options.sort));
  const isRanked = options.query !== '' && options.sort === 'relevance';
  const matching =
    options.query === ''
      ? sorted
      : search(passed === undefined ? sorted : sorted.filter((row) => passed.has(row)), query);
  const found = isRanked ? matching : [...matching].sort(comparator(options.sort));
  return { scoped, shown, found, page: found.slice(0, options.limit ?? found.length) };
}

/** The sessions that a listing names, in its order and with all their figures, and how many there are in all. */
async function findSessions(
  place: Place,
  options: ListOptions,
  workerUrl: URL,
): Promise<{ readonly rows: readonly SessionRow[]; readonly total: number; readonly hidden: number }> {
  using sidecar = openSidecar(place);
  const query = parseQuery(options.query, place.nowMs);
  for (const problem of query.problems) tell(problem);
  const isByFigures = options.query !== '' || options.sort === 'cost' || options.limit === undefined;
  const choose: Choice = (rows) => chosenOf(rows, place, options, { query }).page;
  const all = await sidecar.run((store) => currentRows(store, place, isByFigures ? undefined : choose));
  const passed = await passing(all, query, workerUrl);
  const { scoped, shown, found, page } = chosenOf(all, place, options, { query, passed }, tell);
  const processes = await snapshotProcesses();
  const rows = page.map((row) => ({ ...row, live: isLive(row, processes) }));
  return { rows, total: found.length, hidden: scoped.length - shown.length };
}

function shortFolder(cwd: string | null, home: string): string {
  if (cwd === null) return '';
  return cwd === home || cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd;
}

/** What a row is called: its title, else its first prompt, else its file. Neutralised. */
function nameOf(row: SessionRow): string {
  const name = neutraliseLine(row.title ?? row.firstMessage ?? '').trim();
  if (row.problem !== null) return `(unreadable) ${neutraliseLine(row.problem)}`;
  if (row.id === null) return `(no session header) ${neutraliseLine(row.path.slice(row.path.lastIndexOf('/') + 1))}`;
  return name === '' ? '(no messages)' : name;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

function marksOf(row: SessionRow): string {
  const marks: string[] = [];
  if (row.live) marks.push('live');
  if (row.parentSession !== null) marks.push('fork');
  if ((row.branchCount ?? 0) > 0) marks.push(count(row.branchCount ?? 0, 'branch', 'branches'));
  if ((row.labelCount ?? 0) > 0) marks.push(count(row.labelCount ?? 0, 'label'));
  if ((row.damagedLines ?? 0) > 0) marks.push(count(row.damagedLines ?? 0, 'damaged line'));
  if (row.lastTurn === 'error' || row.lastTurn === 'aborted') marks.push(row.lastTurn);
  return marks.join(', ');
}

function tableOf(rows: readonly SessionRow[], place: Place, columns: number): string {
  const cells = rows.map((row) => ({
    age: age(activityMs(row), place.nowMs),
    name: nameOf(row),
    messages: row.messageCount === null ? '' : String(row.messageCount),
    cost: row.cost === null || row.cost === 0 ? '' : `$${row.cost.toFixed(2)}`,
    folder: neutraliseLine(shortFolder(row.cwd, place.home)),
    id: neutraliseLine(row.id ?? ''),
    marks: marksOf(row),
  }));
  const nameCells = Math.max(24, Math.min(60, columns - 60));
  return cells
    .map((cell) => {
      const line = `${fitEnd(cell.age, 4)}  ${fit(cell.name, nameCells)}  ${fitEnd(cell.messages, 5)}  ${fitEnd(cell.cost, 7)}  ${cell.id}  ${cell.folder}${cell.marks === '' ? '' : `  (${cell.marks})`}`;
      return truncate(line.trimEnd(), columns);
    })
    .join('\n');
}

/** `bough list`: sessions as a table, or as JSON with exact figures. */
export async function runList(place: Place, options: ListOptions, workerUrl: URL): Promise<void> {
  const { rows, total, hidden } = await findSessions(place, options, workerUrl);
  if (options.json) {
    await print(toJson({ version: 1, total, sessions: rows.map(sessionJson) }));
    return;
  }
  if (rows.length > 0) {
    const columns = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
    await print(tableOf(rows, place, columns));
  }
  if (total === 0) tell(emptyReason(place, options, hidden));
  else if (rows.length < total) tell(`${rows.length} of ${total} sessions`);
  if (total > 0 && hidden > 0) tell(`${hidden} sub-agent and empty sessions are hidden (--hidden shows them)`);
}

function emptyReason(place: Place, options: ListOptions, hidden: number): string {
  if (place.roots.length === 0) {
    return 'no agent folder found (~/.xcsh/agent, ~/.omp/agent, ~/.pi/agent); name one with --agent-dir, or try bough --demo';
  }
  if (options.query !== '') return `no session matches ${JSON.stringify(neutraliseLine(options.query))}`;
  if (hidden > 0) return `no session with a prompt; ${hidden} are hidden (--hidden shows them)`;
  return 'no sessions yet in the agent folders; bough --demo shows some samples';
}
