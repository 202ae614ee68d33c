import { createInterface } from 'node:readline/promises';
import { launchAgent } from '../actions/launch.ts';
import { errorOfPlan, type Launch, planResume, type ResumePlan } from '../actions/resume.ts';
import type { SessionRow } from '../catalog/session-row.ts';
import { SessionError } from '../errors.ts';
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
export function commandLine(launch: Launch, program: string): string {
  return `cd ${quoteForShell(launch.cwd)} && ${[program, ...launch.args].map(quoteForShell).join(' ')}`;
}

async function ask(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question(`bough: ${question} [y/N] `);
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

async function settle(plan: ResumePlan, row: SessionRow, yes: boolean): Promise<Launch> {
  if (plan.kind === 'ready') return plan.launch;
  if (plan.kind !== 'confirm') throw errorOfPlan(plan, row);
  if (yes || (await ask(neutraliseLine(plan.question)))) return plan.launch;
  throw new SessionError('live', neutraliseLine(plan.question), { path: row.path, hint: '--yes answers yes' });
}

/** `bough resume`: runs the agent of a session's dialect on it, or prints how. Returns the exit status. */
export async function runResume(
  place: Place,
  target: string | undefined,
  options: ResumeCommandOptions,
): Promise<number> {
  const row = await chosen(target, place);
  const plan = await planResume(row, {
    home: place.home,
    agentDirs: place.roots.map(({ folders }) => folders.agentDir),
    extraArguments: options.agentArguments,
    ...(options.here ? { cwd: place.cwd } : {}),
  });
  if (plan.kind === 'not_installed') {
    await print(commandLine(plan.launch, plan.program));
    if (options.print) return 0;
    throw errorOfPlan(plan, row);
  }
  if (options.print && (plan.kind === 'ready' || plan.kind === 'confirm')) {
    await print(commandLine(plan.launch, row.agent ?? plan.launch.file));
    return 0;
  }
  return launchAgent(await settle(plan, row, options.yes));
}
