import { render } from 'ink';
import { App, type AppExit, type AppOptions, type AppPorts } from '../components/app.tsx';
import type { Terminal } from './terminal.ts';

/** Mounts the screens on a terminal; settles with how they ended, when the terminal is as it was before. */
export async function drawApp(terminal: Terminal, options: AppOptions, ports: AppPorts): Promise<AppExit> {
  const instance = render(<App options={options} ports={ports} />, {
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
  const exit = await instance.waitUntilExit();
  return (exit as AppExit | undefined) ?? { kind: 'left' };
}
