import { resolve } from 'node:path';
import { addPrompt } from '../actions/add-prompt.ts';
import { type ImportProgress, importPrompts } from '../actions/import-prompts.ts';
import { type RemovedFrom, removeRows } from '../actions/remove-prompts.ts';
import { SessionError } from '../errors.ts';
import type { HistoryDatabases } from '../history/databases.ts';
import { countFilesWith } from '../history/places.ts';
import { type FoundRow, rowId } from '../history/prompt-groups.ts';
import { findPrompts } from '../history/prompt-search.ts';
import { neutraliseLine } from '../model/neutralise.ts';
import { truncate } from '../model/text.ts';
import { tell } from '../output.ts';
import { getOwnFolders } from '../own-folders.ts';
import { databasesOf, finishNow, scopeFolders, tellProblems } from './history.ts';
import type { Place } from './place.ts';
import { ask } from './resume.ts';

const MAX_SHOWN = 10;
const SHOWN_CELLS = 72;
/** A line of progress at every so many files where there is no terminal to draw it anew on. */
const FILES_PER_LINE = 1_000;

function counted(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** `bough history add`: stores a prompt as an agent would, asking nothing. */
export async function runHistoryAdd(place: Place, prompt: string, cwd: string | undefined): Promise<void> {
  const { stateDir } = getOwnFolders(place.env);
  const path = await addPrompt(prompt, resolve(place.cwd, cwd ?? '.'), { roots: place.roots, stateDir });
  tell(neutraliseLine(`added to ${path}`));
}

function drawProgress({ filesDone, filesTotal, added }: ImportProgress): void {
  const text = `bough: ${filesDone} of ${counted(filesTotal, 'session')}, ${counted(added, 'new prompt')}`;
  const isLast = filesDone === filesTotal;
  if (process.stderr.isTTY && (isLast || filesDone % 20 === 0)) process.stderr.write(`\r${text}${isLast ? '\n' : ''}`);
  else if (!process.stderr.isTTY && filesDone % FILES_PER_LINE === 0) process.stderr.write(`${text}\n`);
}

/** `bough history import`: takes the prompts of agents that keep none from their sessions into Bough's own history. */
export function runHistoryImport(place: Place): void {
  const work = importPrompts(place.roots, getOwnFolders(place.env).stateDir);
  let step = work.next();
  for (; step.done !== true; step = work.next()) drawProgress(step.value);
  const { added, known, removed, filesTotal, problems } = step.value;
  for (const problem of problems) tell(neutraliseLine(problem));
  const left = removed === 0 ? '' : `, ${removed} left out because you removed them`;
  tell(`${counted(added, 'prompt')} imported from ${counted(filesTotal, 'session')}, ${known} known already${left}`);
}

export interface HistoryRemoveOptions {
  readonly words: readonly string[];
  /** Is it a text whatever it looks like? */
  readonly isText: boolean;
  readonly cwd: string | undefined;
  readonly yes: boolean;
}

/** The rows of prompts named by the ids that `history --json` gives. Throws `not_found` for an id that is none. */
function rowsOfIds(databases: HistoryDatabases, ids: readonly string[]): FoundRow[] {
  const all = findPrompts(databases, { query: '', folders: undefined });
  const named = all.list().filter(({ prompt }) => all.rowsOf(prompt).some((row) => ids.includes(rowId(row))));
  const rows = named.flatMap(({ prompt }) => all.rowsOf(prompt));
  const missing = ids.find((id) => !rows.some((row) => rowId(row) === id));
  if (missing === undefined) return rows;
  throw new SessionError('not_found', `no prompt ${missing}`, { hint: 'bough history --json lists the ids' });
}

function rowsToRemove(databases: HistoryDatabases, place: Place, options: HistoryRemoveOptions): FoundRow[] {
  const { words, isText, cwd } = options;
  const names = databases.sources.map(({ name }) => name);
  const isId = (word: string): boolean => {
    const [name, number] = word.split(':');
    return names.includes(name ?? '') && /^\d+$/.test(number ?? '') && `${name}:${number}` === word;
  };
  if (!isText && words.length > 0 && words.every(isId)) return rowsOfIds(databases, words);
  const query = words.join(' ');
  if (query.trim() === '') throw new SessionError('usage', 'name the prompts to remove by an id or by their words');
  const groups = findPrompts(databases, { query, folders: scopeFolders(place, cwd) });
  const rows = groups.list().flatMap(({ prompt }) => groups.rowsOf(prompt));
  if (rows.length > 0) return rows;
  throw new SessionError('not_found', `no prompt has all of these words: ${neutraliseLine(query)}`, {
    hint: 'bough history shows them all',
  });
}

function showRows(rows: readonly FoundRow[]): void {
  const counts = new Map<string, number>();
  for (const { row } of rows) counts.set(row.prompt, (counts.get(row.prompt) ?? 0) + 1);
  tell(`${counted(counts.size, 'prompt')} would be removed:`);
  for (const [prompt, count] of [...counts].slice(0, MAX_SHOWN)) {
    const times = count === 1 ? '' : ` (${count} times)`;
    process.stderr.write(`  ${truncate(neutraliseLine(prompt.slice(0, 1_000)), SHOWN_CELLS)}${times}\n`);
  }
  if (counts.size > MAX_SHOWN) process.stderr.write(`  … and ${counts.size - MAX_SHOWN} more\n`);
}

function tellRemoval({ source, rowCount, isLogBusy, problem }: RemovedFrom): void {
  if (problem !== undefined) tell(neutraliseLine(problem.message));
  else tell(neutraliseLine(`removed ${counted(rowCount, 'row')} from ${source.path}`));
  if (isLogBusy) {
    tell(neutraliseLine(`another process has ${source.path} open: the last bytes of the text go when it ends`));
  }
}

/** `bough history rm`: removes prompts from every database that holds them, after showing them and asking. */
export async function runHistoryRemove(place: Place, options: HistoryRemoveOptions): Promise<void> {
  const { stateDir } = getOwnFolders(place.env);
  using databases = databasesOf(place);
  const rows = rowsToRemove(databases, place, options);
  tellProblems(databases);
  showRows(rows);
  if (!options.yes && !(process.stdin.isTTY && process.stderr.isTTY)) {
    throw new SessionError('usage', 'nothing was removed', { hint: 'without a terminal it takes --yes' });
  }
  if (!options.yes && !(await ask('Remove them? This cannot be undone.'))) {
    tell('nothing was removed');
    return;
  }
  const prompts = [...new Set(rows.map(({ row }) => row.prompt))];
  const { sources } = databases;
  // Our own reading would keep the log from being emptied.
  databases[Symbol.dispose]();
  const removals = removeRows(rows, sources, stateDir);
  for (const removal of removals) tellRemoval(removal);
  const files = finishNow(countFilesWith(prompts, place.roots));
  if (files > 0) tell(`the text still stands in ${counted(files, 'session file')}: these were not changed`);
  const problem = removals.find((removal) => removal.problem !== undefined)?.problem;
  if (problem !== undefined) throw new SessionError('history_unavailable', 'not all of it could be removed');
}
