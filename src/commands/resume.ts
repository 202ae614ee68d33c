import { createInterface } from 'node:readline/promises';
import { launchAgent } from '../actions/launch.ts';
import { errorOfPlan, type Launch, planResume, type ResumeChoice } from '../actions/resume.ts';
import type { SessionRow } from '../catalog/session-row.ts';
import { neutraliseLine } from '../model/neutralise.ts';
import { print, quoteForShell, tell } from '../output.ts';
import { rowOfTarget } from './opened.ts';
import type { Place } from './place.ts';
import { findResumable } from './resumable.ts';

export interface ResumeCommandOptions {
  readonly print: boolean;
  /** Continue in the current folder instead of the session's own. */
  readonly here: boolean;
  readonly yes: boolean;
  readonly agentArguments: readonly string[];
}

/** The line that a person types to do what a launch does; program and folder as they are, quoted for a POSIX shell. */
export function commandLine({ cwd, program, args }: Launch): string {
  return `cd ${quoteForShell(cwd)} && ${[program, ...args].map(quoteForShell).join(' ')}`;
}

/** Asks on the terminal; no where there is none. */
export async function ask(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question(neutraliseLine(`bough: ${question} [y/N] `));
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}

async function chosen(target: string | undefined, place: Place): Promise<SessionRow> {
  if (target !== undefined && target !== '.') return rowOfTarget(target, place);
  const { row, reason } = await findResumable(place);
  const name = row.title ?? row.firstMessage ?? row.path;
  tell(`${reason}: ${neutraliseLine(name).slice(0, 80)} (${neutraliseLine(row.id ?? row.path)})`);
  return row;
}

/** `bough resume`: runs the agent of a session's dialect on it, or prints how. Returns the exit status. */
export async function runResume(
  place: Place,
  target: string | undefined,
  options: ResumeCommandOptions,
): Promise<number> {
  const row = await chosen(target, place);
  const choices: ResumeChoice[] = [
    ...(options.here ? (['continue_here'] as const) : []),
    ...(options.yes ? (['trust_folder', 'open_live'] as const) : []),
  ];
  return resumeRow(place, row, choices, options);
}

/** Resumes a session after asking what has to be asked, or prints the command. Returns the exit status. */
async function resumeRow(
  place: Place,
  row: SessionRow,
  choices: readonly ResumeChoice[],
  options: ResumeCommandOptions,
): Promise<number> {
  const plan = await planResume(row, {
    home: place.home,
    here: place.cwd,
    choices,
    agentDirs: place.roots.map(({ folders }) => folders.agentDir),
    extraArguments: options.agentArguments,
    settings: place.settings,
  });
  if ('launch' in plan && (options.print || plan.kind === 'not_installed')) {
    await print(commandLine(plan.launch));
    if (options.print) return 0;
  }
  if (plan.kind === 'ready') return launchAgent(plan.launch);
  const error = errorOfPlan(plan, row);
  if (plan.kind === 'outside' && (await ask(`${error.message}. Start ${row.agent} on it in ${row.cwd}?`))) {
    return resumeRow(place, row, [...choices, 'trust_folder'], options);
  }
  if (plan.kind === 'live' && (await ask(`${error.message}. Open it all the same?`))) {
    return resumeRow(place, row, [...choices, 'open_live'], options);
  }
  throw error;
}
