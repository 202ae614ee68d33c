import { TreeApp } from '../components/tree-app.tsx';
import type { TreeExit, TreeOptions, TreePorts } from '../components/tree-screen.tsx';
import { draw } from './draw.ts';
import type { Terminal } from './terminal.ts';

/** Mounts a session's tree on a terminal; settles with how it ended, when the terminal is as it was before. */
export async function drawTree(terminal: Terminal, options: TreeOptions, ports: TreePorts): Promise<TreeExit> {
  const exit = await draw(terminal, <TreeApp options={options} ports={ports} />);
  return (exit as TreeExit | undefined) ?? { kind: 'left' };
}
