import { resolve } from 'node:path';
import { HistoryDatabases, historySources } from '../history/databases.ts';
import { findPlaces } from '../history/places.ts';
import { findPrompts } from '../history/prompt-search.ts';
import { neutraliseLine } from '../model/neutralise.ts';
import { print, tell, toJson } from '../output.ts';
import { getOwnFolders } from '../own-folders.ts';
import { foldersOfScope } from '../scope.ts';
import type { Place } from './place.ts';

/** Prompts printed when no limit is given. */
const DEFAULT_LIMIT = 100;

export interface HistoryQueryOptions {
  readonly query: string;
  /** Only prompts sent there; undefined for everywhere. */
  readonly cwd: string | undefined;
  readonly limit: number | undefined;
}

/** The folders that `--cwd` means; undefined for everywhere. */
export function scopeFolders(place: Place, cwd: string | undefined): readonly string[] | undefined {
  return cwd === undefined ? undefined : foldersOfScope(resolve(place.cwd, cwd));
}

/** The databases of a place; the caller disposes of them. */
export function databasesOf({ roots, env }: Place): HistoryDatabases {
  return new HistoryDatabases(historySources(roots, getOwnFolders(env).stateDir));
}

/** Tells which databases could not be read. */
export function tellProblems(databases: HistoryDatabases): void {
  for (const problem of databases.problems) tell(neutraliseLine(problem));
}

/** Does a work of many steps at once. */
export function finishNow<T>(work: Generator<unknown, T>): T {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}

/** `bough history --json`: prompts with the sessions in which they were sent. `created_at` is in epoch seconds. */
export async function runHistoryJson(place: Place, { query, cwd, limit }: HistoryQueryOptions): Promise<void> {
  using databases = databasesOf(place);
  const groups = findPrompts(databases, { query, folders: scopeFolders(place, cwd) });
  tellProblems(databases);
  const all = groups.list();
  const page = all.slice(0, limit ?? DEFAULT_LIMIT);
  const wanted = page.map(({ prompt }) => ({ prompt, rows: groups.rowsOf(prompt) }));
  const places = finishNow(findPlaces(wanted, place.roots));
  const prompts = page.map(({ id, prompt, timeMs, cwd: folder, count }) => ({
    id,
    prompt,
    created_at: timeMs / 1000,
    cwd: folder,
    count,
    sessions: (places.get(prompt) ?? []).map(({ path, id: sessionId, entryId }) => ({ path, id: sessionId, entryId })),
  }));
  await print(toJson({ version: 1, total: all.length, prompts }));
}
