import { join } from 'node:path';
import { beforeEach, onTestFinished } from 'vitest';
import { setAgentDir } from '../../src/session/paths.ts';
import { makeTempDir } from './temp-dir.ts';

/** Gives every test of a file an agent folder of its own, as the process's agent folder, and a project folder in it. */
export function useAgentFolder(): { readonly agentDir: string; readonly sessionDir: string } {
  const place = { agentDir: '', sessionDir: '' };
  beforeEach(() => {
    const before = process.env['PI_CODING_AGENT_DIR'];
    place.agentDir = makeTempDir();
    place.sessionDir = join(place.agentDir, 'sessions', '--w--');
    setAgentDir(place.agentDir);
    onTestFinished(() => {
      if (before === undefined) delete process.env['PI_CODING_AGENT_DIR'];
      else process.env['PI_CODING_AGENT_DIR'] = before;
    });
  });
  return place;
}
