import { existsSync } from 'node:fs';
import { readLsofTable } from './process-table-lsof.ts';
import { readProcTable } from './process-table-proc.ts';
import type { ProcessTable } from './process-table-types.ts';

/** Every process but this one: from `/proc`, else from `ps` and `lsof`. */
export async function readProcessTable(agentNames: readonly string[]): Promise<ProcessTable> {
  if (process.platform === 'win32') return { processes: [], blindness: 'this system does not say who has a file open' };
  if (existsSync('/proc/self/fd')) return { processes: await readProcTable(agentNames) };
  return await readLsofTable(agentNames);
}
