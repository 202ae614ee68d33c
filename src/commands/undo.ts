import { undoLast } from '../actions/undo.ts';
import { neutraliseLine } from '../model/neutralise.ts';
import { print, tell, toJson } from '../output.ts';
import { changeOptions } from './changes.ts';
import type { Place } from './place.ts';

/** `bough undo`: undoes the last change that Bough made to a session. */
export async function runUndo(place: Place, { json }: { readonly json: boolean }): Promise<void> {
  const { undone, how, said } = await undoLast(changeOptions(place));
  if (!json) {
    tell(neutraliseLine(said));
    return;
  }
  const { kind, path } = undone.change;
  await print(toJson({ version: 1, undone: kind, path, changed: undone.atMs, how }));
}
