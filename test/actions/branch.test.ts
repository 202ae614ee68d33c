import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { branchAt } from '../../src/actions/branch.ts';
import { planBranch } from '../../src/actions/branch-plan.ts';
import { setLabel } from '../../src/actions/label.ts';
import { fileOf, userLine } from '../session/session-text.ts';
import { holdOpen, linesOf, makePlace, reopened, stateOf, TWO_BRANCHES } from './place.ts';

const inPlace = { isNew: false };
const newFile = { isNew: true };

describe('a plan', () => {
  test.each([
    ['a2', inPlace, 'append', 'appends one line to '],
    ['a2', newFile, 'new_file', 'writes a new file beside '],
    ['a3', inPlace, 'already', 'already at this point'],
  ] as const)('for %s says what will happen, and changes nothing', async (entry, wish, kind, announcement) => {
    const { path, target, options } = makePlace();
    const before = stateOf(path);
    expect(await planBranch(target, entry, wish)).toMatchObject({
      kind,
      path,
      fromId: entry,
      announcement: expect.stringContaining(announcement),
    });
    expect(stateOf(path)).toEqual(before);
    expect(fs.existsSync(options.journal.path)).toBe(false);
  });
});

describe('in place', () => {
  test('the session goes on from the entry, by one line that no model sees', async () => {
    const { path, target, options } = makePlace();
    const outcome = await branchAt(target, 'a2', inPlace, options);
    expect(linesOf(path).at(-1)).toMatchObject({ type: 'branch_summary', parentId: 'a2', fromId: 'a2', summary: '' });
    const after = await reopened(path);
    expect(after.leafId).toBe(outcome.leafId);
    expect(after.pathIds).toEqual(['u1', 'a1', 'u2', 'a2', outcome.leafId]);
    expect(after.context.messages).toHaveLength(4);
    expect(fs.readFileSync(path, 'utf8').startsWith(TWO_BRANCHES)).toBe(true);
  });

  test("at a user's message it goes on from the message before, with the text to send again", async () => {
    const { path, target, options } = makePlace();
    const outcome = await branchAt(target, 'u2', inPlace, options);
    expect(outcome).toMatchObject({ fromId: 'a1', text: 'second question' });
    expect((await reopened(path)).pathIds).toEqual(['u1', 'a1', outcome.leafId]);
  });

  test('at an extension message it goes on from the entry before', async () => {
    const custom = { type: 'custom_message', customType: 'x', content: 'hello', display: true, timestamp: 'x' };
    const text = `${TWO_BRANCHES}${JSON.stringify({ ...custom, id: 'c1', parentId: 'a3' })}\n${userLine('u4', 'c1', 'd')}\n`;
    const { target, options } = makePlace(text);
    expect(await branchAt(target, 'c1', inPlace, options)).toMatchObject({ fromId: 'a3', text: 'hello' });
  });

  test('at the first message it goes on from nothing', async () => {
    const { path, target, options } = makePlace();
    expect(await branchAt(target, 'u1', inPlace, options)).toMatchObject({ kind: 'appended', fromId: null });
    expect(linesOf(path).at(-1)).toMatchObject({ parentId: null, fromId: 'root' });
    expect((await reopened(path)).context.messages).toEqual([]);
  });

  test("the model is told the user's summary", async () => {
    const { path, target, options } = makePlace();
    await branchAt(target, 'a2', { ...inPlace, summary: 'the better way failed' }, options);
    const { messages } = (await reopened(path)).context;
    expect(messages.at(-1)).toMatchObject({ role: 'branchSummary', summary: 'the better way failed' });
  });

  test('where the session goes on already, behind labels and pins too, nothing is written', async () => {
    const { path, target, options } = makePlace();
    await branchAt(target, 'a2', inPlace, options);
    await setLabel(target, 'u1', 'x', options);
    const before = stateOf(path);
    const { leafId } = await reopened(path);
    expect(await branchAt(target, 'a2', inPlace, options)).toMatchObject({
      kind: 'already',
      leafId,
      journaled: undefined,
    });
    expect(stateOf(path)).toEqual(before);
  });

  test('a damaged parent is passed over, as agents do not see it', async () => {
    const text = TWO_BRANCHES.replace('"text":"first answer"', '"text":oops');
    const { path, target, options } = makePlace(text);
    expect(await branchAt(target, 'u2', inPlace, options)).toMatchObject({ fromId: 'u1' });
    expect((await reopened(path)).context.messages).toHaveLength(1);
  });

  test('an open session is left alone, and the process is named', async () => {
    const { path, target, options } = makePlace();
    const pid = await holdOpen(path);
    const before = stateOf(path);
    const refusal = { code: 'live', message: expect.stringContaining(`process ${pid} `) };
    await expect(planBranch(target, 'a2', inPlace)).rejects.toMatchObject(refusal);
    await expect(branchAt(target, 'a2', inPlace, options)).rejects.toMatchObject(refusal);
    expect(stateOf(path)).toEqual(before);
  });
});

