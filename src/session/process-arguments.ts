import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { nodeCode } from '../errors.ts';

/** Whether an open file is one of those that say who has a session. */
export function isSessionOrLock(path: string): boolean {
  return path.endsWith('.jsonl') || path.endsWith('.jsonl.lock.os');
}

/** The names by which one file is known: its absolute path and, where it exists, its device and inode. */
export function fileKeysOf(path: string): readonly string[] {
  const absolute = resolve(path);
  try {
    const stat = statSync(absolute, { throwIfNoEntry: false });
    return stat === undefined ? [absolute] : [absolute, inodeKey(stat)];
  } catch (error) {
    if (nodeCode(error) === undefined) throw error;
    return [absolute];
  }
}

export function inodeKey(stat: { readonly dev: number; readonly ino: number }): string {
  return `inode ${stat.dev}:${stat.ino}`;
}

/** The key of a session by the id in its file's name. */
export function idKey(id: string): string {
  return `id ${id.toLowerCase()}`;
}

/**
 * The agent that a command line runs, by the name of the program or of the script that an interpreter runs; undefined
 * for another program.
 */
export function agentOf(args: readonly string[], agentNames: readonly string[]): string | undefined {
  const [program = '', ...rest] = args;
  const script = /^(node|bun|deno)/.test(basename(program)) ? rest.find((arg) => !arg.startsWith('-')) : undefined;
  // A program that names itself may put everything into one argument.
  const names = [program.split(' ')[0] ?? '', script ?? ''].map((path) => basename(path).replace(/\.[cm]?[jt]s$/, ''));
  return agentNames.find((name) => names.includes(name));
}

/** Keys of the sessions that an agent was started on; one that it only copies from (`--fork`, `--export`) is free. */
export function sessionsNamedIn(args: readonly string[], cwd: string): readonly string[] {
  return args.flatMap((arg, index) => {
    const before = args[index - 1];
    if (before === '--fork' || before === '--export' || /^--(fork|export)=/.test(arg)) return [];
    const value = arg.startsWith('--') ? arg.slice(arg.indexOf('=') + 1) : arg;
    if (value.endsWith('.jsonl')) return fileKeysOf(resolve(cwd, value));
    return /^[0-9a-f-]{16,36}$/i.test(value) ? [idKey(value)] : [];
  });
}
