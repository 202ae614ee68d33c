import { statSync } from 'node:fs';
import { titleOf } from '../agents/agents.ts';
import { fromNodeError, SessionError } from '../errors.ts';
import { CURRENT_SESSION_VERSION, fieldOf, type SessionEntry } from '../session/entries.ts';
import { contentText, isRecord } from '../session/messages.ts';
import { versionOf } from '../session/migrations.ts';
import { SessionFile } from '../session/scan.ts';
import { SessionManager } from '../session/session-manager.ts';
import { SummaryBuilder } from '../session/summary.ts';
import { appendEntry, assertNotLive, endsWith } from './append-line.ts';
import { type ChangeOptions, makeChange, storageOf, withDoubt } from './change.ts';
import { type ChangeTarget, ChangingSession } from './changing-session.ts';
import type { JournaledChange } from './journal.ts';

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

/** What a branch did. */
export interface BranchOutcome {
  readonly kind: 'already' | 'appended' | 'created';
  /** The file in which the session goes on. */
  readonly path: string;
  /** Its last entry, from which an agent goes on; null in a session without entries. */
  readonly leafId: string | null;
  readonly fromId: string | null;
  readonly text: string | undefined;
  /** undefined when nothing was written. */
  readonly journaled: JournaledChange | undefined;
  /** What was done, in one line; neutralise it before it is drawn. */
  readonly said: string;
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

function planIn(session: ChangingSession, entry: string, { isNew }: BranchWish): BranchPlan {
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
  options: Pick<ChangeOptions, 'seen'> = {},
): Promise<BranchPlan> {
  using session = new ChangingSession(target, options.seen);
  const plan = planIn(session, entry, wish);
  if (plan.kind === 'append') await assertNotLive(session.path, 'go_on');
  return plan;
}

/**
 * Moves the point at which a session goes on, durably: in place by an appended branch summary (agents forget a move without
 * one), or as a new session that ends there, with the source left as it is.
 * @throws SessionError as `planBranch` does, and `disk_full`, `io`
 */
export async function branchAt(
  target: ChangeTarget,
  entry: string,
  wish: BranchWish,
  options: ChangeOptions,
): Promise<BranchOutcome> {
  using session = new ChangingSession(target, options.seen);
  const plan = planIn(session, entry, wish);
  switch (plan.kind) {
    case 'already': {
      const leafId = session.leaf < 0 ? null : session.idOf(session.leaf);
      const { path, fromId, text } = plan;
      return { kind: 'already', path, leafId, fromId, text, journaled: undefined, said: 'already at this point' };
    }
    case 'append':
      return appendPin(session, plan, wish.summary ?? '', options);
    case 'new_file':
      return writeNewFile(session, plan, wish.summary ?? '', options);
  }
}

async function appendPin(
  session: ChangingSession,
  { path, fromId, text }: BranchPlan,
  summary: string,
  options: ChangeOptions,
): Promise<BranchOutcome> {
  const fields = { type: 'branch_summary', fromId: fromId ?? 'root', summary };
  const { journaled, line, doubt } = await makeChange(
    session,
    { parentId: fromId, fields },
    (pin) => ({ kind: 'branch', path, agent: session.dialect.name, sessionId: session.sessionId, fromId, line: pin }),
    options,
  );
  if (!endsWith(path, line, storageOf(options))) {
    throw new SessionError('changed_on_disk', `another program wrote to ${path} at the same moment`, {
      path,
      hint: 'the branch stands in the file, but another entry is its last one; look at the tree and branch again',
    });
  }
  const point = fromId === null ? 'before its first entry' : `entry ${fromId}`;
  const said = withDoubt(`appended one line to ${path}: the session goes on from ${point}`, doubt);
  return { kind: 'appended', path, leafId: line.entryId, fromId, text, journaled, said };
}

/** The title that a session's agent shows; undefined when it has none. */
function titleIn(path: string, { dialect }: ChangingSession): string | undefined {
  using file = new SessionFile(path);
  const builder = new SummaryBuilder();
  for (const record of file.records('full')) builder.add(record);
  return titleOf(dialect.name, builder.finish().titles)?.text;
}

async function copyBranch(session: ChangingSession, fromId: string, summary: string, options: ChangeOptions) {
  const { path, dialect } = session;
  const manager = await SessionManager.open(path, undefined, storageOf(options), {
    breadcrumb: false,
    blobs: dialect.keepsBlobs,
    mustBeSession: true,
  });
  try {
    const created = manager.createBranchedSession(fromId);
    if (created === undefined) throw new Error('a session with a file was branched in memory');
    if (summary !== '') manager.branchWithSummary(manager.getLeafId(), summary);
    return { path: created, sessionId: manager.getSessionId() };
  } finally {
    await manager.close();
  }
}

async function writeNewFile(
  session: ChangingSession,
  { path: source, fromId, text }: BranchPlan,
  summary: string,
  options: ChangeOptions,
): Promise<BranchOutcome> {
  if (fromId === null) throw new Error('a new file without an entry was planned');
  const { dialect } = session;
  const storage = storageOf(options);
  await options.journal.prepare();
  const created = await copyBranch(session, fromId, summary, options).catch((error: unknown) => {
    throw fromNodeError(error, `cannot write a new session beside ${source}`, source);
  });
  const { path, sessionId } = created;
  try {
    const target = { path, agent: dialect.name };
    const title = titleIn(source, session);
    using branched = new ChangingSession(target);
    let leafId = branched.idOf(branched.leaf);
    if (title !== undefined && dialect.titleEntry !== undefined && titleIn(path, session) !== title) {
      leafId = (await appendEntry(branched, { parentId: leafId, fields: dialect.titleEntry(title) }, storage)).entryId;
    }
    const { size: sizeBytes, mtimeMs, ino: inode } = statSync(path);
    const journaled = await options.journal.record({
      kind: 'branch_file',
      path,
      agent: dialect.name,
      sessionId,
      source,
      fromId,
      stamp: { sizeBytes, mtimeMs, inode },
    });
    const said = `wrote a new session ${path}, which goes on from entry ${fromId}`;
    return { kind: 'created', path, leafId, fromId, text, journaled, said };
  } catch (error) {
    // Nobody else can know it yet.
    await storage.unlink(path);
    throw error;
  }
}
