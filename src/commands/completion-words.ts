import type { Command, Option } from 'commander';

/** An option as a shell completes it. */
interface OptionWord {
  /** `--agent-dir`, `-h`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** What its value is; undefined when it takes none. */
  readonly value: 'folder' | 'text' | readonly string[] | undefined;
}

/** A command with what can follow it. */
export interface CommandWords {
  /** The words that lead to it: '' for the program itself, `history rm`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionWord[];
  /** Its arguments are one of these, such as the shells of `completion`. */
  readonly choices: readonly string[];
}

function optionWord(option: Option): OptionWord {
  const { short, long, description, argChoices, required, optional } = option;
  const flags = [long, short].filter((flag) => flag !== undefined);
  if (!required && !optional) return { flags, description, value: undefined };
  if (argChoices !== undefined) return { flags, description, value: argChoices };
  return { flags, description, value: /<dir>/.test(option.flags) ? 'folder' : 'text' };
}

/** A program's commands with their options and words, taken from their own definitions: nothing is named twice. */
export function commandWords(program: Command): readonly CommandWords[] {
  const found: CommandWords[] = [];
  const pending: { readonly command: Command; readonly path: string }[] = [{ command: program, path: '' }];
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const { command, path } = next;
    const help = command.createHelp();
    const commands = help.visibleCommands(command);
    found.push({
      path,
      commands: commands.map((child) => ({ name: child.name(), description: child.description() })),
      options: help.visibleOptions(command).map(optionWord),
      choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    });
    for (const child of commands) pending.push({ command: child, path: `${path} ${child.name()}`.trim() });
  }
  return found;
}
