import { resolve, sep } from 'node:path';
import { basename } from 'node:path/posix';
import type { AgentRoot } from './agents/agents.ts';
import { agentOfFolder } from './agents/agents.ts';
import { glanceAtRow } from './catalog/read-row.ts';
import { type FoundFile, findSessionFiles } from './catalog/session-files.ts';
import type { SessionRow } from './catalog/session-row.ts';
import type { Place } from './commands/place.ts';
import { SessionError } from './errors.ts';
import type { LoadedSession } from './session/loaded-session.ts';
import { agentDirOf, foldersIn, isRegularFile } from './session/paths.ts';

/** How many candidates or near matches an error names. */
const MAX_NAMED = 8;

/** A session file at an absolute path, with the agent folder that holds it. */
export function fileAt(path: string, roots: readonly AgentRoot[]): FoundFile {
  const agentDir = agentDirOf(path);
  const known = roots.find(({ folders }) => path.startsWith(`${folders.sessionsDir}${sep}`));
  const folders = foldersIn(agentDir ?? resolve(path, '..'));
  const root = known ?? { folders, agent: agentDir === undefined ? null : agentOfFolder(agentDir) };
  return { path, root, isSubAgent: false, mtimeMs: 0, sizeBytes: 0, inode: 0 };
}

/** The names by which a session may be called, besides its path: its id, its file's name, the id in that name. */
function namesOf(row: SessionRow): string[] {
  const file = basename(row.path);
  const stem = file.replace(/\.jsonl$/, '');
  return [row.id ?? '', file, stem, stem.slice(stem.lastIndexOf('_') + 1)].filter((name) => name !== '');
}

function describe(row: SessionRow): string {
  const title = row.title ?? row.firstMessage ?? '(no messages)';
  return `${row.id ?? basename(row.path)}  ${JSON.stringify(title.slice(0, 60)).slice(1, -1)}`;
}

function commonPrefixLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

function nearMatches(target: string, rows: readonly SessionRow[]): SessionRow[] {
  const wanted = target.toLowerCase();
  const scored = rows.map((row) => {
    const prefix = Math.max(...namesOf(row).map((name) => commonPrefixLength(name.toLowerCase(), wanted)));
    const isTitled = [row.title, row.firstMessage].some((text) => text?.toLowerCase().includes(wanted) ?? false);
    return { row, score: isTitled ? wanted.length : prefix };
  });
  const near = scored.filter(({ score }) => score >= Math.min(4, Math.ceil(wanted.length / 2)) && score > 1);
  return near.sort((a, b) => b.score - a.score).map(({ row }) => row);
}

function listNames(rows: readonly SessionRow[]): string {
  const named = rows.slice(0, MAX_NAMED).map((row) => `  ${describe(row)}`);
  if (rows.length > MAX_NAMED) named.push(`  … and ${rows.length - MAX_NAMED} more`);
  return named.join('\n');
}

/** Every session whose id, file name or id in the file name is `target` or begins with it, exact ones alone if any. */
function matchTarget(target: string, rows: readonly SessionRow[]): SessionRow[] {
  const wanted = target.toLowerCase();
  const named = rows.map((row) => ({ row, names: namesOf(row).map((name) => name.toLowerCase()) }));
  const exact = named.filter(({ names }) => names.includes(wanted));
  const matches = exact.length > 0 ? exact : named.filter(({ names }) => names.some((name) => name.startsWith(wanted)));
  return matches.map(({ row }) => row);
}

/**
 * The session that a person means by TARGET (product page, "Commands"): a path, an id, a file's name, or a unique prefix
 * of the last two. Changes nothing. Throws `usage` for an empty target, `not_found` with near matches, `ambiguous` with the
 * candidates. `.` is the caller's to resolve.
 */
export function findTarget(target: string, { roots, cwd }: Place): SessionRow {
  if (target === '')
    throw new SessionError('usage', 'the session to use is an empty string', { hint: 'name one, or .' });
  const path = resolve(cwd, target);
  if (isRegularFile(path)) return glanceAtRow(fileAt(path, roots));
  if (target.includes('/') || target.includes(sep)) {
    throw new SessionError('not_found', `no file at ${path}`, { path });
  }
  const rows = findSessionFiles(roots, () => undefined).map(glanceAtRow);
  const matches = matchTarget(target, rows);
  const [match, ...others] = matches;
  if (match !== undefined && others.length === 0) return match;
  if (match !== undefined) {
    const message = `${JSON.stringify(target)} fits ${matches.length} sessions:\n${listNames(matches)}`;
    throw new SessionError('ambiguous', message, { hint: 'give more of the id' });
  }
  const near = nearMatches(target, rows);
  const suggestion = near.length === 0 ? '' : `; near it:\n${listNames(near)}`;
  throw new SessionError('not_found', `no session ${JSON.stringify(target)}${suggestion}`);
}

/**
 * The position of the entry that a person means by ENTRY: an entry's id, or `#LINE` of the file. Throws `entry_not_found`.
 */
export function findEntry(session: LoadedSession, entry: string): number {
  const line = /^#(\d+)$/.exec(entry)?.[1];
  const at =
    session.tree.positions.get(entry) ??
    (line === undefined ? -1 : session.tree.items.findIndex(({ span }) => span.line === Number(line)));
  if (at >= 0) return at;
  const what = line === undefined ? `no entry ${JSON.stringify(entry)}` : `no entry on line ${line}`;
  throw new SessionError('entry_not_found', `${what} in ${session.path}`, { path: session.path });
}
