import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type Env, isSafeName } from './paths.ts';

/** A name for the terminal that a process runs in; `id` is safe as a file name. */
export interface TerminalId {
  readonly kind: 'pane' | 'emulator' | 'tty';
  readonly id: string;
}

const MAX_LENGTH = 64;

/** What each emulator sets, and how to tell that it is the innermost one: others' variables are inherited. */
const EMULATORS = [
  { variable: 'KITTY_WINDOW_ID', prefix: 'kitty', isInnermost: (env: Env) => env['TERM'] === 'xterm-kitty' },
  { variable: 'WEZTERM_PANE', prefix: 'wezterm', isInnermost: (env: Env) => env['TERM_PROGRAM'] === 'WezTerm' },
  {
    variable: 'TERM_SESSION_ID',
    prefix: 'apple',
    isInnermost: (env: Env) => env['TERM_PROGRAM'] === 'Apple_Terminal' || env['TERM_PROGRAM'] === 'iTerm.app',
  },
  { variable: 'WT_SESSION', prefix: 'wt', isInnermost: () => false },
] as const;

/**
 * The names of the terminal of a process with environment `env` and the device `ttyPath` (`/dev/pts/3`), innermost
 * first: panes of multiplexers, emulators, the device. Devices are given to one terminal after the other, and
 * emulators' variables are inherited, so panes are the surest. Empty when the terminal has no name.
 */
export function terminalIdsOf(env: Env, ttyPath: string | undefined): readonly TerminalId[] {
  const zellijSession = env['ZELLIJ_SESSION_NAME'];
  const panes = [
    named(
      'zellij',
      zellijSession ? env['ZELLIJ_PANE_ID'] && `${zellijSession}-${env['ZELLIJ_PANE_ID']}` : env['ZELLIJ_PANE_ID'],
    ),
    named('tmux', env['TMUX_PANE']),
    named('cmux', env['CMUX_SURFACE_ID']),
  ];
  const emulators = EMULATORS.toSorted((a, b) => Number(b.isInnermost(env)) - Number(a.isInnermost(env)));
  const tty = ttyPath?.startsWith('/dev/') ? sanitize(ttyPath.slice('/dev/'.length)) : undefined;
  return [
    ...panes.map((id) => ({ kind: 'pane' as const, id })),
    ...emulators.map(({ variable, prefix }) => ({ kind: 'emulator' as const, id: named(prefix, env[variable]) })),
    { kind: 'tty' as const, id: tty },
  ].filter((item): item is TerminalId => item.id !== undefined && isSafeName(item.id));
}

/** The device of this process's standard input, as `/dev/pts/3`; undefined when that is no terminal or has no name. */
function getTtyPath(): string | undefined {
  if (!isatty(0) || process.platform === 'win32') return undefined;
  try {
    if (process.platform === 'linux') return readlinkSync('/proc/self/fd/0');
    // Node has no ttyname.
    return execFileSync('tty', { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8', timeout: 1000 }).trim();
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** The names of this process's terminal; see `terminalIdsOf`. */
export function getTerminalIds(env: Env = process.env): readonly TerminalId[] {
  return terminalIdsOf(env, getTtyPath());
}

function named(prefix: string, value: string | undefined): string | undefined {
  return value ? sanitize(`${prefix}-${value}`) : undefined;
}

function sanitize(id: string): string {
  const safe = id.replace(/[^A-Za-z0-9._%-]/g, '-');
  if (safe.length <= MAX_LENGTH) return safe;
  // The end tells panes of one long-named session apart, so a plain cut would mix them up.
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 8);
  return `${safe.slice(0, MAX_LENGTH - 9)}-${hash}`;
}
