import type { ChangeOptions } from '../actions/change.ts';
import { Journal } from '../actions/journal.ts';
import { getOwnFolders } from '../own-folders.ts';
import type { Place } from './place.ts';

/** What commands that change sessions give to the actions. */
export function changeOptions(place: Place): ChangeOptions {
  return { journal: new Journal(getOwnFolders(place.env).stateDir) };
}
