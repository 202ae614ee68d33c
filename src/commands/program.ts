import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { addHistory } from './history-program.ts';
import type { HistoryScreenOptions } from './history-screen.ts';
import type { PickOptions } from './pick.tsx';
import type { Place } from './place.ts';
import { PROMPT_KEY, type ShellName, shells } from './shells.ts';
import { type SortName, sortNames } from './sort-names.ts';

/** Options that stand before or behind any command. */
export interface CommonOptions {
  readonly agentDir: readonly string[];
  readonly demo?: boolean | undefined;
}

/** What the program needs from `cli.tsx`: the world, and the screens, which load only when they are drawn. */
export interface Shell {
  readonly placeFor: (options: CommonOptions) => Place;
  readonly pick: (place: Place, options: PickOptions) => Promise<number>;
  readonly history: (place: Place, options: HistoryScreenOptions) => Promise<number>;
  readonly tree: (place: Place, target: string) => Promise<number>;
  readonly version: string;
  /** The program of the threads that read. */
  readonly workerUrl: URL;
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

function wholeNumber(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('give a whole number.');
  return Number(value);
}

/** The words behind `--`, which are the agent's. */
function splitAtDashes(argv: readonly string[]): {
  readonly own: readonly string[];
  readonly behind: readonly string[];
} {
  const at = argv.indexOf('--');
  return at < 0 ? { own: argv, behind: [] } : { own: argv.slice(0, at), behind: argv.slice(at + 1) };
}

/** What the definitions of commands share. */
interface Definition {
  readonly program: Command;
  /** A new command, of the program or of another command, that takes the common options too. */
  readonly command: (name: string, description: string, parent?: Command) => Command;
  /** The place of a command with these options. */
  readonly place: (options: CommonOptions) => Place;
  /** The words behind `--`. */
  readonly behind: readonly string[];
  readonly finish: (status: number) => void;
}

/** What the commands do. */
function runs(): Promise<typeof import('./runs.ts')> {
  return import('./runs.ts');
}

/** The options of every command, and of the program before its command. */
function addCommonOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--agent-dir <dir>', 'an agent folder to read, instead of the usual ones (repeatable)')
        .argParser(collect)
        .default([], 'those of xcsh, omp and pi'),
    )
    .option('--demo', 'use sample sessions, copied to a temporary folder');
}

const TARGET_HELP = 'a path, an id or the beginning of one, or . for what resume takes';

function addPicker({ program, command, place, finish }: Definition, pick: Shell['pick']): void {
  program
    .argument('[query...]', 'what to search for')
    .option('--all', 'sessions of every folder', false)
    .option('--hidden', 'sub-agent and empty sessions too', false)
    .action(async (words: string[], options: CommonOptions & { all: boolean; hidden: boolean }) => {
      finish(await pick(place(options), { query: words.join(' '), ...options, print: undefined }));
    });
  type Options = CommonOptions & { all: boolean; hidden: boolean; print: PickOptions['print'] };
  command('pick', 'pick a session on the terminal and print it, for use in $(…)')
    .argument('[query...]', 'what to search for')
    .option('--all', 'sessions of every folder', false)
    .option('--hidden', 'sub-agent and empty sessions too', false)
    .addOption(new Option('--print <what>', 'what to print').choices(['path', 'id', 'command']).default('path'))
    .action(async (words: string[], options: Options) => {
      finish(await pick(place(options), { ...options, query: words.join(' ') }));
    });
}

function addList({ command, place, behind }: Definition, workerUrl: URL): void {
  type Options = CommonOptions & { all: boolean; hidden: boolean; sort: SortName; limit?: number; json: boolean };
  command('list', 'list sessions')
    .argument('[query...]', 'what to search for')
    .option('--all', 'sessions of every folder', false)
    .option('--hidden', 'sub-agent and empty sessions too', false)
    .addOption(new Option('--sort <order>', 'what comes first').choices(sortNames).default('recent'))
    .option('--limit <count>', 'no more than this many', wholeNumber)
    .option('--json', 'as JSON', false)
    .action(async (words: string[], options: Options) =>
      (await runs()).runList(
        place(options),
        { ...options, limit: options.limit, query: [...words, ...behind].join(' ') },
        workerUrl,
      ),
    );
}

function addSearch({ command, place, behind }: Definition): void {
  type Options = CommonOptions & { toolOutput: boolean; wait: boolean; limit?: number; json: boolean };
  command('search', 'search the whole text of every session')
    .argument('[query...]', 'words, or "several in a row"; all of them must stand in a text')
    .option('--tool-output', 'what tools gave back too', false)
    .option('--no-wait', 'search what is indexed so far')
    .option('--limit <count>', 'no more than this many', wholeNumber)
    .option('--json', 'as JSON', false)
    .action(async (words: string[], options: Options) =>
      (await runs()).runSearch(place(options), [...words, ...behind].join(' '), { ...options, limit: options.limit }),
    );
  type IndexOptions = CommonOptions & { rebuild: boolean; status: boolean; substrings?: 'on' | 'off'; json: boolean };
  command('index', 'bring the index of all sessions up to date')
    .option('--status', 'only say how it stands', false)
    .option('--rebuild', 'begin it anew', false)
    .addOption(new Option('--substrings <switch>', 'index parts of words too').choices(['on', 'off']))
    .option('--json', 'as JSON', false)
    .action(async (options: IndexOptions) =>
      (await runs()).runIndex(place(options), { ...options, substrings: options.substrings }),
    );
}

