import { fromNodeError, SessionError } from '../errors.ts';
import type { FileStamp } from '../session/scan.ts';
import { FileSessionStorage } from '../session/session-storage.ts';
import {
  type AppendedLine,
  appendEntry,
  assertNotLive,
  type ChangeStorage,
  cutOff,
  type NewEntry,
  type Writing,
} from './append-line.ts';
import { type ChangeTarget, ChangingSession } from './changing-session.ts';
import type { Change, Journal, JournaledChange } from './journal.ts';
import type { OwnWrites } from './own-writes.ts';

/** What every change needs beside its own arguments. */
export interface ChangeOptions {
  readonly journal: Journal;
  /** The file as the user saw it: a change to any other is refused. Left out, it is taken as it is now. */
  readonly seen?: FileStamp | undefined;
  /** The file system unless given. */
  readonly storage?: ChangeStorage;
  /** What we wrote since the file was seen, which is no reason to refuse. */
  readonly own?: OwnWrites | undefined;
}

/** With what a change is written. */
export function writingOf({ storage, own }: Pick<ChangeOptions, 'storage' | 'own'>): Writing {
  return { storage: storage ?? new FileSessionStorage(), own };
}

/** Reads the session that is to be changed. Throws as `ChangingSession` does. */
export function sessionToChange(
  target: ChangeTarget,
  { seen, own }: Pick<ChangeOptions, 'seen' | 'own'>,
): ChangingSession {
  return new ChangingSession(target, seen === undefined ? undefined : (own?.follow(target.path, seen) ?? seen));
}

/** A change that was made; `doubt` is why it cannot be known whether another process has the session open. */
export interface MadeChange {
  readonly journaled: JournaledChange;
  readonly line: AppendedLine;
  readonly doubt: string | undefined;
}

/**
 * The one door for changes that append a line: nobody else may have the session open, the file must be what was read, the
 * journal must be ready; then the line is written and recorded. A change that cannot be recorded is taken back.
 * @throws SessionError `live`, `changed_on_disk`, `no_permission`, `disk_full`, `io`
 */
export async function makeChange(
  session: ChangingSession,
  entry: NewEntry,
  describe: (line: AppendedLine) => Change,
  options: ChangeOptions,
): Promise<MadeChange> {
  const writing = writingOf(options);
  const doubt = await assertNotLive(session.path, 'go_on');
  await options.journal.prepare();
  const line = await appendEntry(session, entry, writing);
  try {
    return { journaled: await options.journal.record(describe(line)), line, doubt };
  } catch (error) {
    const { path } = session;
    const end = (await cutOff(path, line, writing)) ? 'the change was taken back' : 'the change stands all the same';
    const { code, message } = fromNodeError(error, `cannot record the change of ${path}`, path);
    throw new SessionError(code, `${message}; ${end}`, { path, cause: error });
  }
}

/** Adds to what is said of a change that the session may be open elsewhere. */
export function withDoubt(said: string, doubt: string | undefined): string {
  return doubt === undefined ? said : `${said} (whether another program has it open cannot be known: ${doubt})`;
}
