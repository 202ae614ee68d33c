import { openCatalog } from '../catalog/catalog-client.ts';
import { copyText } from '../clipboard.ts';
import { SessionError } from '../errors.ts';
import { rowTitle } from '../model/row-text.ts';
import { getOwnFolders } from '../own-folders.ts';
import type { Terminal } from '../terminal.ts';
import { loadScreens } from './load-screens.ts';
import { rowOfTarget } from './opened.ts';
import type { Place } from './place.ts';

const INTERRUPTED = 130;

/** `bough tree TARGET` on a terminal: the session's tree until the user leaves. Gives the exit status. */
export async function runTreeScreen(place: Place, target: string, terminal: Terminal, workerUrl: URL): Promise<number> {
  const { roots, env } = place;
  const row = await rowOfTarget(target, place);
  if (row.problem !== null) throw new SessionError('io', row.problem, { path: row.path });
  // Reading starts in its own thread while the screen loads.
  const catalog = openCatalog(workerUrl, roots, getOwnFolders(env).cacheDir);
  const { drawTree } = await loadScreens(() => import('../draw-tree.tsx'));
  try {
    const exit = await drawTree(
      terminal,
      { path: row.path, title: rowTitle(row), startId: undefined },
      { catalog, now: Date.now, copy: (text) => copyText(text, terminal.output, env) },
    );
    return exit.kind === 'interrupted' ? INTERRUPTED : 0;
  } finally {
    catalog.close();
    terminal.close();
  }
}
