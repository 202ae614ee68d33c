import type { ChangePorts } from '../../hooks/ports.ts';
import { branchAt } from '../actions/branch.ts';
import { planBranch } from '../actions/branch-plan.ts';
import { setLabel } from '../actions/label.ts';
import { launchAgent } from '../actions/launch.ts';
import { errorOfPlan, type Launch, planResume, type ResumeChoice, type ResumePlan } from '../actions/resume.ts';
import { undoLast } from '../actions/undo.ts';
import { glanceAtRow } from '../catalog/read-row.ts';
import type { SessionRow } from '../catalog/session-row.ts';
import { SessionError } from '../errors.ts';
import type { BranchAnswer, BranchPoint, BranchPreview, BranchWish } from '../model/branch-dialog.ts';
import { neutraliseLine } from '../model/neutralise.ts';
import type { ResumeAnswer } from '../model/overlays.ts';
import { tell } from '../output.ts';
import { fileAt } from '../targets.ts';
import { launchOrTakeBack } from './branch.ts';
import { changeOptions } from './changes.ts';
import type { Place } from './place.ts';
import { commandLine } from './resume.ts';

/** The session at a path, as the list has it. */
export function rowAt(place: Place, path: string): SessionRow {
  return glanceAtRow(fileAt(path, place.roots));
}

/** What would happen if the session at a path were resumed now. */
export function planFor(place: Place, path: string, choices: readonly ResumeChoice[]): Promise<ResumePlan> {
  return planResume(rowAt(place, path), {
    home: place.home,
    here: place.cwd,
    choices,
    agentDirs: place.roots.map(({ folders }) => folders.agentDir),
    settings: place.settings,
  });
}

/** A plan as the screens tell it. */
export function answerOfPlan(plan: ResumePlan): ResumeAnswer {
  return plan.kind === 'not_installed' ? { kind: plan.kind, command: commandLine(plan.launch) } : plan;
}

async function launchFor(place: Place, path: string, choices: readonly ResumeChoice[]): Promise<Launch> {
  const plan = await planFor(place, path, choices);
  if (plan.kind === 'ready') return plan.launch;
  throw errorOfPlan(plan, rowAt(place, path));
}

interface Preview {
  readonly preview: BranchPreview;
  readonly text: string | undefined;
}

async function previewOf(place: Place, { path, entryId, seen }: BranchPoint, isNew: boolean): Promise<Preview> {
  try {
    const plan = await planBranch(rowAt(place, path), entryId, { isNew }, { seen });
    const { kind, announcement, text } = plan;
    return { preview: kind === 'already' ? { kind } : { kind: 'possible', announcement }, text };
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    return { preview: { kind: 'refused', reason: error.message }, text: undefined };
  }
}

/** Who holds a session open would not see what another agent adds to it. */
async function unlessLive(
  place: Place,
  { path, choices }: BranchPoint,
  already: BranchPreview,
): Promise<BranchPreview> {
  const plan = await planFor(place, path, choices);
  if (plan.kind !== 'live') return already;
  return { kind: 'refused', reason: `the session is already at this point, and open in ${plan.holder}` };
}

async function answerFor(place: Place, point: BranchPoint): Promise<BranchAnswer> {
  const inPlace = await previewOf(place, point, false);
  const newFile = await previewOf(place, point, true);
  // Whether it is open elsewhere matters to a branch in place alone, which looks itself.
  const plan = await planFor(place, point.path, [...point.choices, 'open_live']);
  const { preview } = inPlace;
  return {
    inPlace: preview.kind === 'already' ? await unlessLive(place, point, preview) : preview,
    newFile: newFile.preview,
    text: inPlace.text ?? newFile.text,
    resume: answerOfPlan(plan),
  };
}

/** What the screens need to change sessions. */
export function changePorts(place: Place): ChangePorts {
  return {
    async setLabel(path, entryId, label, seen) {
      const options = { ...changeOptions(place), seen };
      return (await setLabel(rowAt(place, path), entryId, label === '' ? undefined : label, options)).said;
    },
    async undo() {
      return (await undoLast(changeOptions(place))).said;
    },
    async planBranch(point) {
      try {
        return await answerFor(place, point);
      } catch (error) {
        const refused = { kind: 'refused', reason: error instanceof Error ? error.message : String(error) } as const;
        return { inPlace: refused, newFile: refused, text: undefined, resume: refused };
      }
    },
  };
}

/**
 * Does what was wished in a tree, its screen being gone: looks once more whether the agent can be started, branches, starts
 * it, and takes the branch back when that fails. Gives the exit status.
 */
export async function fulfil(place: Place, wish: BranchWish): Promise<number> {
  const { path, entryId, way, summary, seen, choices, copied } = wish;
  if (copied !== undefined) tell(neutraliseLine(copied));
  if (way === 'as_it_is') return launchAgent(await launchFor(place, path, choices));
  await launchFor(place, path, [...choices, 'open_live']);
  const options = { ...changeOptions(place), seen };
  const outcome = await branchAt(rowAt(place, path), entryId, { isNew: way === 'new_file', summary }, options);
  tell(neutraliseLine(outcome.said));
  // What was agreed to for this session holds for the one that was made of it.
  const agreed: ResumeChoice[] = [...choices, 'open_live', 'trust_folder'];
  return launchOrTakeBack(outcome, options, () => launchFor(place, outcome.path, agreed));
}
