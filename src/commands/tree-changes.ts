import type { AppPorts, ChangePorts } from '../../hooks/ports.ts';
import { type BranchOutcome, branchAt } from '../actions/branch.ts';
import { planNow } from '../actions/branch-plan.ts';
import { sessionToChange } from '../actions/change.ts';
import type { ChangingSession } from '../actions/changing-session.ts';
import { setLabel } from '../actions/label.ts';
import { OwnWrites } from '../actions/own-writes.ts';
import { errorOfPlan, planResume, type ResumeChoice, type ResumePlan } from '../actions/resume.ts';
import { undoLast } from '../actions/undo.ts';
import { glanceAtRow } from '../catalog/read-row.ts';
import type { SessionRow } from '../catalog/session-row.ts';
import { SessionError } from '../errors.ts';
import type { BranchAnswer, BranchPoint, BranchPreview, BranchWish } from '../model/branch-dialog.ts';
import type { ResumeAnswer } from '../model/overlays.ts';
import { fileAt } from '../targets.ts';
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
function answerOfPlan(plan: ResumePlan): ResumeAnswer {
  return plan.kind === 'not_installed' ? { kind: plan.kind, command: commandLine(plan.launch) } : plan;
}

/** The command that resumes a session, quoted for a shell. Throws why there is none. */
export async function commandFor(place: Place, path: string): Promise<string> {
  const plan = await planFor(place, path, ['trust_folder', 'open_live']);
  if ('launch' in plan) return commandLine(plan.launch);
  throw errorOfPlan(plan, rowAt(place, path));
}

interface Preview {
  readonly preview: BranchPreview;
  readonly text: string | undefined;
}

function refusedBy(error: unknown): Preview {
  if (!(error instanceof SessionError)) throw error;
  return { preview: { kind: 'refused', reason: error.message }, text: undefined };
}

async function previewOf(session: ChangingSession, entryId: string, isNew: boolean): Promise<Preview> {
  try {
    const { kind, announcement, text } = await planNow(session, entryId, { isNew });
    return { preview: kind === 'already' ? { kind } : { kind: 'possible', announcement }, text };
  } catch (error) {
    return refusedBy(error);
  }
}

/** What a branch in the same file and one in a new file would do; the session is read once for both. */
async function previewsOf(
  place: Place,
  { path, entryId, seen }: BranchPoint,
  own: OwnWrites,
): Promise<readonly [inPlace: Preview, newFile: Preview]> {
  try {
    using session = sessionToChange(rowAt(place, path), { seen, own });
    return [await previewOf(session, entryId, false), await previewOf(session, entryId, true)];
  } catch (error) {
    const refused = refusedBy(error);
    return [refused, refused];
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

async function answerFor(place: Place, point: BranchPoint, own: OwnWrites): Promise<BranchAnswer> {
  const [inPlace, newFile] = await previewsOf(place, point, own);
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

/** What the screens have done for them in a thread of its own: all that reads or changes a session when a key asks for it. */
export interface ChangeWork extends ChangePorts, Pick<AppPorts, 'prepareResume' | 'resumeCommand'> {
  /** Branches as it was wished in a tree. */
  branch(wish: BranchWish): Promise<BranchOutcome>;
}

/** Does it. Whoever asks for two changes in one breath has seen the file before both; only changes by others are refused. */
export function changeWork(place: Place): ChangeWork {
  const own = new OwnWrites();
  const options = { ...changeOptions(place), own };
  return {
    async setLabel(path, entryId, label, seen) {
      const text = label === '' ? undefined : label;
      return (await setLabel(rowAt(place, path), entryId, text, { ...options, seen })).said;
    },
    async undo() {
      return (await undoLast(options)).said;
    },
    planBranch: (point) => answerFor(place, point, own),
    branch({ path, entryId, way, summary, seen }) {
      return branchAt(rowAt(place, path), entryId, { isNew: way === 'new_file', summary }, { ...options, seen });
    },
    prepareResume: async (path, choices) => answerOfPlan(await planFor(place, path, choices)),
    resumeCommand: (path) => commandFor(place, path),
  };
}
