import { createHash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { nodeCode, SessionError } from '../errors.ts';

/** Environment variables; an empty value counts as unset. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Where one agent keeps its data, as absolute paths; nothing need exist. */
export interface AgentFolders {
  readonly agentDir: string;
  readonly sessionsDir: string;
  readonly blobsDir: string;
  readonly historyPath: string;
  readonly breadcrumbsDir: string;
}

const AGENT_DIR_VARIABLE = 'PI_CODING_AGENT_DIR';
const MAX_NAME_BYTES = 255;
/** `2026-12-01T02-25-30-047Z_<id>`: a session file's name without `.jsonl`, so also that of its artifact folder. */
const SESSION_STEM = /^\d{4}-\d{2}-\d{2}T[\d-]+Z_./;

/** The user's home folder: `HOME` of `env`, else that of the account. */
export function getHomeDir(env: Env = process.env): string {
  return resolve(env['HOME'] || homedir());
}

/** `~/.xcsh`, or the folder under home that `PI_CONFIG_DIR` names. */
export function getConfigRootDir(env: Env = process.env): string {
  return join(getHomeDir(env), env['PI_CONFIG_DIR'] || '.xcsh');
}

/** The agent folder: `PI_CODING_AGENT_DIR`, else `~/.xcsh/agent`. Read at every call, so it can change while running. */
export function getAgentDir(env: Env = process.env): string {
  return resolve(env[AGENT_DIR_VARIABLE] || join(getConfigRootDir(env), 'agent'));
}

/** Makes `dir` the agent folder of this process and of the ones that it starts. Bough itself never calls this. */
export function setAgentDir(dir: string, env: Record<string, string | undefined> = process.env): void {
  env[AGENT_DIR_VARIABLE] = resolve(dir);
}

/** The plain layout: everything in `agentDir`. */
export function foldersIn(agentDir: string, stateDir: string = agentDir): AgentFolders {
  return {
    agentDir,
    sessionsDir: join(agentDir, 'sessions'),
    blobsDir: join(agentDir, 'blobs'),
    historyPath: join(agentDir, 'history.db'),
    breadcrumbsDir: join(stateDir, 'terminal-sessions'),
  };
}

/**
 * The folders of an agent whose default folder is `defaultAgentDir`: the data and state folders move to
 * `$XDG_DATA_HOME/<app>` and `$XDG_STATE_HOME/<app>` where these already exist (Linux and macOS only).
 */
export function xdgFolders(app: string, defaultAgentDir: string, env: Env = process.env): AgentFolders {
  const dataDir = existingXdgDir('XDG_DATA_HOME', app, env);
  const stateDir = existingXdgDir('XDG_STATE_HOME', app, env);
  return foldersIn(dataDir ?? defaultAgentDir, stateDir ?? defaultAgentDir);
}

/** The folders of this process's agent: XDG rules hold only while the agent folder is the default one. */
export function getAgentFolders(env: Env = process.env): AgentFolders {
  const agentDir = getAgentDir(env);
  const isDefault = agentDir === join(getConfigRootDir(env), 'agent');
  return isDefault ? xdgFolders('xcsh', agentDir, env) : foldersIn(agentDir);
}

/** `<agent>/sessions`, or the folder that XDG rules give. */
export function getSessionsDir(env: Env = process.env): string {
  return getAgentFolders(env).sessionsDir;
}

/** `<agent>/blobs`, or the folder that XDG rules give. */
export function getBlobsDir(env: Env = process.env): string {
  return getAgentFolders(env).blobsDir;
}

/** `<agent>/history.db`, or the file that XDG rules give. */
export function getHistoryPath(env: Env = process.env): string {
  return getAgentFolders(env).historyPath;
}

/** `<agent>/terminal-sessions`, or the folder that XDG rules give. */
export function getTerminalSessionsDir(env: Env = process.env): string {
  return getAgentFolders(env).breadcrumbsDir;
}

/**
 * The agent folder that holds a session file `<agent>/sessions/<folder>/<file>`, or a file in the artifact folder of
 * such a session; undefined outside one. Looks at names only. Data beside the session belongs in this folder.
 */
export function agentDirOf(sessionPath: string): string | undefined {
  const path = resolve(sessionPath);
  for (let at = path; dirname(at) !== at; at = dirname(at)) {
    if (at !== path && !SESSION_STEM.test(basename(at))) continue;
    const sessionsDir = dirname(dirname(at));
    const agentDir = dirname(sessionsDir);
    if (basename(sessionsDir) === 'sessions' && dirname(agentDir) !== agentDir) return agentDir;
  }
  return undefined;
}

/**
 * All folders of the agent that holds `sessionPath`; undefined outside one. A data folder under `XDG_DATA_HOME` has its
 * breadcrumbs in the state folder of the same agent.
 */
export function agentFoldersOf(sessionPath: string, env: Env = process.env): AgentFolders | undefined {
  const agentDir = agentDirOf(sessionPath);
  if (agentDir === undefined) return undefined;
  const dataHome = xdgDir('XDG_DATA_HOME', env);
  const app = dataHome === undefined ? '' : relative(dataHome, agentDir);
  if (!isInside(app)) return foldersIn(agentDir);
  return foldersIn(agentDir, existingXdgDir('XDG_STATE_HOME', app, env));
}

/**
 * The name of the folder in which new sessions of `cwd` are kept: `--work-pi--` for `/work/pi`. Ambiguous, so never
 * decoded. A name that no file system takes (over 255 bytes) is cut and ends in a hash of the folder.
 */
export function encodeCwd(cwd: string): string {
  const path = resolve(cwd);
  const name = `--${dashed(path.replace(/^[/\\]/, ''))}--`;
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 16);
  return `${cutToBytes(name, MAX_NAME_BYTES - hash.length - 3)}-${hash}--`;
}

