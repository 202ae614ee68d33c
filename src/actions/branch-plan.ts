import { SessionError } from '../errors.ts';
import { CURRENT_SESSION_VERSION, fieldOf, type SessionEntry } from '../session/entries.ts';
import { contentText, isRecord } from '../session/messages.ts';
import { versionOf } from '../session/migrations.ts';
import { assertNotLive } from './append-line.ts';
import { type ChangeOptions, sessionToChange } from './change.ts';
import type { ChangeTarget, ChangingSession } from './changing-session.ts';

export interface BranchWish {
  /** As a new session file, instead of in place. */
  readonly isNew: boolean;
  /** What the model is told of the branch that is left; undefined or '' for nothing. */
  readonly summary?: string | undefined;
}

/** What a branch would do. Nothing was changed to find out. */
export interface BranchPlan {
  /** `already`: the session goes on from there as it is. */
  readonly kind: 'already' | 'append' | 'new_file';
  /** The file that is branched. */
  readonly path: string;
  /** The entry from which the session will go on; null: from before its first. */
  readonly fromId: string | null;
  /** The text of the user's or custom message that was chosen, to be edited and sent again; undefined for other entries. */
  readonly text: string | undefined;
  /** What will happen, in one line. */
  readonly announcement: string;
}

/** The text of a message that is chosen in order to send it again (family 1.2, "Select semantics"). */
function textToSend(entry: SessionEntry | undefined): string | undefined {
  if (entry?.type === 'custom_message') return contentText(entry.content);
  if (entry?.type !== 'message' || !isRecord(entry.message) || entry.message['role'] !== 'user') return undefined;
  return contentText(entry.message['content']);
}

/** Labels and empty pins stand behind the point at which a session goes on, and move it nowhere. */
function isBookkeeping(entry: SessionEntry | undefined): boolean {
  return entry?.type === 'label' || (entry?.type === 'branch_summary' && fieldOf(entry, 'summary') === '');
}

/** The nearest entry above a position that can be read; -1 when there is none. */
function readableAbove(session: ChangingSession, at: number): number {
  const { parents } = session.skeleton;
  let step = parents[at] ?? -1;
  while (step >= 0 && session.entryAt(step) === undefined) step = parents[step] ?? -1;
  return step;
}

/** Is this where the session goes on already? */
function isCurrent(session: ChangingSession, wanted: number): boolean {
  let at = session.leaf;
  while (at >= 0 && at !== wanted && isBookkeeping(session.entryAt(at))) at = readableAbove(session, at);
  return at === wanted;
}

interface Goal {
  /** -1: before the first entry. */
  readonly at: number;
  readonly text: string | undefined;
}

function goalOf(session: ChangingSession, entry: string): Goal {
  const chosen = session.positionOf(entry);
  session.idOf(chosen);
  const text = textToSend(session.entryAt(chosen));
  return { at: text === undefined ? chosen : readableAbove(session, chosen), text };
}

/** The plan for a session that was read. Throws `entry_not_found`, `refused`. */
export function planIn(session: ChangingSession, entry: string, { isNew }: BranchWish): BranchPlan {
  const { path, skeleton } = session;
  const { at, text } = goalOf(session, entry);
  const fromId = at < 0 ? null : session.anchorIdOf(at);
  const plan = { path, fromId, text };
  if (isNew && fromId === null) {
    throw new SessionError('refused', 'nothing stands before this message, so the new session would be empty', {
      path,
      hint: 'start a new session, or branch in place',
    });
  }
  if (isNew && skeleton.header !== undefined && versionOf(skeleton.header) < CURRENT_SESSION_VERSION) {
    throw new SessionError('refused', 'nothing was written: the file is of an older version', {
      path,
      hint: 'resume it once: its agent brings it up to date',
    });
  }
  if (isNew) return { ...plan, kind: 'new_file', announcement: `writes a new file beside ${path}` };
  if (isCurrent(session, at)) return { ...plan, kind: 'already', announcement: `${path} is already at this point` };
  return { ...plan, kind: 'append', announcement: `appends one line to ${path}` };
}

/**
 * What branching at an entry (an id or `#LINE`) would do. On a user's or custom message the session goes on from its
 * parent, on any other entry from that entry.
 * @throws SessionError `entry_not_found`, `not_a_session`, `refused`, `live`, `changed_on_disk`, `no_permission`
 */
export async function planBranch(
  target: ChangeTarget,
  entry: string,
  wish: BranchWish,
  options: Pick<ChangeOptions, 'seen' | 'own'> = {},
): Promise<BranchPlan> {
  using session = sessionToChange(target, options);
  return await planNow(session, entry, wish);
}

/** The same for a session that was read, which may be open elsewhere by now. Throws `live` too. */
export async function planNow(session: ChangingSession, entry: string, wish: BranchWish): Promise<BranchPlan> {
  const plan = planIn(session, entry, wish);
  if (plan.kind === 'append') await assertNotLive(session.path, 'go_on');
  return plan;
}
