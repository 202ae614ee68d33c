import { appendFileSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findAgentRoots } from '../../src/agents/agents.ts';
import { changePorts } from '../../src/commands/tree-changes.ts';
import { SessionFile } from '../../src/session/scan.ts';
import { defaultSettings } from '../../src/settings.ts';
import { AgentFolder } from '../e2e/agent-folder.ts';
import { addSample } from '../e2e/sample-sessions.ts';

it('a file that has changed since it was shown is neither labelled nor branched, and the reason is told', async () => {
  using folder = new AgentFolder();
  const path = addSample(folder, { id: '00000000000000a1', prompt: 'mend it', at: '2026-03-03T00:00:00.000Z' });
  const env = { HOME: folder.home };
  const roots = findAgentRoots([folder.path]);
  const ports = changePorts({
    roots,
    cwd: folder.project,
    home: folder.home,
    env,
    nowMs: Date.now(),
    settings: defaultSettings,
  });
  using file = new SessionFile(path);
  const seen = file.stamp;
  appendFileSync(path, '{"type":"custom","id":"c1","parentId":"a1","timestamp":"2026-03-03T00:00:01.000Z"}\n');
  const before = readFileSync(path);
  await expect(ports.setLabel(path, 'u1', 'x', seen)).rejects.toThrow('has changed since it was read');
  const answer = await ports.planBranch({ path, at: 0, entryId: 'u1', seen, choices: [] });
  expect(answer.inPlace).toMatchObject({ kind: 'refused', reason: expect.stringContaining('has changed') });
  expect(answer.newFile.kind).toBe('refused');
  expect(readFileSync(path)).toEqual(before);
});
