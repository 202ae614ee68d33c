import fs from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { nodeCode } from '../errors.ts';
import { replaceFileSync } from './atomic-write.ts';
import { isRegularFile, pathAndRealPath } from './paths.ts';
import { getTerminalIds, type TerminalId } from './terminal-ids.ts';

/** Which session a terminal ran last, as an agent noted it. */
export interface Breadcrumb {
  /** The breadcrumb's own file. */
  readonly path: string;
  /** The folder that the session ran in. */
  readonly cwd: string;
  /** Absolute; need not exist. */
  readonly sessionFile: string;
  /** Device and inode of `cwd` as digits, where the agent (omp) noted them. */
  readonly cwdIdentity?: { readonly device: string; readonly inode: string };
  readonly writtenMs: number;
}

const MAX_BREADCRUMB_BYTES = 64 * 1024;

/**
 * The breadcrumb in one file. Undefined when there is none or it does not read as one: two lines, folder and session
 * file, then what omp adds.
 */
export function readBreadcrumb(path: string): Breadcrumb | undefined {
  try {
    const stat = fs.statSync(path);
    if (!stat.isFile() || stat.size > MAX_BREADCRUMB_BYTES) return undefined;
    return parseBreadcrumb(path, fs.readFileSync(path, 'utf8'), stat.mtimeMs);
  } catch (error) {
    if (nodeCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Every breadcrumb of an agent, in no order; none when the folder is missing or unreadable. */
export function listBreadcrumbs(breadcrumbsDir: string): readonly Breadcrumb[] {
  try {
    const names = fs.readdirSync(breadcrumbsDir).filter((name) => !name.startsWith('.'));
    return names.map((name) => readBreadcrumb(join(breadcrumbsDir, name))).filter((found) => found !== undefined);
  } catch (error) {
    if (nodeCode(error) === undefined) throw error;
    return [];
  }
}

export interface FindBreadcrumbOptions {
  readonly cwd: string;
  /** The `terminal-sessions` folders of all agents. */
  readonly breadcrumbsDirs: readonly string[];
  /** Whether the file is a session with a turn: a breadcrumb may name anything. */
  readonly isResumable: (sessionFile: string) => boolean | Promise<boolean>;
  /** The names of the terminal; those of this process by default. */
  readonly terminals?: readonly TerminalId[];
}

/**
 * Where this terminal left off in `cwd`: over all its names and all agents, the newest breadcrumb whose folder is `cwd`
 * and whose file can be resumed, panes before emulators before devices. A breadcrumb that names a sub-agent's file
 * gives the session that it belongs to. Undefined when there is none.
 */
export async function findBreadcrumb(options: FindBreadcrumbOptions): Promise<Breadcrumb | undefined> {
  const terminals = options.terminals ?? getTerminalIds();
  for (const kind of ['pane', 'emulator', 'tty'] as const) {
    const ids = terminals.filter((terminal) => terminal.kind === kind).map((terminal) => terminal.id);
    const paths = options.breadcrumbsDirs.flatMap((dir) => ids.map((id) => join(dir, id)));
    const found = paths.map(readBreadcrumb).filter((breadcrumb) => breadcrumb !== undefined);
    for (const breadcrumb of found.sort((a, b) => b.writtenMs - a.writtenMs)) {
      if (!isOfFolder(breadcrumb, options.cwd)) continue;
      const sessionFile = topSessionOf(breadcrumb.sessionFile);
      if (await options.isResumable(sessionFile)) return { ...breadcrumb, sessionFile };
    }
  }
  return undefined;
}

/**
 * Notes that this terminal runs `sessionFile` in `cwd`, under the name of its pane and that of its device, or else of
 * its emulator. Gives the files written: none when the terminal has no name, or when a path holds a line break, which
 * the format cannot tell from its own. Not synced: a breadcrumb lost with the power is no loss.
 * Node's errors are thrown on; a caller may well ignore them.
 */
export function writeBreadcrumb(
  breadcrumbsDir: string,
  { cwd, sessionFile }: { readonly cwd: string; readonly sessionFile: string },
  terminals: readonly TerminalId[] = getTerminalIds(),
): readonly string[] {
  if (/[\r\n\0]/.test(cwd) || /[\r\n\0]/.test(sessionFile)) return [];
  const pane = terminals.find((terminal) => terminal.kind === 'pane');
  const tty = terminals.find((terminal) => terminal.kind === 'tty');
  const chosen = [pane, tty].filter((terminal) => terminal !== undefined);
  const named = chosen.length > 0 ? chosen : terminals.slice(0, 1);
  const paths = named.map((terminal) => join(breadcrumbsDir, terminal.id));
  for (const path of paths) replaceFileSync(path, [`${cwd}\n${sessionFile}\n`], { isDurable: false });
  return paths;
}

function parseBreadcrumb(path: string, text: string, writtenMs: number): Breadcrumb | undefined {
  if (text.includes('\0')) return undefined;
  const [cwd, sessionFile, ...extras] = text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (!cwd || !sessionFile || !isAbsolute(cwd)) return undefined;
  const [, device, inode] = extras.map((line) => /^cwdstat (\d+) (\d+)$/.exec(line)).find((match) => match) ?? [];
  return {
    path,
    cwd,
    sessionFile: resolve(cwd, sessionFile),
    ...(device && inode ? { cwdIdentity: { device, inode } } : {}),
    writtenMs,
  };
}

function isOfFolder(breadcrumb: Breadcrumb, cwd: string): boolean {
  const here = pathAndRealPath(cwd);
  if (pathAndRealPath(breadcrumb.cwd).some((path) => here.includes(path))) return true;
  return wasMovedTo(breadcrumb, cwd);
}

/** Whether the recorded folder is gone and `cwd` is that very folder under a new name. */
function wasMovedTo({ cwdIdentity, cwd: recorded, writtenMs }: Breadcrumb, cwd: string): boolean {
  if (cwdIdentity === undefined || fs.existsSync(recorded)) return false;
  const stat = fs.statSync(cwd, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined || String(stat.dev) !== cwdIdentity.device) return false;
  // Inodes of deleted folders are given out again: a folder younger than the breadcrumb is another one.
  return String(stat.ino) === cwdIdentity.inode && Number(stat.birthtimeMs) <= writtenMs;
}

/** The session in whose artifact folder a file lies; the file itself outside of one. */
function topSessionOf(file: string): string {
  let top = file;
  for (let at = dirname(file); dirname(at) !== at; at = dirname(at)) {
    if (isRegularFile(`${at}.jsonl`)) top = `${at}.jsonl`;
  }
  return top;
}
