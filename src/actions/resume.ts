import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import which from 'which';
import { dialectNamed } from '../agents/agents.ts';
import type { SessionRow } from '../catalog/session-row.ts';
import { nodeCode, SessionError } from '../errors.ts';
import { findHolder } from '../session/open-files.ts';
import { readOpening } from '../session/opening.ts';
import { SessionFile } from '../session/scan.ts';
import type { Settings } from '../settings.ts';

/** A program to start: an absolute path, arguments for the operating system, and the folder to start it in. */
export interface Launch {
  readonly file: string;
  /** The program as a person would type it. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** What the user has agreed to where a plan asked. */
export type ResumeChoice = 'continue_here' | 'trust_folder' | 'open_live';

/** What would happen if a session were resumed now. Nothing was changed or started to find out. */
export type ResumePlan =
  | { readonly kind: 'ready'; readonly launch: Launch }
  /** The agent must not get this file. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Its folder is not there any more: `continue_here` starts it in the current one. */
  | { readonly kind: 'folder_gone'; readonly cwd: string }
  | { readonly kind: 'not_installed'; readonly launch: Launch }
  /** The file lies outside the agent folders that are shown: `trust_folder` starts it all the same. */
  | { readonly kind: 'outside'; readonly folder: string; readonly launch: Launch }
  /** Another process has it open: `open_live` opens it a second time. */
  | { readonly kind: 'live'; readonly holder: string; readonly launch: Launch };

export interface ResumeOptions {
  readonly home: string;
  /** The current folder, for `continue_here`. */
  readonly here: string;
  readonly choices: readonly ResumeChoice[];
  readonly extraArguments?: readonly string[];
  /** The agent folders whose sessions are started without a question. */
  readonly agentDirs: readonly string[];
  /** Which commands are run in place of the agents' own. */
  readonly settings: Pick<Settings, 'agents' | 'agentsProblem'>;
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
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    // It may not be entered, leads to itself, or is no path at all.
    if (nodeCode(error) === undefined) throw error;
    return false;
  }
}

/** Looked up before any folder is changed, so that a relative PATH entry means what the user sees. */
async function findProgram(program: string): Promise<string | undefined> {
  const found = await which(program, { nothrow: true });
  return found === null ? undefined : resolve(found);
}

/**
 * Plans to run the agent of a session's own dialect on it, in its folder. What can stand in the way comes in the order in
 * which it matters: may the agent have the file at all, is there a folder, is the agent installed, is there a question.
 */
export async function planResume(row: SessionRow, options: ResumeOptions): Promise<ResumePlan> {
  const { choices, agentDirs, settings } = options;
  const reason = refusalOf(row) ?? settings.agentsProblem;
  if (reason !== undefined) return { kind: 'refused', reason };
  if (row.agent === null) throw new Error('a session without a dialect was not refused');
  const cwd = choices.includes('continue_here') ? options.here : (row.cwd ?? '');
  if (!isFolder(cwd)) return { kind: 'folder_gone', cwd };
  const dialect = dialectNamed(row.agent);
  const [program, ...first] = settings.agents[row.agent] ?? [dialect.command];
  const args = [...first, ...dialect.resumeArguments(row.path, cwd, options.home), ...(options.extraArguments ?? [])];
  const file = await findProgram(program);
  const launch = { file: file ?? program, program, args, cwd };
  if (file === undefined) return { kind: 'not_installed', launch };
  const isInside = row.agentDir !== null && agentDirs.includes(row.agentDir);
  if (!isInside && !choices.includes('trust_folder')) return { kind: 'outside', folder: dirname(row.path), launch };
  const holder = choices.includes('open_live') ? undefined : await findHolder(row.path);
  if (holder?.state !== 'held') return { kind: 'ready', launch };
  return { kind: 'live', holder: `process ${holder.pid}: ${holder.command}`, launch };
}

function notFoundText(program: string): string {
  return program.includes('/') ? `there is no program ${program}` : `${program} is not on PATH`;
}

/** What stands between a session and its agent, as the error that says so. */
export function errorOfPlan(plan: Exclude<ResumePlan, { kind: 'ready' }>, row: SessionRow): SessionError {
  const { path } = row;
  switch (plan.kind) {
    case 'refused':
      return new SessionError('refused', `not resumed: ${plan.reason}`, {
        path,
        hint: `nothing was changed; bough show ${row.id ?? path} reads it`,
      });
    case 'folder_gone':
      return new SessionError('not_found', `its folder ${plan.cwd === '' ? '' : `${plan.cwd} `}is gone`, {
        path,
        hint: 'bough resume --here TARGET continues it in the current folder',
      });
    case 'not_installed':
      return new SessionError('agent_not_found', notFoundText(plan.launch.program), { path });
    case 'outside':
      return new SessionError('refused', `${plan.folder} is outside the agent folders`, {
        path,
        hint: '--yes starts the agent on it all the same',
      });
    case 'live':
      return new SessionError('live', `it is open already (${plan.holder}); two writers would branch it`, {
        path,
        hint: '--yes opens it a second time',
      });
  }
}
