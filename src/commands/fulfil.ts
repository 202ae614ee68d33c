import { launchAgent } from '../actions/launch.ts';
import { errorOfPlan, type Launch, type ResumeChoice } from '../actions/resume.ts';
import type { BranchWish } from '../model/branch-dialog.ts';
import { neutraliseLine } from '../model/neutralise.ts';
import { tell } from '../output.ts';
import { launchOrTakeBack } from './branch.ts';
import type { Changes } from './change-client.ts';
import { changeOptions } from './changes.ts';
import type { Place } from './place.ts';
import { planFor, rowAt } from './tree-changes.ts';

/** How the agent of a session is started now. Throws why it is not. */
export async function launchFor(place: Place, path: string, choices: readonly ResumeChoice[]): Promise<Launch> {
  const plan = await planFor(place, path, choices);
  if (plan.kind === 'ready') return plan.launch;
  throw errorOfPlan(plan, rowAt(place, path));
}

/**
 * Does what was wished in a tree, its screen being gone: looks once more whether the agent can be started, branches, starts
 * it, and takes the branch back when that fails. Gives the exit status.
 */
export async function fulfil(place: Place, wish: BranchWish, changes: Changes): Promise<number> {
  const { path, way, choices, copied } = wish;
  if (copied !== undefined) tell(neutraliseLine(copied));
  if (way === 'as_it_is') return launchAgent(await launchFor(place, path, choices));
  await launchFor(place, path, [...choices, 'open_live']);
  // It knows what this screen has written, and that is no foreign change.
  const outcome = await changes.branch(wish);
  tell(neutraliseLine(outcome.said));
  // What was agreed to for this session holds for the one that was made of it.
  const agreed: ResumeChoice[] = [...choices, 'open_live', 'trust_folder'];
  return launchOrTakeBack(outcome, changeOptions(place), () => launchFor(place, outcome.path, agreed));
}
