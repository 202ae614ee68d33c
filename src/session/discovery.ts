import { type Dirent, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { nodeCode } from '../errors.ts';
import { findBreadcrumb } from './breadcrumbs.ts';
import type { FileEntry } from './entries.ts';
import { folderNamesOf, getSessionsDir, getTerminalSessionsDir, isArtifactsDir, pathAndRealPath } from './paths.ts';
import {
  isReadFailure,
  readSessionInfos,
  readSessionOpening,
  type SessionInfo,
  type SessionOpening,
} from './session-info.ts';
import { FileSessionStorage } from './session-storage.ts';
import type { SessionStorage } from './storage.ts';
import { scanRecords } from './storage-records.ts';

export type { SessionInfo } from './session-info.ts';

/** One session at a glance, for a welcome screen. */
export interface RecentSession {
  readonly path: string;
  /** Of the file, epoch ms. */
  readonly mtime: number;
  /** The title, else the first prompt's first line, else the id, else the file's name. */
  readonly fullName: string;
  /** `fullName` in at most 40 characters. */
  readonly name: string;
  /** `just now`, `5m ago`, `3h ago`, `2d ago`, then a date. */
  readonly timeAgo: string;
}

/** A session that an argument names, and where it was found: `local` is the folder's own, `global` any other. */
export interface ResolvedSessionMatch {
  session: SessionInfo;
  scope: 'local' | 'global';
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MAX_NAME_CHARS = 40;

/**
 * Header and entries of a session file, unmigrated; [] when the file is missing or has no header (specification 4).
 * What cannot be read is skipped, and so is omp's title line. Throws the storage's other errors (a folder, no access).
 */
export async function loadEntriesFromFile(
  path: string,
  storage: SessionStorage = new FileSessionStorage(),
): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  let hasHeader = false;
  try {
    await scanRecords(storage, path, 'full', (record) => {
      if (record.kind === 'header') hasHeader = entries.unshift(record.header) > 0;
      if (record.kind === 'entry' && record.entry !== undefined) entries.push(record.entry);
      if (record.kind === 'extra') entries.push(record.value as FileEntry);
      return true;
    });
  } catch (error) {
    if (nodeCode(error) === 'ENOENT') return [];
    throw error;
  }
  return hasHeader ? entries : [];
}

/** The newest sessions directly in a folder by their files' mtime, at a glance; headers of any length are found. */
export async function getRecentSessions(
  sessionDir: string,
  limit = 3,
  storage: SessionStorage = new FileSessionStorage(),
): Promise<RecentSession[]> {
  const recent: RecentSession[] = [];
  for (const { path, mtimeMs } of newestFirst(storage, storage.listFilesSync(sessionDir, '*.jsonl'))) {
    if (recent.length >= limit) break;
    const opening = await openingOf(storage, path);
    if (opening === undefined) continue;
    const fullName = nameOf(opening, path);
    recent.push({ path, mtime: mtimeMs, fullName, name: shorten(fullName), timeAgo: formatAge(mtimeMs, Date.now()) });
  }
  return recent;
}

/** The newest session directly in a folder by its file's mtime; null when there is none. */
export async function findMostRecentSession(
  sessionDir: string,
  storage: SessionStorage = new FileSessionStorage(),
): Promise<string | null> {
  const [newest] = await getRecentSessions(sessionDir, 1, storage);
  return newest?.path ?? null;
}

/**
 * The sessions of one folder, newest first: with `sessionDir` everything directly in it; without, those among all the
 * folder names of the family whose header names `cwd`, by its given or its real path (decision "folder of a cwd").
 */
export async function listSessions(
  cwd: string,
  sessionDir?: string,
  storage: SessionStorage = new FileSessionStorage(),
): Promise<SessionInfo[]> {
  const infos = await readSessionInfos(storage, localFiles(storage, cwd, sessionDir));
  if (sessionDir !== undefined) return infos;
  const here = pathAndRealPath(cwd);
  return infos.filter((info) => info.cwd === '' || pathAndRealPath(info.cwd).some((path) => here.includes(path)));
}

/**
 * Every session below `sessionsDir` (the process's own by default), newest first; sub-agents' files in artifact folders
 * are no sessions of the list. Another `storage` is read directly in that folder, since it cannot list folders.
 */
export async function listAllSessions(
  storage: SessionStorage = new FileSessionStorage(),
  sessionsDir: string = getSessionsDir(),
): Promise<SessionInfo[]> {
  const isOnDisk = storage instanceof FileSessionStorage;
  const paths = isOnDisk ? sessionFilesBelow(sessionsDir) : storage.listFilesSync(sessionsDir, '*.jsonl');
  return await readSessionInfos(storage, paths);
}

/**
 * The sessions whose id, file name, or file name after its last `_` begins with `prefix`, in any case, newest first. The
 * folder's own are `local` whatever their header names; only where there are none, and no `sessionDir` is given, all
 * others are searched. "" matches every session.
 */
export async function matchSessions(
  prefix: string,
  cwd: string,
  sessionDir?: string,
  storage: SessionStorage = new FileSessionStorage(),
): Promise<ResolvedSessionMatch[]> {
  const local = await matchAmong(storage, localFiles(storage, cwd, sessionDir), prefix, 'local');
  if (local.length > 0 || sessionDir !== undefined || !(storage instanceof FileSessionStorage)) return local;
  return await matchAmong(storage, sessionFilesBelow(getSessionsDir()), prefix, 'global');
}

/** The newest session that `prefix` names, as `matchSessions` finds them; undefined when there is none. */
export async function resolveResumableSession(
  prefix: string,
  cwd: string,
  sessionDir?: string,
  storage: SessionStorage = new FileSessionStorage(),
): Promise<ResolvedSessionMatch | undefined> {
  const [newest] = await matchSessions(prefix, cwd, sessionDir, storage);
  return newest;
}

/**
 * Where to go on in `cwd`: the session that this terminal's breadcrumb names, if it has a turn; else the newest by mtime
 * in `sessionDir`, or without one the newest of all whose header names `cwd`. Undefined when there is none.
 */
export async function findResumable(
  cwd: string,
  sessionDir: string | undefined,
  storage: SessionStorage,
): Promise<string | undefined> {
  const isResumable = (path: string): Promise<boolean> => hasTurn(storage, path);
  const breadcrumb = await findBreadcrumb({ cwd, breadcrumbsDirs: [getTerminalSessionsDir()], isResumable });
  if (breadcrumb !== undefined) return breadcrumb.sessionFile;
  if (sessionDir !== undefined) return (await findMostRecentSession(resolve(sessionDir), storage)) ?? undefined;
  const here = pathAndRealPath(cwd);
  for (const { path } of newestFirst(storage, localFiles(storage, cwd, undefined))) {
    const header = (await openingOf(storage, path))?.header;
    if (header === undefined) continue;
    const isOwn = typeof header.cwd !== 'string' || pathAndRealPath(header.cwd).some((folder) => here.includes(folder));
    if (isOwn) return path;
  }
  return undefined;
}

/** Whether a file is a session in which something was said. */
async function hasTurn(storage: SessionStorage, path: string): Promise<boolean> {
  let hasHeader = false;
  let hasMessage = false;
  try {
    await scanRecords(storage, path, 'skeleton', (record) => {
      hasHeader ||= record.kind === 'header';
      hasMessage = hasHeader && record.kind === 'entry' && record.head.type === 'message';
      return !hasMessage && (hasHeader || record.kind !== 'entry');
    });
  } catch (error) {
    if (!isReadFailure(error)) throw error;
  }
  return hasMessage;
}

async function matchAmong(
  storage: SessionStorage,
  paths: readonly string[],
  prefix: string,
  scope: ResolvedSessionMatch['scope'],
): Promise<ResolvedSessionMatch[]> {
  const wanted = prefix.toLowerCase();
  const matching: string[] = [];
  for (const path of paths) {
    const name = basename(path).toLowerCase();
    const isNamed = name.startsWith(wanted) || name.slice(name.lastIndexOf('_') + 1).startsWith(wanted);
    // The name tells without a look inside, as a rule.
    const isMatch = isNamed || (await openingOf(storage, path))?.header.id.toLowerCase().startsWith(wanted);
    if (isMatch) matching.push(path);
  }
  const sessions = await readSessionInfos(storage, matching);
  return sessions.map((session) => ({ session, scope }));
}

async function openingOf(storage: SessionStorage, path: string): Promise<SessionOpening | undefined> {
  try {
    return await readSessionOpening(storage, path);
  } catch (error) {
    if (!isReadFailure(error)) throw error;
    return undefined;
  }
}

/** The files that may hold sessions of `cwd`, each once. */
function localFiles(storage: SessionStorage, cwd: string, sessionDir: string | undefined): readonly string[] {
  const root = getSessionsDir();
  const dirs = sessionDir === undefined ? folderNamesOf(cwd).map((name) => join(root, name)) : [resolve(sessionDir)];
  const distinct = new Set(dirs.map((dir) => pathAndRealPath(dir).at(-1) ?? dir));
  return [...distinct].flatMap((dir) => storage.listFilesSync(dir, '*.jsonl'));
}

/** Every `*.jsonl` below a folder, hidden names and artifact folders left out. Links to folders are not followed. */
function sessionFilesBelow(root: string): string[] {
  const files: string[] = [];
  const pending = [root];
  for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
    const items = itemsIn(dir).filter((item) => !item.name.startsWith('.'));
    const names = new Set(items.map((item) => item.name));
    for (const item of items) {
      const path = join(dir, item.name);
      if (item.isDirectory()) {
        if (!names.has(`${item.name}.jsonl`) && !isArtifactsDir(path)) pending.push(path);
      } else if (item.name.endsWith('.jsonl')) files.push(path);
    }
  }
  return files.sort();
}

