import { type BranchOutcome, branchAt } from '../actions/branch.ts';
import { planBranch } from '../actions/branch-plan.ts';
import type { ChangeOptions } from '../actions/change.ts';
import { launchAgent } from '../actions/launch.ts';
import { errorOfPlan, type Launch, planResume, type ResumeChoice } from '../actions/resume.ts';
import { takeBack } from '../actions/undo.ts';
import type { SessionRow } from '../catalog/session-row.ts';
import { neutraliseLine } from '../model/neutralise.ts';
import { print, tell, toJson } from '../output.ts';
import { changeOptions } from './changes.ts';
import { rowOfTarget } from './opened.ts';
import type { Place } from './place.ts';
import { ask } from './resume.ts';

export interface BranchCommandOptions {
  readonly new: boolean;
  readonly summary: string | undefined;
  readonly resume: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** How the agent is started on a session. Throws what stands in the way, unless the user agrees to it. */
async function launchFor(place: Place, row: SessionRow, isAgreed: boolean): Promise<Launch> {
  // Whether the session is open elsewhere is the branch's own question.
  const choices: ResumeChoice[] = ['open_live', ...(isAgreed ? (['trust_folder'] as const) : [])];
  const agentDirs = place.roots.map(({ folders }) => folders.agentDir);
  const { home, cwd: here, settings } = place;
  const plan = await planResume(row, { home, here, choices, agentDirs, settings });
  if (plan.kind === 'ready') return plan.launch;
  const error = errorOfPlan(plan, row);
  if (plan.kind === 'outside' && (await ask(`${error.message}. Start ${row.agent} on it in ${row.cwd}?`))) {
    return launchFor(place, row, true);
  }
  throw error;
}

function report(outcome: BranchOutcome, isJson: boolean): Promise<void> {
  const { kind, path, leafId, fromId, text } = outcome;
  if (isJson) return print(toJson({ version: 1, kind, path, leafId, fromId, text: text ?? null }));
  tell(neutraliseLine(outcome.said));
  return print([leafId ?? '', ...(kind === 'created' ? [path] : [])].map(neutraliseLine).join('\n'));
}

/** Starts the agent where a branch goes on; when that fails, takes the branch back and says so. Gives the exit status. */
export async function launchOrTakeBack(
  { journaled }: BranchOutcome,
  change: ChangeOptions,
  findLaunch: () => Promise<Launch>,
): Promise<number> {
  try {
    return launchAgent(await findLaunch());
  } catch (error) {
    if (journaled !== undefined) {
      const { said } = await takeBack(journaled, change);
      tell(neutraliseLine(`the agent did not start: ${said}`));
    }
    throw error;
  }
}

/**
 * `bough branch TARGET ENTRY`: moves the point at which a session goes on, in place or as a new file; with `--resume` starts
 * its agent there, and takes the change back when that fails. Returns the exit status.
 */
export async function runBranch(
  place: Place,
  target: string,
  entry: string,
  options: BranchCommandOptions,
): Promise<number> {
  const row = await rowOfTarget(target, place);
  const wish = { isNew: options.new, summary: options.summary };
  const change = changeOptions(place);
  const plan = await planBranch(row, entry, wish);
  const isPossible = options.resume ? await launchFor(place, row, options.yes) : undefined;
  if (plan.kind !== 'already') tell(neutraliseLine(plan.announcement));
  const outcome = await branchAt(row, entry, wish, change);
  await report(outcome, options.json);
  if (isPossible === undefined) return 0;
  return launchOrTakeBack(outcome, change, () => launchFor(place, { ...row, path: outcome.path }, true));
}
