import { setTimeout as delay } from 'node:timers/promises';
import type { AppExit } from '../../components/app.tsx';
import { openCatalog } from '../catalog/catalog-client.ts';
import { listAhead } from '../catalog/list-ahead.ts';
import { copyText } from '../clipboard.ts';
import { foldersOfScope } from '../scope.ts';
import type { Terminal } from '../terminal.ts';
import { catalogPlace } from './catalog-place.ts';
import { type Changes, openChanges } from './change-client.ts';
import { loadScreens } from './load-screens.ts';
import type { Place } from './place.ts';

export interface PickOptions {
  readonly query: string;
  readonly all: boolean;
  readonly hidden: boolean;
  /** What a choice prints; undefined resumes it. */
  readonly print: 'path' | 'id' | 'command' | undefined;
}

/** As long as the first picture waits for rows. */
const FIRST_ROWS_MS = 40;

/** Draws the picker until the user chooses or leaves; the terminal is as it was when this settles. */
async function showPicker(
  place: Place,
  options: PickOptions,
  terminal: Terminal,
  workerUrl: URL,
  changes: Changes,
): Promise<AppExit> {
  // Reading starts in its own thread while the screens load.
  const catalog = openCatalog(workerUrl, place.roots, catalogPlace(place));
  const list = listAhead((onBatch) => catalog.list(onBatch));
  const { drawApp } = await loadScreens(() => import('../draw-app.tsx'));
  // The first rows come at about this time: one picture with them is there sooner than one without and another behind it.
  await Promise.race([list.begun, delay(FIRST_ROWS_MS)]);
  try {
    return await drawApp(
      terminal,
      {
        here: foldersOfScope(place.cwd),
        scope: options.all ? 'all' : 'here',
        home: place.home,
        agentDirs: place.roots.map(({ folders }) => folders.agentDir),
        isPicking: options.print !== undefined,
        query: options.query,
        isShowingHidden: options.hidden,
        warning: place.settings.problems[0],
      },
      {
        catalog,
        list,
        now: Date.now,
        ...changes,
        copy: (text) => copyText(text, terminal.output, place.env),
      },
    );
  } finally {
    catalog.close();
    terminal.close();
    // An agent may get the file next.
    await changes.settled();
  }
}

/** `bough` and `bough pick`: the picker; then the chosen session's agent, or what was asked to print. Gives the exit status. */
export async function runPicker(
  place: Place,
  options: PickOptions,
  terminal: Terminal,
  workerUrl: URL,
): Promise<number> {
  const changes = openChanges(workerUrl, place);
  try {
    const exit = await showPicker(place, options, terminal, workerUrl, changes);
    // What is needed only when something was chosen loads then, and not before the first picture.
    return await (await import('./picked.ts')).afterPicker(place, exit, options.print, changes);
  } finally {
    await changes.close();
  }
}
