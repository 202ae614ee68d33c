import type { TreeExit } from '../../components/tree-screen.tsx';
import { openCatalog } from '../catalog/catalog-client.ts';
import { copyText } from '../clipboard.ts';
import { SessionError } from '../errors.ts';
import { rowTitle } from '../model/row-text.ts';
import type { Terminal } from '../terminal.ts';
import { catalogPlace } from './catalog-place.ts';
import { type Changes, openChanges } from './change-client.ts';
import { fulfil } from './fulfil.ts';
import { loadScreens } from './load-screens.ts';
import { rowOfTarget } from './opened.ts';
import type { Place } from './place.ts';

const INTERRUPTED = 130;

/** Draws a session's tree until the user leaves it; the terminal is as it was when this settles. */
async function showTree(
  place: Place,
  target: string,
  terminal: Terminal,
  workerUrl: URL,
  changes: Changes,
): Promise<TreeExit> {
  const { roots, env } = place;
  const row = await rowOfTarget(target, place);
  if (row.problem !== null) throw new SessionError('io', row.problem, { path: row.path });
  // Reading starts in its own thread while the screen loads.
  const catalog = openCatalog(workerUrl, roots, catalogPlace(place));
  const { drawTree } = await loadScreens(() => import('../draw-tree.tsx'));
  try {
    return await drawTree(
      terminal,
      { path: row.path, title: rowTitle(row), startId: undefined },
      { ...changes, catalog, now: Date.now, copy: (text) => copyText(text, terminal.output, env) },
    );
  } finally {
    catalog.close();
    terminal.close();
    // An agent may get the file next.
    await changes.settled();
  }
}

/** `bough tree TARGET` on a terminal: the session's tree, and its agent when it is to go on from an entry. Gives the exit status. */
export async function runTreeScreen(place: Place, target: string, terminal: Terminal, workerUrl: URL): Promise<number> {
  const changes = openChanges(workerUrl, place);
  try {
    const exit = await showTree(place, target, terminal, workerUrl, changes);
    switch (exit.kind) {
      case 'left':
        return 0;
      case 'interrupted':
        return INTERRUPTED;
      case 'branch':
        return await fulfil(place, exit.wish, changes);
    }
  } finally {
    await changes.close();
  }
}
