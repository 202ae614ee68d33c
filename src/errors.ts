/** What can go wrong outside our own code. Closed: every code has a row in `OUTCOMES`. */
export type ErrorCode =
  | 'usage'
  | 'no_terminal'
  | 'not_found'
  | 'entry_not_found'
  | 'ambiguous'
  | 'not_a_session'
  | 'refused'
  | 'live'
  | 'changed_on_disk'
  | 'already_exists'
  | 'no_permission'
  | 'disk_full'
  | 'too_large'
  | 'blob_missing'
  | 'history_unavailable'
  | 'agent_not_found'
  | 'io';

interface Outcome {
  /** The process's exit status. */
  readonly status: number;
  /** What the user can do about it, when the thrower knows nothing better. */
  readonly hint?: string;
}

/** One table: code → exit status (product page, "Commands") and a default hint. */
const OUTCOMES: Readonly<Record<ErrorCode, Outcome>> = {
  usage: { status: 2, hint: 'see bough --help' },
  no_terminal: { status: 2 },
  not_found: { status: 3, hint: 'bough list --all shows every session' },
  entry_not_found: { status: 3, hint: 'bough tree TARGET --json lists the entries with their ids' },
  ambiguous: { status: 4 },
  not_a_session: { status: 5, hint: 'nothing was changed' },
  refused: { status: 5 },
  live: { status: 5, hint: 'close the agent that has it open, then try again' },
  changed_on_disk: { status: 5, hint: 'read it again, then repeat the change' },
  already_exists: { status: 5 },
  no_permission: { status: 1, hint: 'check who owns it and its mode' },
  disk_full: { status: 1, hint: 'free some space, then try again' },
  too_large: { status: 1 },
  blob_missing: { status: 1 },
  history_unavailable: { status: 1 },
  agent_not_found: { status: 1, hint: 'install it or add it to PATH' },
  io: { status: 1 },
};

interface ErrorDetails {
  readonly path?: string;
  readonly hint?: string;
  readonly cause?: unknown;
}

/**
 * A failure of the environment or of the user's input: one line for a person, a closed `code` for a program.
 * Everything else that is thrown is a bug.
 */
export class SessionError extends Error {
  override readonly name = 'SessionError';
  readonly code: ErrorCode;
  readonly path: string | undefined;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.path = details.path;
    this.hint = details.hint ?? OUTCOMES[code].hint;
  }

  get exitStatus(): number {
    return OUTCOMES[this.code].status;
  }
}

const NODE_CODES: Readonly<Record<string, ErrorCode>> = {
  ENOENT: 'not_found',
  ENOTDIR: 'not_found',
  EACCES: 'no_permission',
  EPERM: 'no_permission',
  EROFS: 'no_permission',
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EEXIST: 'already_exists',
  ENAMETOOLONG: 'usage',
};

/** The `code` of a Node system error (`ENOENT`, …), or undefined for anything else. */
export function nodeCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** A Node system error as a `SessionError` that names what was tried; a `SessionError` passes through unchanged. */
export function fromNodeError(error: unknown, doing: string, path?: string): SessionError {
  if (error instanceof SessionError) return error;
  const system = nodeCode(error);
  const code = (system !== undefined && NODE_CODES[system]) || 'io';
  const reason = error instanceof Error ? error.message.replace(/^[A-Z]+: /, '').replace(/, .*/, '') : String(error);
  return new SessionError(code, `${doing}: ${reason}`, { cause: error, ...(path === undefined ? {} : { path }) });
}
