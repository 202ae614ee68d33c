import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import which from 'which';
import { dialectNamed } from '../agents/agents.ts';
import type { Dialect } from '../agents/dialect.ts';
import type { SessionRow } from '../catalog/session-row.ts';
import { SessionError } from '../errors.ts';
import { findHolder } from '../session/open-files.ts';
import { readOpening } from '../session/opening.ts';
import { SessionFile } from '../session/scan.ts';

/** A program to start: an absolute path, arguments for the operating system, and the folder to start it in. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** What would happen if a session were resumed now. Nothing was changed or started to find out. */
export type ResumePlan =
  | { readonly kind: 'ready'; readonly launch: Launch }
  /** The agent must not get this file. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** To be asked first. */
  | { readonly kind: 'confirm'; readonly question: string; readonly launch: Launch }
  | { readonly kind: 'folder_gone'; readonly cwd: string }
  | { readonly kind: 'not_installed'; readonly program: string; readonly launch: Launch };

export interface ResumeOptions {
  readonly home: string;
  /** Start here although the session belongs to another folder (that one is gone). */
  readonly cwd?: string;
  readonly extraArguments?: readonly string[];
  /** The agent folders whose sessions are started without a question. */
  readonly agentDirs: readonly string[];
}

/** Why no agent may be started on a session; undefined when its own may (product page, "Resume"). */
function refusalOf(row: SessionRow): string | undefined {
  if (row.problem !== null) return row.problem;
  using file = new SessionFile(row.path);
  const opening = readOpening(file);
  if (!opening.hasHeader) {
    const what = file.stamp.sizeBytes === 0 ? 'the file is empty' : 'its first line is no session header';
    return `${what}: an agent would put a new session in its place`;
  }
  if (row.agent === null) {
    if (opening.hasTitleSlot)
      return "its first line is omp's, but it lies in another agent's folder, which would replace it";
    return 'it cannot be told which agent wrote it, and the wrong one could replace it';
  }
  return dialectNamed(row.agent).refusalOf(opening);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Looked up before any folder is changed, so that a relative PATH entry means what the user sees. */
async function findProgram(dialect: Dialect): Promise<string | undefined> {
  const found = await which(dialect.command, { nothrow: true });
  return found === null ? undefined : resolve(found);
}

async function questionsAbout(row: SessionRow, options: ResumeOptions): Promise<string | undefined> {
  if (row.agentDir === null || !options.agentDirs.includes(row.agentDir)) {
    return `${row.path} lies outside the agent folders. Start ${row.agent} on it in ${row.cwd}?`;
  }
  const holder = await findHolder(row.path);
  if (holder.state !== 'held') return undefined;
  return `This session is open already (process ${holder.pid}: ${holder.command}). Two writers branch it. Open it all the same?`;
}

/**
 * Plans to run the agent of a session's own dialect on it, in its folder. Checks in the order in which a refusal matters
 * most: may the agent have the file at all, is there a folder, is the agent installed, is there anything to ask.
 */
export async function planResume(row: SessionRow, options: ResumeOptions): Promise<ResumePlan> {
  const reason = refusalOf(row);
  if (reason !== undefined) return { kind: 'refused', reason };
  if (row.agent === null) throw new Error('a session without a dialect was not refused');
  const cwd = options.cwd ?? row.cwd;
  if (cwd === null || !existsSync(cwd) || !isFolder(cwd)) return { kind: 'folder_gone', cwd: cwd ?? '' };
  const dialect = dialectNamed(row.agent);
  const args = [...dialect.resumeArguments(row.path, cwd, options.home), ...(options.extraArguments ?? [])];
  const program = await findProgram(dialect);
  const launch = { file: program ?? dialect.command, args, cwd };
  if (program === undefined) return { kind: 'not_installed', program: dialect.command, launch };
  const question = await questionsAbout(row, options);
  return question === undefined ? { kind: 'ready', launch } : { kind: 'confirm', question, launch };
}

/** A plan that a command without a screen cannot carry out, as the error that says why. */
export function errorOfPlan(plan: Exclude<ResumePlan, { kind: 'ready' | 'confirm' }>, row: SessionRow): SessionError {
  switch (plan.kind) {
    case 'refused':
      return new SessionError('refused', `not resumed: ${plan.reason}`, {
        path: row.path,
        hint: `nothing was changed; bough show ${row.id ?? row.path} reads it`,
      });
    case 'folder_gone':
      return new SessionError('not_found', `its folder ${plan.cwd || '(none)'} is gone`, {
        path: row.path,
        hint: 'bough resume --here TARGET continues it in the current folder',
      });
    case 'not_installed':
      return new SessionError('agent_not_found', `${plan.program} is not on PATH`, { path: row.path });
  }
}
