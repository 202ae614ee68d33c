import { App, type AppExit, type AppOptions, type AppPorts } from '../components/app.tsx';
import { draw } from './draw.ts';
import type { Terminal } from './terminal.ts';

/** Mounts the screens on a terminal; settles with how they ended, when the terminal is as it was before. */
export async function drawApp(terminal: Terminal, options: AppOptions, ports: AppPorts): Promise<AppExit> {
  const exit = await draw(terminal, <App options={options} ports={ports} />);
  return (exit as AppExit | undefined) ?? { kind: 'left' };
}
