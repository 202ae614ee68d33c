import type { AppExit } from '../../components/app.tsx';
import type { AppPorts, ChangePorts } from '../../hooks/ports.ts';
import { launchAgent } from '../actions/launch.ts';
import { errorOfPlan } from '../actions/resume.ts';
import { print } from '../output.ts';
import type { PickOptions } from './pick.tsx';
import type { Place } from './place.ts';
import { commandLine } from './resume.ts';
import { answerOfPlan, changePorts, fulfil, planFor, rowAt } from './tree-changes.ts';

const INTERRUPTED = 130;

async function commandFor(place: Place, path: string): Promise<string> {
  const plan = await planFor(place, path, ['trust_folder', 'open_live']);
  if ('launch' in plan) return commandLine(plan.launch);
  throw errorOfPlan(plan, rowAt(place, path));
}

async function printChoice(place: Place, path: string, what: 'path' | 'id' | 'command'): Promise<void> {
  if (what === 'command') await print(await commandFor(place, path));
  else await print(what === 'path' ? path : (rowAt(place, path).id ?? path));
}

/** What the picker asks for while it is drawn: changes, and what stands behind a choice. */
export type PickedPorts = ChangePorts & Pick<AppPorts, 'prepareResume' | 'resumeCommand'>;

export function pickedPorts(place: Place): PickedPorts {
  return {
    ...changePorts(place),
    prepareResume: async (path, choices) => answerOfPlan(await planFor(place, path, choices)),
    resumeCommand: (path) => commandFor(place, path),
  };
}

/** Does what the picker was left with. Gives the exit status. */
export async function afterPicker(place: Place, exit: AppExit, printed: PickOptions['print']): Promise<number> {
  switch (exit.kind) {
    case 'left':
      return printed === undefined ? 0 : 1;
    case 'interrupted':
      return INTERRUPTED;
    case 'picked':
      await printChoice(place, exit.path, printed ?? 'path');
      return 0;
    case 'branch':
      return fulfil(place, exit.wish);
    case 'resume': {
      const plan = await planFor(place, exit.path, exit.choices);
      if (plan.kind !== 'ready') throw errorOfPlan(plan, rowAt(place, exit.path));
      return launchAgent(plan.launch);
    }
  }
}
