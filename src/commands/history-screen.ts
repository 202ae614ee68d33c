import { resolve } from 'node:path';
import { copyText, withoutControls } from '../clipboard.ts';
import { historySources } from '../history/databases.ts';
import { openPromptHistory } from '../history/history-client.ts';
import { print } from '../output.ts';
import { getOwnFolders } from '../own-folders.ts';
import { foldersOfScope } from '../scope.ts';
import type { Terminal } from '../terminal.ts';
import { loadScreens } from './load-screens.ts';
import type { Place } from './place.ts';

export interface HistoryScreenOptions {
  readonly query: string;
  /** The folder that it starts with; undefined starts everywhere. */
  readonly cwd: string | undefined;
}

const INTERRUPTED = 130;
/** As `bough pick`: nothing was chosen. */
const NOTHING_CHOSEN = 1;

/** `bough history`: searches prompts on the terminal and prints the one that is chosen. Gives the exit status. */
export async function runHistoryScreen(
  place: Place,
  { query, cwd }: HistoryScreenOptions,
  terminal: Terminal,
  workerUrl: URL,
): Promise<number> {
  const { roots, env, home } = place;
  const { stateDir } = getOwnFolders(env);
  // Reading starts in its own thread while the screen loads.
  const history = openPromptHistory(workerUrl, roots, stateDir);
  const { drawHistory } = await loadScreens(() => import('../draw-history.tsx'));
  try {
    const exit = await drawHistory(
      terminal,
      {
        here: foldersOfScope(resolve(place.cwd, cwd ?? '.')),
        scope: cwd === undefined ? 'all' : 'here',
        home,
        query,
        databases: historySources(roots, stateDir).map(({ path }) => path),
      },
      { history, now: Date.now, copy: (text) => copyText(text, terminal.output, env) },
    );
    if (exit.kind === 'interrupted') return INTERRUPTED;
    if (exit.kind === 'left') return NOTHING_CHOSEN;
    // A terminal would obey the control characters of a stored text; a program gets exactly what is stored.
    await print(process.stdout.isTTY ? withoutControls(exit.prompt) : exit.prompt);
    return 0;
  } finally {
    history.close();
    terminal.close();
  }
}
