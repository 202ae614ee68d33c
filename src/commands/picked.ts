import type { AppExit } from '../../components/app.tsx';
import { launchAgent } from '../actions/launch.ts';
import { print } from '../output.ts';
import type { Changes } from './change-client.ts';
import { fulfil, launchFor } from './fulfil.ts';
import type { PickOptions } from './pick.tsx';
import type { Place } from './place.ts';
import { commandFor, rowAt } from './tree-changes.ts';

const INTERRUPTED = 130;

async function printChoice(place: Place, path: string, what: 'path' | 'id' | 'command'): Promise<void> {
  if (what === 'command') await print(await commandFor(place, path));
  else await print(what === 'path' ? path : (rowAt(place, path).id ?? path));
}

/** Does what the picker was left with. Gives the exit status. */
export async function afterPicker(
  place: Place,
  exit: AppExit,
  printed: PickOptions['print'],
  changes: Changes,
): Promise<number> {
  switch (exit.kind) {
    case 'left':
      return printed === undefined ? 0 : 1;
    case 'interrupted':
      return INTERRUPTED;
    case 'picked':
      await printChoice(place, exit.path, printed ?? 'path');
      return 0;
    case 'branch':
      return fulfil(place, exit.wish, changes);
    case 'resume':
      return launchAgent(await launchFor(place, exit.path, exit.choices));
  }
}
