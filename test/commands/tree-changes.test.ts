import { appendFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { ChangingSession } from '../../src/actions/changing-session.ts';
import { findAgentRoots } from '../../src/agents/agents.ts';
import { type Changes, openChanges } from '../../src/commands/change-client.ts';
import type { BranchWish } from '../../src/model/branch-dialog.ts';
import { type FileStamp, SessionFile } from '../../src/session/scan.ts';
import { defaultSettings } from '../../src/settings.ts';
import { AgentFolder } from '../e2e/agent-folder.ts';
import { addSample } from '../e2e/sample-sessions.ts';

const WORKER = new URL('../../src/worker.ts', import.meta.url);
const FOREIGN = '{"type":"custom","id":"c1","parentId":"a1","timestamp":"2026-03-03T00:00:01.000Z"}\n';

let folder: AgentFolder;
let changes: Changes;
afterEach(async () => {
  await changes.close();
  folder[Symbol.dispose]();
});

/** A session of one turn, and the thread that changes it. */
function open(worker = WORKER): string {
  folder = new AgentFolder();
  const path = addSample(folder, { id: '00000000000000a1', prompt: 'mend it', at: '2026-03-03T00:00:00.000Z' });
  const roots = findAgentRoots([folder.path]);
  const { home, project: cwd } = folder;
  changes = openChanges(worker, {
    roots,
    cwd,
    home,
    env: { HOME: home },
    nowMs: Date.now(),
    settings: defaultSettings,
  });
  return path;
}

function stampOf(path: string): FileStamp {
  using file = new SessionFile(path);
  return file.stamp;
}

/** What the lines behind the first three say, in order. */
function added(path: string): unknown[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(3);
  return lines.map((line) => {
    const { type, targetId, label, fromId } = JSON.parse(line) as Record<string, unknown>;
    return type === 'label' ? [targetId, label] : [type, fromId];
  });
}

function wishFor(path: string, seen: FileStamp): BranchWish {
  const point = { path, at: 0, entryId: 'a1', seen, choices: [] };
  return { ...point, way: 'in_place', summary: 'why', copied: undefined };
}

it('a file that has changed since it was shown is neither labelled nor branched, and the reason is told', async () => {
  const path = open();
  const seen = stampOf(path);
  appendFileSync(path, FOREIGN);
  const before = readFileSync(path);
  await expect(changes.setLabel(path, 'u1', 'x', seen)).rejects.toMatchObject({
    code: 'changed_on_disk',
    message: `${path} has changed since it was read`,
  });
  await expect(changes.branch(wishFor(path, seen))).rejects.toThrow('has changed since it was read');
  const answer = await changes.planBranch({ path, at: 0, entryId: 'u1', seen, choices: [] });
  expect(answer.inPlace).toMatchObject({ kind: 'refused', reason: expect.stringContaining('has changed') });
  expect(answer.newFile.kind).toBe('refused');
  expect(readFileSync(path)).toEqual(before);
});

it('two labels set in one breath are both kept', async () => {
  const path = open();
  const seen = stampOf(path);
  const said = await Promise.all([
    changes.setLabel(path, 'u1', 'one', seen),
    changes.setLabel(path, 'a1', 'two', seen),
  ]);
  expect(said).toEqual(['labelled u1 "one"', 'labelled a1 "two"']);
  expect(added(path)).toEqual([
    ['u1', 'one'],
    ['a1', 'two'],
  ]);
});

it('a foreign change between two labels refuses the second one', async () => {
  const path = open();
  const seen = stampOf(path);
  await changes.setLabel(path, 'u1', 'one', seen);
  appendFileSync(path, FOREIGN);
  await expect(changes.setLabel(path, 'a1', 'two', seen)).rejects.toMatchObject({ code: 'changed_on_disk' });
  expect(added(path)).toEqual([
    ['u1', 'one'],
    ['custom', undefined],
  ]);
});

it('a foreign change of as many bytes refuses the second label too', async () => {
  const path = open();
  const seen = stampOf(path);
  await changes.setLabel(path, 'u1', 'one', seen);
  writeFileSync(path, readFileSync(path, 'utf8').replace('mend it', 'rend it'));
  // The clock of a file system may stand still for some milliseconds.
  utimesSync(path, new Date(), new Date(Date.now() + 1_000));
  await expect(changes.setLabel(path, 'a1', 'two', seen)).rejects.toMatchObject({ code: 'changed_on_disk' });
});

it('label, undo, label and undo in one breath leave the file as it was', async () => {
  const path = open();
  const seen = stampOf(path);
  const before = readFileSync(path);
  const said = await Promise.all([
    changes.setLabel(path, 'u1', 'one', seen),
    changes.undo(),
    changes.setLabel(path, 'a1', 'two', seen),
    changes.undo(),
  ]);
  expect(said[3]).toBe(`cut the line off ${path}: a1 has no label again`);
  expect(readFileSync(path)).toEqual(before);
});

it('a label that is changed by undoing behind another one can be set again in the same breath', async () => {
  const path = open();
  const seen = stampOf(path);
  await Promise.all([changes.setLabel(path, 'u1', 'one', seen), changes.setLabel(path, 'u1', 'two', seen)]);
  await Promise.all([changes.undo(), changes.setLabel(path, 'u1', 'three', seen)]);
  expect(added(path)).toEqual([
    ['u1', 'one'],
    ['u1', 'three'],
  ]);
});

it('a branch right behind a label is planned and made', async () => {
  const path = open();
  const seen = stampOf(path);
  const label = changes.setLabel(path, 'u1', 'one', seen);
  const answer = await changes.planBranch({ path, at: 0, entryId: 'u1', seen, choices: [] });
  expect(answer.inPlace).toEqual({ kind: 'possible', announcement: `appends one line to ${path}` });
  expect(answer.newFile.kind).toBe('refused');
  await label;
  // From before its first message.
  expect((await changes.branch({ ...wishFor(path, seen), entryId: 'u1' })).kind).toBe('appended');
  expect(added(path)).toEqual([
    ['u1', 'one'],
    ['branch_summary', 'root'],
  ]);
});

it('closing waits for what was to be changed', async () => {
  const path = open();
  const label = changes.setLabel(path, 'u1', 'one', stampOf(path));
  await changes.close();
  expect(added(path)).toEqual([['u1', 'one']]);
  await label;
});

it('a session is read and labelled in another thread than the one that draws', async () => {
  const path = open();
  // Long enough that reading it outweighs a message to another thread.
  let parent = 'a1';
  const lines = Array.from({ length: 60_000 }, (_, n) => {
    const line = { type: 'custom', id: `x${n}`, parentId: parent, timestamp: '2026-03-03T00:00:01.000Z', n };
    parent = line.id;
    return `${JSON.stringify(line)}\n`;
  });
  appendFileSync(path, lines.join(''));
  await changes.setLabel(path, 'u1', 'starts the thread', undefined);
  const start = process.threadCpuUsage();
  new ChangingSession({ path, agent: 'xcsh' })[Symbol.dispose]();
  const reading = process.threadCpuUsage(start).user;
  const asked = process.threadCpuUsage();
  await changes.setLabel(path, 'a1', 'x', undefined);
  expect(process.threadCpuUsage(asked).user).toBeLessThan(reading / 2);
  expect(added(path).at(-1)).toEqual(['a1', 'x']);
});

it('a thread that cannot start is told as a reason, and as a refusal of every branch', async () => {
  const path = open(new URL('./no-such-worker.js', import.meta.url));
  await expect(changes.setLabel(path, 'u1', 'x', undefined)).rejects.toMatchObject({ code: 'io' });
  const answer = await changes.planBranch({ path, at: 0, entryId: 'u1', seen: undefined, choices: [] });
  expect(answer.resume).toMatchObject({ kind: 'refused', reason: expect.stringContaining('the thread for changes') });
});
