import type { AppExit } from '../../components/app.tsx';
import { launchAgent } from '../actions/launch.ts';
import { errorOfPlan } from '../actions/resume.ts';
import { openCatalog } from '../catalog/catalog-client.ts';
import { listAhead } from '../catalog/list-ahead.ts';
import { copyText } from '../clipboard.ts';
import { print } from '../output.ts';
import { foldersOfScope } from '../scope.ts';
import type { Terminal } from '../terminal.ts';
import { catalogPlace } from './catalog-work.ts';
import { loadScreens } from './load-screens.ts';
import type { Place } from './place.ts';
import { commandLine } from './resume.ts';
import { answerOfPlan, changePorts, fulfil, planFor, rowAt } from './tree-changes.ts';

export interface PickOptions {
  readonly query: string;
  readonly all: boolean;
  readonly hidden: boolean;
  /** What a choice prints; undefined resumes it. */
  readonly print: 'path' | 'id' | 'command' | undefined;
}

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

/** Draws the picker until the user chooses or leaves; the terminal is as it was when this settles. */
async function showPicker(place: Place, options: PickOptions, terminal: Terminal, workerUrl: URL): Promise<AppExit> {
  // Reading starts in its own thread while the screens load.
  const catalog = openCatalog(workerUrl, place.roots, catalogPlace(place));
  const list = listAhead(catalog);
  const { drawApp } = await loadScreens(() => import('../draw-app.tsx'));
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
        ...changePorts(place),
        prepareResume: async (path, choices) => answerOfPlan(await planFor(place, path, choices)),
        resumeCommand: (path) => commandFor(place, path),
        copy: (text) => copyText(text, terminal.output, place.env),
      },
    );
  } finally {
    catalog.close();
    terminal.close();
  }
}

/** `bough` and `bough pick`: the picker; then the chosen session's agent, or what was asked to print. Gives the exit status. */
export async function runPicker(
  place: Place,
  options: PickOptions,
  terminal: Terminal,
  workerUrl: URL,
): Promise<number> {
  const exit = await showPicker(place, options, terminal, workerUrl);
  switch (exit.kind) {
    case 'left':
      return options.print === undefined ? 0 : 1;
    case 'interrupted':
      return INTERRUPTED;
    case 'picked':
      await printChoice(place, exit.path, options.print ?? 'path');
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
