import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { fromNodeError, SessionError } from '../errors.ts';
import { artifactsDirOf } from '../session/paths.ts';
import { appendEntry, assertNotLive, cutOff, type Writing } from './append-line.ts';
import { type ChangeOptions, writingOf } from './change.ts';
import { ChangingSession } from './changing-session.ts';
import type { Change, Journal, JournaledChange } from './journal.ts';

/** How a change was undone. */
export interface UndoOutcome {
  readonly undone: JournaledChange;
  /** The line was cut off, another line sets the former label again, or the new file was removed. */
  readonly how: 'cut_off' | 'appended' | 'removed';
  /** What was done, in one line; neutralise it before it is drawn. */
  readonly said: string;
}

type UndoOptions = Pick<ChangeOptions, 'journal' | 'storage' | 'own'>;
type ChangeOf<K extends Change['kind']> = Extract<Change, { readonly kind: K }>;
type Undone = Omit<UndoOutcome, 'undone'>;

interface Means {
  readonly writing: Writing;
  /** What follows from not knowing whether another process has the session open. */
  readonly whenUnknown: 'go_on' | 'refuse';
}

function gone(path: string): SessionError {
  return new SessionError('not_found', `cannot be undone: ${path} is gone`, { path, hint: 'nothing was changed' });
}

/** Sets the former label again by another line, where the line that changed it is not the last one any more. */
async function appendFormerLabel(change: ChangeOf<'label'>, writing: Writing): Promise<Undone> {
  const { path, agent, entryId, label, formerLabel } = change;
  using session = new ChangingSession({ path, agent });
  const at = session.positionOf(entryId);
  const current = session.skeleton.labels.find((placed) => placed.at === at)?.label ?? null;
  if (current !== label) {
    throw new SessionError('changed_on_disk', `cannot be undone: the label of ${entryId} was changed since`, {
      path,
      hint: 'nothing was changed',
    });
  }
  const fields = {
    type: 'label',
    targetId: session.idOf(at),
    ...(formerLabel === null ? {} : { label: formerLabel }),
  };
  await appendEntry(session, { parentId: session.anchorIdOf(session.leaf), fields }, writing);
  const to = formerLabel === null ? 'has no label again' : `is labelled ${JSON.stringify(formerLabel)} again`;
  return { how: 'appended', said: `appended one line to ${path}: ${entryId} ${to}` };
}

async function undoLabel(change: ChangeOf<'label'>, { writing }: Means): Promise<Undone> {
  const { path, entryId, formerLabel, line } = change;
  const doubt = await assertNotLive(path, 'go_on');
  if (doubt !== undefined || !(await cutOff(path, line, writing))) return appendFormerLabel(change, writing);
  const to = formerLabel === null ? 'has no label again' : `is labelled ${JSON.stringify(formerLabel)} again`;
  return { how: 'cut_off', said: `cut the line off ${path}: ${entryId} ${to}` };
}

async function undoBranch({ path, line }: ChangeOf<'branch'>, { writing, whenUnknown }: Means): Promise<Undone> {
  await assertNotLive(path, whenUnknown);
  if (await cutOff(path, line, writing)) {
    return { how: 'cut_off', said: `cut the line off ${path}: the session goes on from where it did before` };
  }
  throw new SessionError('changed_on_disk', `cannot be undone: ${path} has gone on since`, {
    path,
    hint: 'nothing was changed; branch at the entry that you want instead',
  });
}

async function undoBranchFile({ path, stamp }: ChangeOf<'branch_file'>, means: Means): Promise<Undone> {
  const { writing, whenUnknown } = means;
  const { storage } = writing;
  await assertNotLive(path, whenUnknown);
  const { size, mtimeMs, ino } = statSync(path);
  const isAsMade = size === stamp.sizeBytes && mtimeMs === stamp.mtimeMs && ino === stamp.inode;
  if (!isAsMade || existsSync(artifactsDirOf(path))) {
    throw new SessionError('changed_on_disk', `cannot be undone: ${path} has been used since`, {
      path,
      hint: 'nothing was removed',
    });
  }
  await storage.unlink(path);
  await storage.syncDir(dirname(path));
  return { how: 'removed', said: `removed the new session ${path}` };
}

async function revert(change: Change, means: Means): Promise<Undone> {
  const { path } = change;
  if (!existsSync(path)) throw gone(path);
  try {
    switch (change.kind) {
      case 'label':
        return await undoLabel(change, means);
      case 'branch':
        return await undoBranch(change, means);
      case 'branch_file':
        return await undoBranchFile(change, means);
    }
  } catch (error) {
    throw fromNodeError(error, `cannot undo the change of ${path}`, path);
  }
  throw new SessionError('refused', 'the last change was made by another version of Bough', { path });
}

async function undoClaimed(
  journal: Journal,
  wanted: JournaledChange,
  claim: string,
  means: Means,
): Promise<UndoOutcome> {
  try {
    const undone = await revert(wanted.change, means);
    await journal.close(wanted.id);
    return { ...undone, undone: wanted };
  } catch (error) {
    await journal.release(wanted.id, claim);
    throw error;
  }
}

/**
 * Takes back a change that this process made a moment ago, as when the agent could not be started after it. A line is cut
 * off only while the file ends exactly with it.
 * @throws SessionError `live`, `changed_on_disk`, `refused`, `not_found`, `no_permission`, `disk_full`
 */
export async function takeBack(made: JournaledChange, options: UndoOptions): Promise<UndoOutcome> {
  const { journal } = options;
  const claim = await journal.claim(made.id);
  if (claim === undefined) {
    throw new SessionError('refused', 'another Bough is undoing this change', { path: made.change.path });
  }
  return undoClaimed(journal, made, claim, { writing: writingOf(options), whenUnknown: 'go_on' });
}

/** Undoes the last change that stands. Throws `not_found` when there is none, else as `takeBack` does. */
export async function undoLast(options: UndoOptions): Promise<UndoOutcome> {
  const { journal } = options;
  for (;;) {
    const last = journal.last();
    if (last === undefined) {
      throw new SessionError('not_found', 'there is no change to undo', { hint: `changes stand in ${journal.path}` });
    }
    const claim = await journal.claim(last.id);
    if (claim === undefined) continue;
    return undoClaimed(journal, last, claim, { writing: writingOf(options), whenUnknown: 'refuse' });
  }
}
