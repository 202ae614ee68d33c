import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { branchAt } from '../../src/actions/branch.ts';
import { setLabel } from '../../src/actions/label.ts';
import { takeBack, undoLast } from '../../src/actions/undo.ts';
import { userLine } from '../session/session-text.ts';
import { holdOpen, linesOf, makePlace, reopened, stateOf, TWO_BRANCHES } from './place.ts';

const inPlace = { isNew: false };
const newFile = { isNew: true };

describe('undoing', () => {
  test('takes changes back one by one, until the file is as it was', async () => {
    const { path, target, options } = makePlace();
    await setLabel(target, 'a2', 'one', options);
    await setLabel(target, 'a2', 'two', options);
    await branchAt(target, 'a2', inPlace, options);
    const made = [(await undoLast(options)).how, (await undoLast(options)).how, (await undoLast(options)).how];
    expect(made).toEqual(['cut_off', 'cut_off', 'cut_off']);
    expect(fs.readFileSync(path, 'utf8')).toBe(TWO_BRANCHES);
    await expect(undoLast(options)).rejects.toMatchObject({ code: 'not_found' });
  });

  test.each([
    ['sets the former label', 'before', 'before'],
    ['clears the label where there was none', undefined, undefined],
  ])('a label with more behind it %s by another line', async (_what, former, expected) => {
    const { path, target, options } = makePlace();
    if (former !== undefined) await setLabel(target, 'a2', former, options);
    await setLabel(target, 'a2', 'now', options);
    const last = linesOf(path).at(-1);
    fs.appendFileSync(path, `${userLine('u4', String(last?.['id']), 'went on')}\n`);
    const lineCount = linesOf(path).length;
    expect((await undoLast(options)).how).toBe('appended');
    const after = await reopened(path);
    expect(after.labels.get('a2')).toBe(expected);
    expect(after.pathIds.at(-2)).toBe('u4');
    expect(linesOf(path)).toHaveLength(lineCount + 1);
  });

  test('a label that was changed since is refused', async () => {
    const { path, target, options } = makePlace();
    await setLabel(target, 'a2', 'ours', options);
    const theirs = { type: 'label', id: 'theirs', parentId: 'a3', timestamp: 'x', targetId: 'a2', label: 'theirs' };
    fs.appendFileSync(path, `${JSON.stringify(theirs)}\n`);
    const before = stateOf(path);
    await expect(undoLast(options)).rejects.toMatchObject({ code: 'changed_on_disk' });
    expect(stateOf(path)).toEqual(before);
  });

  test('a branch in place is refused once the session went on, and says so', async () => {
    const { path, target, options } = makePlace();
    const { leafId } = await branchAt(target, 'a2', inPlace, options);
    fs.appendFileSync(path, `${userLine('u4', leafId, 'went on')}\n`);
    const before = stateOf(path);
    const refusal = { code: 'changed_on_disk', message: expect.stringContaining('has gone on since') };
    await expect(undoLast(options)).rejects.toMatchObject(refusal);
    expect(stateOf(path)).toEqual(before);
  });

  test('a line of the same length in its place is no line of ours', async () => {
    const { path, target, options } = makePlace();
    await branchAt(target, 'a2', inPlace, options);
    const text = fs.readFileSync(path, 'utf8');
    fs.writeFileSync(path, text.replace(/"fromId":"a2"/, '"fromId":"a1"'));
    await expect(undoLast(options)).rejects.toMatchObject({ code: 'changed_on_disk' });
  });

  test('a copy that took the place of the file is left alone', async () => {
    const { path, target, options } = makePlace();
    await branchAt(target, 'a2', inPlace, options);
    fs.copyFileSync(path, `${path}.copy`);
    fs.renameSync(`${path}.copy`, path);
    const before = stateOf(path);
    await expect(undoLast(options)).rejects.toMatchObject({ code: 'changed_on_disk' });
    expect(stateOf(path)).toEqual(before);
  });

  test('a new file is removed, and nothing else', async () => {
    const { path, target, options } = makePlace();
    const folder = join(path, '..');
    const created = await branchAt(target, 'a2', newFile, options);
    expect(fs.readdirSync(folder)).toHaveLength(2);
    expect((await undoLast(options)).how).toBe('removed');
    expect(fs.existsSync(created.path)).toBe(false);
    expect(fs.readFileSync(path, 'utf8')).toBe(TWO_BRANCHES);
  });

  test.each([
    ['grew', (path: string) => fs.appendFileSync(path, `${userLine('u9', 'a2', 'more')}\n`)],
    ['has artifacts', (path: string) => fs.mkdirSync(path.replace(/\.jsonl$/, ''))],
  ])('a new file that %s is kept, with its path', async (_what, use) => {
    const { target, options } = makePlace();
    const created = await branchAt(target, 'a2', newFile, options);
    use(created.path);
    const refusal = { code: 'changed_on_disk', message: expect.stringContaining(created.path) };
    await expect(undoLast(options)).rejects.toMatchObject(refusal);
    expect(fs.existsSync(created.path)).toBe(true);
  });

  test.each([
    ['a label', (place: ReturnType<typeof makePlace>) => setLabel(place.target, 'a2', 'x', place.options)],
    ['a branch', (place: ReturnType<typeof makePlace>) => branchAt(place.target, 'a2', inPlace, place.options)],
    ['a new file', (place: ReturnType<typeof makePlace>) => branchAt(place.target, 'a2', newFile, place.options)],
  ])('%s is refused while another process has the file open, and can be undone later', async (_what, change) => {
    const place = makePlace();
    const { path } = await change(place);
    const before = stateOf(path);
    const pid = await holdOpen(path);
    const refusal = { code: 'live', message: expect.stringContaining(`process ${pid} `) };
    await expect(undoLast(place.options)).rejects.toMatchObject(refusal);
    expect(stateOf(path)).toEqual(before);
    expect(place.options.journal.last()?.change.path).toBe(path);
  });

  test('a session that is gone is said to be gone', async () => {
    const { path, target, options } = makePlace();
    await setLabel(target, 'a2', 'x', options);
    fs.unlinkSync(path);
    await expect(undoLast(options)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining(path),
    });
    expect(fs.existsSync(path)).toBe(false);
  });

  test('what is taken back is not undone a second time', async () => {
    const { path, target, options } = makePlace();
    await setLabel(target, 'a2', 'stays', options);
    const { journaled } = await branchAt(target, 'a2', inPlace, options);
    expect(journaled && (await takeBack(journaled, options)).how).toBe('cut_off');
    expect(linesOf(path)).toHaveLength(8);
    expect((await undoLast(options)).undone.change.kind).toBe('label');
  });
});