/**
 * Every folder name under which an agent of the family may have filed the sessions of `cwd`, without repeats, the one
 * for new sessions first: `--<absolute>--`, `-<relative to home>`, `-tmp-<relative to the temp folder>` and omp's
 * short-lived hashed names, each for the path as given and as resolved through links.
 */
export function folderNamesOf(cwd: string, env: Env = process.env): readonly string[] {
  const paths = pathAndRealPath(cwd);
  const homes = pathAndRealPath(getHomeDir(env));
  const temps = pathAndRealPath(env['TMPDIR'] || tmpdir());
  const names = new Set(paths.map(encodeCwd));
  for (const path of paths) {
    const fromHome = homes.map((home) => relative(home, path)).find(isInsideOrSame);
    const fromTemp = temps.map((temp) => relative(temp, path)).find(isInsideOrSame);
    if (fromHome !== undefined) names.add(`-${dashed(fromHome)}`);
    if (fromTemp !== undefined) names.add(fromTemp === '' ? '-tmp' : `-tmp-${dashed(fromTemp)}`);
    const scope = fromHome !== undefined ? 'home' : fromTemp !== undefined ? 'tmp' : 'abs';
    names.add(hashedName(path, scope));
  }
  return [...names].filter(isSafeName);
}

/** Whether text from data may be used as the name of one file or folder: no separators, no controls, not `.` or `..`. */
export function isSafeName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (name === '' || name === '.' || name === '..' || /[/\\\u0000-\u001f\u007f]/.test(name)) return false;
  return Buffer.byteLength(name) <= MAX_NAME_BYTES;
}

/**
 * `<timestamp>_<sessionId>.jsonl`, from an ISO time and a session's id.
 * @throws SessionError `refused` when one of them cannot be part of a file name
 */
export function sessionFileName(timestamp: string, sessionId: string): string {
  const name = `${timestamp.replace(/[:.]/g, '-')}_${sessionId}.jsonl`;
  if (sessionId !== '' && isSafeName(name)) return name;
  throw new SessionError('refused', `the session id ${JSON.stringify(sessionId)} cannot be part of a file name`);
}

/**
 * The artifact folder of a session file, which is its path without `.jsonl`.
 * @throws SessionError `refused` for any other name, since the folder would then be someone else's
 */
export function artifactsDirOf(sessionPath: string): string {
  if (/[^/\\]\.jsonl$/.test(sessionPath)) return sessionPath.slice(0, -'.jsonl'.length);
  throw new SessionError('refused', 'not the name of a session file', { path: sessionPath });
}

/** Whether a folder bears the name that a session's artifact folder has, whatever became of the session's file. */
export function isArtifactsDir(dir: string): boolean {
  return SESSION_STEM.test(basename(dir));
}

/** `path` made absolute and, when it exists under another name, its real path after it. */
export function pathAndRealPath(path: string): readonly string[] {
  const absolute = resolve(path);
  if (!existsSync(absolute)) return [absolute];
  try {
    const real = realpathSync(absolute);
    return real === absolute ? [absolute] : [absolute, real];
  } catch (error) {
    // A folder on the way may be unreadable or gone by now: then only the given name is known.
    if (nodeCode(error) === undefined) throw error;
    return [absolute];
  }
}

/** Whether a regular file, or a link to one, is there; no when it cannot be looked at. */
export function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch (error) {
    if (nodeCode(error) === undefined) throw error;
    return false;
  }
}

/** An XDG base folder; relative values are to be ignored, says the XDG specification. */
export function xdgDir(variable: string, env: Env): string | undefined {
  const dir = env[variable];
  return dir && isAbsolute(dir) ? resolve(dir) : undefined;
}

function existingXdgDir(variable: string, app: string, env: Env): string | undefined {
  if (process.platform === 'win32') return undefined;
  const base = xdgDir(variable, env);
  const dir = base && join(base, app);
  return dir && existsSync(dir) ? dir : undefined;
}

function hashedName(path: string, scope: 'home' | 'tmp' | 'abs'): string {
  const readable = basename(path)
    .replace(/[^a-zA-Z0-9._-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(-80);
  const hash = createHash('sha256').update(path.replaceAll('\\', '/')).digest('hex');
  return `${scope}-${readable || 'project'}-${hash}`;
}

function dashed(path: string): string {
  return path.replace(/[/\\:]/g, '-');
}

function isInside(relativePath: string): boolean {
  return relativePath !== '' && isInsideOrSame(relativePath);
}

export function isInsideOrSame(relativePath: string): boolean {
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath);
}

function cutToBytes(text: string, sizeBytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, sizeBytes)).replace(/\ufffd+$/, '');
}
