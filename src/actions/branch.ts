import { SessionError } from '../errors.ts';
import { endsWith } from './append-line.ts';
import { writeBranchFile } from './branch-file.ts';
import { type BranchPlan, type BranchWish, planIn } from './branch-plan.ts';
import { type ChangeOptions, makeChange, sessionToChange, withDoubt, writingOf } from './change.ts';
import type { ChangeTarget, ChangingSession } from './changing-session.ts';
import type { JournaledChange } from './journal.ts';

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
  using session = sessionToChange(target, options);
  const plan = planIn(session, entry, wish);
  switch (plan.kind) {
    case 'already': {
      const leafId = session.leaf < 0 ? null : session.idOf(session.leaf);
      const { path, fromId, text } = plan;
      return { kind: 'already', path, leafId, fromId, text, journaled: undefined, said: 'already at this point' };
    }
    case 'append':
      return await appendPin(session, plan, wish.summary ?? '', options);
    case 'new_file':
      return {
        ...(await writeBranchFile(session, plan, wish.summary ?? '', options)),
        kind: 'created',
        text: plan.text,
      };
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
  if (!endsWith(path, line, writingOf(options).storage)) {
    throw new SessionError('changed_on_disk', `another program wrote to ${path} at the same moment`, {
      path,
      hint: 'the branch stands in the file, but another entry is its last one; look at the tree and branch again',
    });
  }
  const point = fromId === null ? 'before its first entry' : `entry ${fromId}`;
  const said = withDoubt(`appended one line to ${path}: the session goes on from ${point}`, doubt);
  return { kind: 'appended', path, leafId: line.entryId, fromId, text, journaled, said };
}
