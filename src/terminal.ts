import { openSync } from 'node:fs';
import { ReadStream, WriteStream } from 'node:tty';
import { nodeCode } from './errors.ts';
import type { Env } from './session/paths.ts';

/** What screens are drawn on and read keys from. */
export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  close(): void;
}

const CONTROLLING = '/dev/tty';

function openControlling(mode: 'r' | 'w'): number | undefined {
  try {
    return openSync(CONTROLLING, mode);
  } catch (error) {
    if (nodeCode(error) === undefined) throw error;
    return undefined;
  }
}

/**
 * The terminal in front of the user, also where stdin or stdout are taken: stdout, else stderr, else `/dev/tty`. undefined
 * when there is none, or one that cannot move its cursor.
 */
export function openTerminal(env: Env): Terminal | undefined {
  if (env['TERM'] === 'dumb') return undefined;
  const opened: { destroy(): void }[] = [];
  const close = (): void => {
    for (const stream of opened) stream.destroy();
  };
  let output = [process.stdout, process.stderr].find((stream) => stream.isTTY);
  if (output === undefined) {
    const descriptor = openControlling('w');
    if (descriptor === undefined) return undefined;
    output = Object.assign(new WriteStream(descriptor), { fd: descriptor as 1 });
    opened.push(output);
  }
  if (process.stdin.isTTY) return { input: process.stdin, output, close };
  const descriptor = openControlling('r');
  if (descriptor === undefined) {
    close();
    return undefined;
  }
  const input = Object.assign(new ReadStream(descriptor), { fd: descriptor as 0 });
  opened.push(input);
  return { input, output, close };
}
