import fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findAgentRoots } from '../../src/agents/agents.ts';
import { byLabelTime } from '../../src/catalog/label-entry.ts';
import { findLabels } from '../../src/catalog/labels.ts';
import type { SessionError } from '../../src/errors.ts';
import { fileOf, headerLine, userLine } from '../session/session-text.ts';
import { makeTempDir } from '../session/temp-dir.ts';

function labelLine(id: string, targetId: string, label: string | undefined, timestamp: string): string {
  return JSON.stringify({ type: 'label', id, parentId: 'u1', timestamp, targetId, label });
}

/** An agent folder with session files, by their path below `sessions`. */
function makeAgent(files: Readonly<Record<string, string>>): string {
  const agentDir = join(makeTempDir(), '.xcsh', 'agent');
  for (const [name, text] of Object.entries(files)) {
    const path = join(agentDir, 'sessions', name);
    fs.mkdirSync(join(path, '..'), { recursive: true });
    fs.writeFileSync(path, text);
  }
  return agentDir;
}

function labelsOf(agentDirs: readonly string[], onProblem: (error: SessionError) => void = () => {}) {
  return [...findLabels(findAgentRoots(agentDirs), onProblem)].flat().sort(byLabelTime);
}

test('labels of all sessions in all folders, the one set last first, as they stand after all changes', () => {
  const text = `${'long '.repeat(1_000)}`;
  const first = makeAgent({
    '--w--/a.jsonl': fileOf(
      headerLine({ id: 'A' }),
      userLine('u1', null, text),
      labelLine('l1', 'u1', 'old', '2026-01-03T00:00:00.000Z'),
      labelLine('l2', 'u1', 'new', '2026-01-05T00:00:00.000Z'),
      userLine('u2', 'l2', 'cleared'),
      labelLine('l3', 'u2', 'gone', '2026-01-06T00:00:00.000Z'),
      labelLine('l4', 'u2', undefined, '2026-01-07T00:00:00.000Z'),
      labelLine('l5', 'nobody', 'on nothing', '2026-01-08T00:00:00.000Z'),
    ),
    '--v--/b.jsonl': fileOf(
      headerLine({ id: 'B', cwd: '/v' }),
      userLine('u1', null, 'hi'),
      labelLine('l1', 'u1', 'undated', 'x'),
    ),
  });
  const second = makeAgent({
    '--w--/c.jsonl': fileOf(
      headerLine({ id: 'C' }),
      userLine('u1', null, 'hi'),
      labelLine('l1', 'u1', 'between', '2026-01-04T00:00:00.000Z'),
    ),
  });
  const labels = labelsOf([first, second]);
  expect(labels.map(({ id, label, cwd }) => [id, label, cwd])).toEqual([
    ['A', 'new', '/w'],
    ['C', 'between', '/w'],
    ['B', 'undated', '/v'],
  ]);
  expect(labels[0]).toMatchObject({ entryId: 'u1', line: 2, labelledMs: Date.UTC(2026, 0, 5), role: 'user' });
  expect(labels[0]?.text).toBe(text.slice(0, 2_000));
  expect(labels[2]?.labelledMs).toBeNull();
});

test('a file that cannot be read is reported and passed over', () => {
  const agentDir = makeAgent({
    '--w--/a.jsonl': fileOf(
      headerLine(),
      userLine('u1', null, 'hi'),
      labelLine('l1', 'u1', 'x', '2026-01-04T00:00:00.000Z'),
    ),
  });
  fs.symlinkSync('/nowhere', join(agentDir, 'sessions', '--w--', 'gone.jsonl'));
  const problems: string[] = [];
  expect(labelsOf([agentDir], ({ code }) => problems.push(code))).toHaveLength(1);
  expect(problems).toEqual(['not_found']);
});
