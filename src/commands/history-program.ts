import type { Command } from 'commander';
import type { HistoryScreenOptions } from './history-screen.ts';
import type { Place } from './place.ts';

/** What defining these commands takes from the program. */
interface Definition<Common> {
  /** A new command, of the program or of another command, that takes the common options too. */
  readonly command: (name: string, description: string, parent?: Command) => Command;
  readonly place: (options: Common) => Place;
  /** The words behind `--`: always text. */
  readonly behind: readonly string[];
  readonly finish: (status: number) => void;
  readonly wholeNumber: (value: string) => number;
  readonly runs: () => Promise<typeof import('./runs.ts')>;
  readonly draw: (place: Place, options: HistoryScreenOptions) => Promise<number>;
}

interface Common {
  readonly agentDir: readonly string[];
  readonly demo?: boolean | undefined;
}

interface Query extends Common {
  readonly cwd?: string;
  readonly limit?: number;
  readonly json: boolean;
}

function addQueryOptions(command: Command, wholeNumber: (value: string) => number): Command {
  return command
    .argument('[query...]', 'words that a prompt must have, anywhere in it')
    .option('--cwd <dir>', 'only prompts sent in this folder')
    .option('--limit <count>', 'no more than this many (with --json; 100)', wholeNumber)
    .option('--json', 'as JSON, with the sessions where each was sent', false);
}

/** `bough history` and the commands below it. */
export function addHistory(definition: Definition<Common>): void {
  const { command, behind, finish, wholeNumber, runs, draw } = definition;
  const history = addQueryOptions(command('history', 'search the prompts of all agents and print one'), wholeNumber);
  history.usage('[search] [options] [query...] | [command]');
  // Options may stand before the name of a command below, too.
  const merge = <O extends Common>(own: O): O & Partial<Query> => {
    const before = history.opts<Query>();
    const agentDir = [...before.agentDir, ...own.agentDir];
    return { ...before, ...own, agentDir, demo: before.demo === true || own.demo === true };
  };
  const search = async (words: readonly string[], options: Query): Promise<void> => {
    const place = definition.place(options);
    const query = [...words, ...behind].join(' ');
    const { cwd, limit } = options;
    if (options.json) await (await runs()).runHistoryJson(place, { query, cwd, limit });
    else finish(await draw(place, { query, cwd }));
  };
  history.action((words: string[], options: Query) => search(words, options));
  addQueryOptions(
    command('search', 'the same; for a query whose first word is a command', history),
    wholeNumber,
  ).action((words: string[], options: Query) => {
    const { json } = history.opts<Query>();
    return search(words, { ...merge(options), json: json || options.json });
  });
  command('add', 'add a prompt to the history', history)
    .argument('[prompt...]', 'its text')
    .option('--cwd <dir>', 'the folder that it belongs to, instead of the current one')
    .action(async (words: string[], options: Query) => {
      const merged = merge(options);
      return (await runs()).runHistoryAdd(definition.place(merged), [...words, ...behind].join(' '), merged.cwd);
    });
  command('import', "fill Bough's own history from the sessions of agents that keep none (pi)", history).action(
    async (options: Common) => (await runs()).runHistoryImport(definition.place(merge(options))),
  );
  command('rm', 'remove prompts from every history that holds them', history)
    .argument('[prompt...]', 'ids as --json gives them, or words as in a search')
    .option('--cwd <dir>', 'only prompts sent in this folder')
    .option('--yes', 'do not ask', false)
    .action(async (words: string[], options: Common & { cwd?: string; yes: boolean }) => {
      const merged = merge(options);
      const isText = behind.length > 0;
      return (await runs()).runHistoryRemove(definition.place(merged), {
        words: [...words, ...behind],
        isText,
        cwd: merged.cwd,
        yes: options.yes,
      });
    });
}
