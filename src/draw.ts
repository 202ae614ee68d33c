import { render } from 'ink';
import type { ReactNode } from 'react';
import type { Terminal } from './terminal.ts';

/** Mounts screens on a terminal; settles with what they gave to Ink's exit, when the terminal is as it was before. */
export function draw(terminal: Terminal, screens: ReactNode): Promise<unknown> {
  const instance = render(screens, {
    stdin: terminal.input,
    stdout: terminal.output,
    // The terminal was found by us: `CI` and where stdout leads change nothing.
    interactive: true,
    alternateScreen: true,
    exitOnCtrlC: false,
    patchConsole: false,
    incrementalRendering: true,
    maxFps: 60,
  });
  return instance.waitUntilExit();
}