function itemsIn(dir: string): readonly Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    if (nodeCode(error) === undefined) throw error;
    return [];
  }
}

function newestFirst(
  storage: SessionStorage,
  paths: readonly string[],
): { readonly path: string; readonly mtimeMs: number }[] {
  const files = paths.flatMap((path) => {
    try {
      return [{ path, mtimeMs: storage.statSync(path).mtimeMs }];
    } catch (error) {
      if (nodeCode(error) === undefined) throw error;
      return [];
    }
  });
  return files.sort((a, b) => b.mtimeMs - a.mtimeMs);
}

function nameOf({ header, titleSlot, firstPrompt }: SessionOpening, path: string): string {
  const candidates = [titleSlot, header.title, firstPrompt, header.id, basename(path)];
  return candidates.map(firstLine).find((name) => name !== '') ?? '';
}

function firstLine(text: unknown): string {
  if (typeof text !== 'string') return '';
  const [line = ''] = text.trim().split(/\r\n|[\r\n]/, 1);
  return line.replace(/\p{Cc}/gu, '').trim();
}

function shorten(name: string): string {
  const characters = [...name.slice(0, MAX_NAME_CHARS * 2 + 2)];
  if (characters.length <= MAX_NAME_CHARS) return name;
  return `${characters.slice(0, MAX_NAME_CHARS - 1).join('')}…`;
}

function formatAge(ms: number, nowMs: number): string {
  const ageMs = Math.max(0, nowMs - ms);
  if (ageMs < MINUTE_MS) return 'just now';
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)}m ago`;
  if (ageMs < DAY_MS) return `${Math.floor(ageMs / HOUR_MS)}h ago`;
  if (ageMs < 7 * DAY_MS) return `${Math.floor(ageMs / DAY_MS)}d ago`;
  return new Date(ms).toISOString().slice(0, 10);
}