describe('as a new file', () => {
  test('the way to the entry is copied with its labels and title, and the source stays', async () => {
    const { path, target, options } = makePlace();
    await setLabel(target, 'a1', 'kept', options);
    await setLabel(target, 'a3', 'left behind', options);
    const before = stateOf(path);
    const outcome = await branchAt(target, 'a2', newFile, options);
    expect(stateOf(path)).toEqual(before);
    expect(linesOf(outcome.path)[0]).toMatchObject({ type: 'session', title: 'Two ways', parentSession: path });
    const branched = await reopened(outcome.path);
    expect(branched.pathIds.slice(0, 4)).toEqual(['u1', 'a1', 'u2', 'a2']);
    expect(branched.labels).toEqual(new Map([['a1', 'kept']]));
    expect(branched.leafId).toBe(outcome.leafId);
    expect(fs.statSync(outcome.path).mode & 0o777).toBe(0o600);
  });

  test("pi's title, which is an entry, comes along from another branch", async () => {
    const named = { type: 'session_info', id: 's1', parentId: 'a3', timestamp: 'x', name: 'Named late' };
    const { target, options } = makePlace(TWO_BRANCHES + fileOf(JSON.stringify(named)), 'pi');
    const { path, leafId } = await branchAt(target, 'a2', newFile, options);
    expect(linesOf(path).at(-1)).toMatchObject({
      type: 'session_info',
      name: 'Named late',
      parentId: 'a2',
      id: leafId,
    });
  });

  test('a large image goes to a blob in the dialect that has them, and stays inline in the other', async () => {
    const image = Buffer.from('an image '.repeat(300)).toString('base64');
    const content = `[{"type":"image","mimeType":"image/png","data":"${image}"}]`;
    const text = TWO_BRANCHES.replace('"second question"', content);
    for (const [agent, isInline] of [
      ['xcsh', false],
      ['pi', true],
    ] as const) {
      const { target, options } = makePlace(text, agent);
      const { path } = await branchAt(target, 'a2', newFile, options);
      expect(fs.readFileSync(path, 'utf8').includes(image)).toBe(isInline);
    }
  });

  test('a session that is open elsewhere can be branched, as it is only read', async () => {
    const { path, target, options } = makePlace();
    await holdOpen(path);
    const before = stateOf(path);
    expect((await branchAt(target, 'a2', newFile, options)).kind).toBe('created');
    expect(stateOf(path)).toEqual(before);
  });

  test('a summary is the last thing in it', async () => {
    const { target, options } = makePlace();
    const { path, leafId } = await branchAt(target, 'a2', { ...newFile, summary: 'why' }, options);
    expect(linesOf(path).at(-1)).toMatchObject({ type: 'branch_summary', id: leafId, summary: 'why', parentId: 'a2' });
  });

  test.each([
    ['before the first message', TWO_BRANCHES, 'u1'],
    ['of an older version', TWO_BRANCHES.replace('"version":3', '"version":2'), 'a2'],
  ])('%s there is none', async (_what, text, entry) => {
    const { path, target, options } = makePlace(text);
    const before = stateOf(path);
    await expect(branchAt(target, entry, newFile, options)).rejects.toMatchObject({ code: 'refused' });
    expect(stateOf(path)).toEqual(before);
    expect(fs.readdirSync(dirname(path))).toHaveLength(1);
  });

  test('no breadcrumb is written, in place or anew', async () => {
    vi.stubEnv('TMUX_PANE', '%9');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { dir, target, options } = makePlace();
    await branchAt(target, 'a2', inPlace, options);
    await branchAt(target, 'a3', newFile, options);
    expect(fs.existsSync(join(dir, 'agent', 'terminal-sessions'))).toBe(false);
  });
});
