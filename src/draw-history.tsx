import { HistoryApp, type HistoryExit, type HistoryOptions, type HistoryPorts } from '../components/history-app.tsx';
import { draw } from './draw.ts';
import type { Terminal } from './terminal.ts';

/** Mounts the prompt history on a terminal; settles with how it ended, when the terminal is as it was before. */
export async function drawHistory(
  terminal: Terminal,
  options: HistoryOptions,
  ports: HistoryPorts,
): Promise<HistoryExit> {
  const exit = await draw(terminal, <HistoryApp options={options} ports={ports} />);
  return (exit as HistoryExit | undefined) ?? { kind: 'left' };
}
