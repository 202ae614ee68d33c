import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { branchAt } from '../../src/actions/branch.ts';
import { Journal } from '../../src/actions/journal.ts';
import { setLabel } from '../../src/actions/label.ts';
import { FileSessionStorage } from '../../src/session/session-storage.ts';
import { FaultyStorage } from '../session/faulty-storage.ts';
import { makeTempDir } from '../session/temp-dir.ts';
import { linesOf, makePlace, mountSmall, reopened, stateOf, TWO_BRANCHES } from './place.ts';

const inPlace = { isNew: false };

/** Fills a file system to its last byte; gives the way to free it. */
function fill(dir: string): () => void {
  const filler = join(dir, 'filler');
  const fd = fs.openSync(filler, 'w');
  try {
    for (;;) fs.writeSync(fd, Buffer.alloc(512));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  } finally {
    fs.closeSync(fd);
  }
  return () => fs.unlinkSync(filler);
}

describe('a full disk', () => {
  test('leaves the file as it was, and the change can be made once there is room (W01)', async ({ skip }) => {
    const small = mountSmall(64 * 1024);
    if (small === undefined) return skip('needs a file system of its own');
    // Its last block is full, so that not a byte more can be written.
    const text = TWO_BRANCHES.padEnd(Math.ceil((TWO_BRANCHES.length + 1) / 4096) * 4096 - 1, ' ').concat('\n');
    const { path, target } = makePlace(text, 'xcsh', small.dir);
    const options = { journal: new Journal(makeTempDir()) };
    const empty = fill(small.dir);
    for (const change of [
      () => setLabel(target, 'a2', 'x', options),
      () => branchAt(target, 'a2', inPlace, options),
      () => branchAt(target, 'a2', { isNew: true }, options),
    ]) {
      await expect(change()).rejects.toMatchObject({ code: 'disk_full' });
      expect(fs.readFileSync(path, 'utf8')).toBe(text);
      expect(fs.readdirSync(join(path, '..'))).toHaveLength(1);
      expect(options.journal.last()).toBeUndefined();
    }
    empty();
    await setLabel(target, 'a2', 'x', options);
    expect((await reopened(path)).labels.get('a2')).toBe('x');
  });

  test('a line that arrives in part is cut off again', async ({ skip }) => {
    const small = mountSmall(64 * 1024);
    if (small === undefined) return skip('needs a file system of its own');
    const { path, target } = makePlace(TWO_BRANCHES, 'xcsh', small.dir);
    fill(small.dir);
    const long = { ...inPlace, summary: 'why '.repeat(5_000) };
    const branch = branchAt(target, 'a2', long, { journal: new Journal(makeTempDir()) });
    await expect(branch).rejects.toMatchObject({ code: 'disk_full' });
    expect(fs.readFileSync(path, 'utf8')).toBe(TWO_BRANCHES);
  });

  test('a change that the journal has no room for is taken back', async ({ skip }) => {
    const small = mountSmall(64 * 1024);
    if (small === undefined) return skip('needs a file system of its own');
    const { path, target } = makePlace();
    const journal = new Journal(join(small.dir, 'state'));
    await journal.prepare();
    fill(small.dir);
    const refusal = { code: 'disk_full', message: expect.stringContaining('the change was taken back') };
    await expect(setLabel(target, 'a2', 'x', { journal })).rejects.toMatchObject(refusal);
    await expect(branchAt(target, 'a2', { isNew: true }, { journal })).rejects.toMatchObject({ code: 'disk_full' });
    expect(fs.readFileSync(path, 'utf8')).toBe(TWO_BRANCHES);
    expect(fs.readdirSync(join(path, '..'))).toHaveLength(1);
  });
});

test.each([
  ['openWriter', 'EACCES', 'no_permission'],
  ['writeLine', 'ENOSPC', 'disk_full'],
  ['fsync', 'EIO', 'io'],
] as const)('when %s fails, nothing of the line stays', async (call, code, expected) => {
  const { path, target, options } = makePlace();
  const storage = new FaultyStorage(new FileSessionStorage(), [{ nth: 1, call, code }]);
  await expect(setLabel(target, 'a2', 'x', { ...options, storage })).rejects.toMatchObject({ code: expected });
  expect(fs.readFileSync(path, 'utf8')).toBe(TWO_BRANCHES);
  expect(options.journal.last()).toBeUndefined();
});

test('a new file that cannot be finished is removed', async () => {
  const { path, target, options } = makePlace();
  const faults = [1, 2, 3, 4, 5].map((nth) => ({ nth, call: 'writeLine', code: 'ENOSPC' }) as const);
  const storage = new FaultyStorage(new FileSessionStorage(), faults);
  const branch = branchAt(target, 'a2', { isNew: true, summary: 'why' }, { ...options, storage });
  await expect(branch).rejects.toMatchObject({ code: 'disk_full' });
  expect(storage.calls).toContain('createFileSync');
  expect(fs.readdirSync(join(path, '..'))).toHaveLength(1);
  expect(options.journal.last()).toBeUndefined();
});

describe('what may only be read', () => {
  test('is left as it is, in all three ways', async ({ skip }) => {
    const small = mountSmall(1024 * 1024);
    if (small === undefined) return skip('needs a file system of its own');
    const { path, target } = makePlace(TWO_BRANCHES, 'xcsh', small.dir);
    const options = { journal: new Journal(makeTempDir()) };
    const before = stateOf(path);
    small.remount('ro');
    for (const change of [
      () => setLabel(target, 'a2', 'x', options),
      () => branchAt(target, 'a2', inPlace, options),
      () => branchAt(target, 'a2', { isNew: true }, options),
    ]) {
      await expect(change()).rejects.toMatchObject({ code: 'no_permission' });
      expect(stateOf(path)).toEqual(before);
    }
    expect(options.journal.last()).toBeUndefined();
  });

  test('a journal that cannot be written stops a change before it is made', async () => {
    const { dir, path, target } = makePlace();
    const inTheWay = join(dir, 'state');
    fs.writeFileSync(inTheWay, 'a file');
    const before = stateOf(path);
    const change = setLabel(target, 'a2', 'x', { journal: new Journal(inTheWay) });
    await expect(change).rejects.toMatchObject({ code: 'already_exists', path: inTheWay });
    expect(stateOf(path)).toEqual(before);
    expect(linesOf(path)).toHaveLength(7);
  });
});
