import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { branchAt } from '../../src/actions/branch.ts';
import { setLabel } from '../../src/actions/label.ts';
import { takeBack, undoLast } from '../../src/actions/undo.ts';
import { linesOf, makePlace, type Place, reopened, stateOf, TWO_BRANCHES } from './place.ts';

const reason = 'its lock file does not say whose it is';

/** A fresh lock that names nobody: whether the file is open elsewhere cannot be known. */
function blindPlace(): Place {
  const place = makePlace();
  fs.writeFileSync(join(dirname(place.path), `.${basename(place.path)}.lock`), 'whose?');
  return place;
}

test('where it cannot be known who has a session open, a line may be appended, and that is said', async () => {
  const { target, options } = blindPlace();
  expect((await setLabel(target, 'a2', 'x', options)).said).toContain(reason);
  expect((await branchAt(target, 'a2', { isNew: false }, options)).said).toContain(reason);
});

test('a label is then undone by another line, since cutting one off could take away somebody else’s', async () => {
  const { path, target, options } = blindPlace();
  await setLabel(target, 'a2', 'x', options);
  expect((await undoLast(options)).how).toBe('appended');
  expect(linesOf(path)).toHaveLength(9);
  expect((await reopened(path)).labels.size).toBe(0);
});

test.each([
  ['in place', false],
  ['as a new file', true],
])('a branch %s is then not undone, with the reason', async (_how, isNew) => {
  const { target, options } = blindPlace();
  const { path } = await branchAt(target, 'a2', { isNew }, options);
  fs.writeFileSync(join(dirname(path), `.${basename(path)}.lock`), 'whose?');
  const before = stateOf(path);
  const refusal = { code: 'refused', message: expect.stringContaining(reason) };
  await expect(undoLast(options)).rejects.toMatchObject(refusal);
  expect(stateOf(path)).toEqual(before);
});

test('what was appended a moment ago is taken back all the same', async () => {
  const { path, target, options } = blindPlace();
  const { journaled } = await branchAt(target, 'a2', { isNew: false }, options);
  expect(journaled && (await takeBack(journaled, options)).how).toBe('cut_off');
  expect(fs.readFileSync(path, 'utf8')).toBe(TWO_BRANCHES);
});