function addReaders({ command, place }: Definition): void {
  type Options = CommonOptions & { entry?: string; json: boolean };
  const readers = [
    ['show', 'print a conversation as Markdown', 'runShow'],
    ['context', 'print what the model would see', 'runContext'],
  ] as const;
  for (const [name, description, runName] of readers) {
    command(name, description)
      .argument('<target>', TARGET_HELP)
      .option('--entry <id>', 'at this entry (an id, or #LINE) instead of the leaf')
      .option('--json', 'as JSON', false)
      .action(async (target: string, options: Options) => {
        const run = (await runs())[runName];
        return run(place(options), target, { entry: options.entry, json: options.json });
      });
  }
}

/** Without a target, the session that `resume` would take. */
function addTree({ command, place, finish }: Definition, showTree: Shell['tree']): void {
  command('tree', 'browse a session as the tree that it is')
    .argument('[target]', TARGET_HELP, '.')
    .option('--json', 'as JSON', false)
    .action(async (target: string, options: CommonOptions & { json: boolean }) => {
      if (options.json) await (await runs()).runTreeJson(place(options), target);
      else finish(await showTree(place(options), target));
    });
}

function addResume({ command, place, behind, finish }: Definition): void {
  type Options = CommonOptions & { print: boolean; here: boolean; yes: boolean };
  command('resume', 'run the agent on a session; without a target, on the last one of this terminal and folder')
    .argument('[target]', TARGET_HELP)
    .option('--print', 'print the command instead of running it', false)
    .option('--here', "in the current folder instead of the session's own", false)
    .option('--yes', 'answer yes where it would ask', false)
    .usage('[options] [target] [-- agent arguments]')
    .action(async (target: string | undefined, options: Options) => {
      finish(await (await runs()).runResume(place(options), target, { ...options, agentArguments: behind }));
    });
}

const ENTRY_HELP = "an entry's id, or #LINE of the file";

function addLabels({ command, place, behind }: Definition): void {
  type Options = CommonOptions & { clear: boolean; json: boolean };
  command('label', 'label an entry, or change its label')
    .argument('<target>', TARGET_HELP)
    .argument('<entry>', ENTRY_HELP)
    .argument('[text]', 'the label')
    .option('--clear', 'take the label off', false)
    .option('--json', 'as JSON', false)
    .action(async (target: string, entry: string, text: string | undefined, options: Options) => {
      const label = text ?? (behind.length > 0 ? behind.join(' ') : undefined);
      return (await runs()).runLabel(place(options), target, entry, label, options);
    });
  command('labels', 'list the labels of all sessions')
    .option('--json', 'as JSON', false)
    .action(async (options: CommonOptions & { json: boolean }) => (await runs()).runLabels(place(options), options));
}

function addBranch({ command, place, finish }: Definition): void {
  type Options = CommonOptions & { new: boolean; summary?: string; resume: boolean; yes: boolean; json: boolean };
  command('branch', 'go on from another entry: in the same file, or in a new one')
    .argument('<target>', TARGET_HELP)
    .argument('<entry>', ENTRY_HELP)
    .option('--new', 'as a new session file', false)
    .option('--summary <text>', 'what the model is told of the branch that is left')
    .option('--resume', 'start the agent there', false)
    .option('--yes', 'answer yes where it would ask', false)
    .option('--json', 'as JSON', false)
    .action(async (target: string, entry: string, options: Options) => {
      finish(await (await runs()).runBranch(place(options), target, entry, { ...options, summary: options.summary }));
    });
}

function addUndo({ command, place }: Definition): void {
  command('undo', 'undo the last change that was made here to a session')
    .option('--json', 'as JSON', false)
    .action(async (options: CommonOptions & { json: boolean }) => (await runs()).runUndo(place(options), options));
}

function addCompletion({ program, command }: Definition): void {
  command('completion', `print what a shell needs to complete commands and to get a prompt with ${PROMPT_KEY}`)
    .addArgument(new Argument('<shell>', 'whose').choices(shells))
    .action(async (shell: ShellName) => (await runs()).runCompletion(shell, program));
}

/** Runs one command line and gives its exit status. Throws commander's and our own errors. */
export async function runProgram(argv: readonly string[], shell: Shell): Promise<number> {
  const { own, behind } = splitAtDashes(argv);
  let status = 0;
  const program = new Command('bough')
    .description('Browse, search and resume the sessions of coding agents (xcsh, oh-my-pi, pi).')
    .version(shell.version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'bough: ')) });
  addCommonOptions(program);
  const definition: Definition = {
    program,
    behind,
    command: (name, description, parent = program) =>
      addCommonOptions(parent.command(name).description(description)).helpCommand(false),
    place: (options) => {
      const before = program.opts<CommonOptions>();
      const agentDir = options === before ? before.agentDir : [...before.agentDir, ...options.agentDir];
      return shell.placeFor({ agentDir, demo: before.demo || options.demo });
    },
    finish: (ended) => {
      status = ended;
    },
  };
  addPicker(definition, shell.pick);
  addList(definition, shell.workerUrl);
  addSearch(definition);
  addReaders(definition);
  addTree(definition, shell.tree);
  addResume(definition);
  addLabels(definition);
  addBranch(definition);
  addUndo(definition);
  addHistory({ ...definition, wholeNumber, runs, draw: shell.history });
  addCompletion(definition);
  await program.parseAsync(own, { from: 'user' });
  return status;
}
