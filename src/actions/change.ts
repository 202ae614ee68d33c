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
} from './append-line.ts';
import type { ChangingSession } from './changing-session.ts';
import type { Change, Journal, JournaledChange } from './journal.ts';

/** What every change needs beside its own arguments. */
export interface ChangeOptions {
  readonly journal: Journal;
  /** The file as the user saw it: a change to any other is refused. Left out, it is taken as it is now. */
  readonly seen?: FileStamp | undefined;
  /** The file system unless given. */
  readonly storage?: ChangeStorage;
}

/** The storage of a change. */
export function storageOf({ storage }: Pick<ChangeOptions, 'storage'>): ChangeStorage {
  return storage ?? new FileSessionStorage();
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
  const storage = storageOf(options);
  const doubt = await assertNotLive(session.path, 'go_on');
  await options.journal.prepare();
  const line = await appendEntry(session, entry, storage);
  try {
    return { journaled: await options.journal.record(describe(line)), line, doubt };
  } catch (error) {
    const { path } = session;
    const end = (await cutOff(path, line, storage)) ? 'the change was taken back' : 'the change stands all the same';
    const { code, message } = fromNodeError(error, `cannot record the change of ${path}`, path);
    throw new SessionError(code, `${message}; ${end}`, { path, cause: error });
  }
}

/** Adds to what is said of a change that the session may be open elsewhere. */
export function withDoubt(said: string, doubt: string | undefined): string {
  return doubt === undefined ? said : `${said} (whether another program has it open cannot be known: ${doubt})`;
}
