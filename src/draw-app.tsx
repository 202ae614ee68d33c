import { type Instance, render } from 'ink';
import type { ReactNode } from 'react';
import { App, type AppExit, type AppOptions, type AppPorts } from '../components/app.tsx';
import { HistoryApp, type HistoryExit, type HistoryOptions, type HistoryPorts } from '../components/history-app.tsx';
import type { Terminal } from './terminal.ts';

function draw(terminal: Terminal, screens: ReactNode): Instance {
  return render(screens, {
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
}

/** Mounts the screens on a terminal; settles with how they ended, when the terminal is as it was before. */
export async function drawApp(terminal: Terminal, options: AppOptions, ports: AppPorts): Promise<AppExit> {
  const exit = await draw(terminal, <App options={options} ports={ports} />).waitUntilExit();
  return (exit as AppExit | undefined) ?? { kind: 'left' };
}

/** The same for the prompt history. */
export async function drawHistory(
  terminal: Terminal,
  options: HistoryOptions,
  ports: HistoryPorts,
): Promise<HistoryExit> {
  const exit = await draw(terminal, <HistoryApp options={options} ports={ports} />).waitUntilExit();
  return (exit as HistoryExit | undefined) ?? { kind: 'left' };
}
