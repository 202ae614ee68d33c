import { statSync } from 'node:fs';
import { titleOf } from '../agents/agents.ts';
import { fromNodeError } from '../errors.ts';
import { SessionFile } from '../session/scan.ts';
import { SessionManager } from '../session/session-manager.ts';
import { SummaryBuilder } from '../session/summary.ts';
import { appendEntry, type ChangeStorage, type Writing } from './append-line.ts';
import type { BranchPlan } from './branch-plan.ts';
import { type ChangeOptions, writingOf } from './change.ts';
import { ChangingSession } from './changing-session.ts';
import type { JournaledChange } from './journal.ts';

/** A session file that was made of a branch. */
export interface BranchFile {
  readonly path: string;
  /** Its last entry. */
  readonly leafId: string;
  /** The entry of the source that it goes on from. */
  readonly fromId: string;
  readonly journaled: JournaledChange;
  /** What was done, in one line; neutralise it before it is drawn. */
  readonly said: string;
}

/** The title that a session's agent shows; undefined when it has none. */
function titleIn(path: string, { dialect }: ChangingSession): string | undefined {
  using file = new SessionFile(path);
  const builder = new SummaryBuilder();
  for (const record of file.records('full')) builder.add(record);
  return titleOf(dialect.name, builder.finish().titles)?.text;
}

/** Writes the file; gives its path at once through `onCreated`, and its id once all of it is durable. */
async function copyBranch(
  { path, dialect }: ChangingSession,
  { fromId, summary }: { readonly fromId: string; readonly summary: string },
  storage: ChangeStorage,
  onCreated: (path: string) => void,
): Promise<string> {
  const manager = await SessionManager.open(path, undefined, storage, {
    breadcrumb: false,
    blobs: dialect.keepsBlobs,
    mustBeSession: true,
  });
  try {
    onCreated(manager.createBranchedSession(fromId) ?? '');
    if (summary !== '') manager.branchWithSummary(manager.getLeafId(), summary);
    return manager.getSessionId();
  } finally {
    await manager.close();
  }
}

/** Gives the new file the source's title where that is an entry, which may stand on another branch. Gives the new leaf. */
async function carryTitle(source: ChangingSession, path: string, writing: Writing): Promise<string> {
  const { titleEntry, name: agent } = source.dialect;
  using branched = new ChangingSession({ path, agent });
  const leafId = branched.idOf(branched.leaf);
  const title = titleEntry === undefined ? undefined : titleIn(source.path, source);
  if (titleEntry === undefined || title === undefined || titleIn(path, source) === title) return leafId;
  return (await appendEntry(branched, { parentId: leafId, fields: titleEntry(title) }, writing)).entryId;
}

/**
 * Makes a session of its own of the way to an entry, title and labels included; the source is only read, so that it may be
 * open elsewhere. When not all of it can be written and recorded, there is no new file.
 * @throws SessionError `no_permission`, `disk_full`, `io`
 */
export async function writeBranchFile(
  source: ChangingSession,
  plan: BranchPlan,
  summary: string,
  options: ChangeOptions,
): Promise<BranchFile> {
  const { fromId } = plan;
  if (fromId === null) throw new Error('a new file without an entry was planned');
  const writing = writingOf(options);
  const { storage } = writing;
  await options.journal.prepare();
  let path = '';
  try {
    const sessionId = await copyBranch(source, { fromId, summary }, storage, (created) => {
      path = created;
    });
    const leafId = await carryTitle(source, path, writing);
    const { size: sizeBytes, mtimeMs, ino: inode } = statSync(path);
    const journaled = await options.journal.record({
      kind: 'branch_file',
      path,
      agent: source.dialect.name,
      sessionId,
      source: source.path,
      fromId,
      stamp: { sizeBytes, mtimeMs, inode },
    });
    const said = `wrote a new session ${path}, which goes on from entry ${fromId}`;
    return { path, leafId, fromId, journaled, said };
  } catch (error) {
    // Nobody else can know it yet.
    if (path !== '') await storage.unlink(path);
    throw fromNodeError(error, `cannot write a new session beside ${source.path}`, source.path);
  }
}
