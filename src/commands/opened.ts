import { measureRow } from '../catalog/read-row.ts';
import type { SessionRow } from '../catalog/session-row.ts';
import { SessionError } from '../errors.ts';
import { type LoadedSession, loadSession } from '../session/loaded-session.ts';
import { snapshotProcesses } from '../session/open-files.ts';
import { SessionFile } from '../session/scan.ts';
import { fileAt, findEntry, findTarget } from '../targets.ts';
import type { Place } from './place.ts';
import { findResumable } from './resumable.ts';

/** A session that a command was asked for, read as a whole. */
export interface OpenedSession {
  readonly row: SessionRow;
  readonly session: LoadedSession;
  /** The position of the entry asked for, else of the leaf; -1 in a session without entries. */
  readonly at: number;
}

/** The session that TARGET means, `.` included. Throws as `findTarget` does. */
export async function rowOfTarget(target: string, place: Place): Promise<SessionRow> {
  return target === '.' ? (await findResumable(place)).row : findTarget(target, place);
}

/** Reads the session that TARGET means, and finds ENTRY in it. Throws `not_found`, `ambiguous`, `entry_not_found`, … */
export async function openTarget(target: string, entry: string | undefined, place: Place): Promise<OpenedSession> {
  const row = await rowOfTarget(target, place);
  if (row.problem !== null) throw new SessionError('io', row.problem, { path: row.path });
  const measured = measureRow(fileAt(row.path, place.roots), await snapshotProcesses());
  using file = new SessionFile(row.path);
  const session = loadSession(file);
  return { row: measured, session, at: entry === undefined ? session.leaf : findEntry(session, entry) };
}
