import type { Writable } from 'node:stream';
import type { Env } from './session/paths.ts';

/** Controls but newline and tab: a pasted escape sequence could act on whatever it is pasted into. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Terminals drop longer sequences; xterm's limit is the smallest in wide use. */
const MAX_OSC52_BYTES = 74_994;

/** Does a desktop's clipboard belong to the person at this terminal? Not over SSH, and not without a desktop. */
function hasDesktop(env: Env): boolean {
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return false;
  return process.platform !== 'linux' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}

/** Asks the terminal itself to take the text (OSC 52), which also works over SSH; tmux passes it on. */
function copyThroughTerminal(text: string, terminal: Writable): string {
  const encoded = Buffer.from(text).toString('base64');
  if (encoded.length > MAX_OSC52_BYTES) throw new Error('too long for the terminal to copy');
  terminal.write(`\u001b]52;c;${encoded}\u001b\\`);
  return 'Handed to the terminal to copy';
}

/** A text without control characters but newline and tab. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '');
}

/** Copies a text, without control characters but newline and tab; gives what was done, in a few words. */
export async function copyText(text: string, terminal: Writable, env: Env): Promise<string> {
  const clean = withoutControls(text);
  if (!hasDesktop(env)) return copyThroughTerminal(clean, terminal);
  const { default: clipboard } = await import('clipboardy');
  try {
    await clipboard.write(clean);
    return 'Copied';
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // No helper program for the desktop's clipboard is installed.
    return copyThroughTerminal(clean, terminal);
  }
}
