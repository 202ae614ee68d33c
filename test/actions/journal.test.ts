import fs from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { setLabel } from '../../src/actions/label.ts';
import { undoLast } from '../../src/actions/undo.ts';
import { makePlace } from './place.ts';

describe('the journal', () => {
  test('is readable by its owner alone, in a folder of its own', async () => {
    const { target, options } = makePlace();
    await setLabel(target, 'a2', 'x', options);
    expect(fs.statSync(options.journal.path).mode & 0o777).toBe(0o600);
    expect(fs.statSync(dirname(options.journal.path)).mode & 0o777).toBe(0o700);
  });

  test.each([
    ['a torn line', '{"v":1,"type":"change","id":"torn","cha'],
    ['a line of a later version', '{"v":2,"type":"change","id":"later"}\n'],
    ['a line of an unknown type', '{"v":1,"type":"redone","of":"x"}\n'],
    ['what is no JSON', '\0\0\0\n\n'],
  ])('goes on behind %s', async (_what, damage) => {
    const { target, options } = makePlace();
    await setLabel(target, 'a1', 'one', options);
    fs.appendFileSync(options.journal.path, damage);
    const { journaled } = await setLabel(target, 'a2', 'two', options);
    expect(options.journal.last()).toEqual(journaled);
    await undoLast(options);
    expect(options.journal.last()?.change).toMatchObject({ kind: 'label', label: 'one' });
  });

  test('a change of a kind that this Bough does not know is not undone', async () => {
    const { target, options } = makePlace();
    await setLabel(target, 'a1', 'one', options);
    const line = fs.readFileSync(options.journal.path, 'utf8');
    const strange = line.replace('"kind":"label"', '"kind":"moved"').replace(/"id":"[^"]+"/, '"id":"strange"');
    fs.appendFileSync(options.journal.path, strange);
    await expect(undoLast(options)).rejects.toMatchObject({ code: 'refused' });
    expect(options.journal.last()?.id).toBe('strange');
  });

  test('a change that another living process is undoing is passed over', async () => {
    const { target, options } = makePlace();
    const first = await setLabel(target, 'a1', 'one', options);
    const second = await setLabel(target, 'a2', 'two', options);
    const claim = await options.journal.claim(second.journaled?.id ?? '');
    expect(options.journal.last()).toEqual(first.journaled);
    expect(await options.journal.claim(second.journaled?.id ?? '')).toBeUndefined();
    await options.journal.release(second.journaled?.id ?? '', claim ?? '');
    expect(options.journal.last()).toEqual(second.journaled);
  });

  test.each([
    ['whose process has died', { pid: 2 ** 30, at: new Date().toISOString() }],
    ['from long ago', { pid: process.pid, at: '2026-01-01T00:00:00.000Z' }],
  ])('an undoing %s counts for nothing', async (_what, fields) => {
    const { target, options } = makePlace();
    const { journaled } = await setLabel(target, 'a1', 'one', options);
    const line = { v: 1, type: 'undoing', of: journaled?.id, claim: 'c', ...fields };
    fs.appendFileSync(options.journal.path, `${JSON.stringify(line)}\n`);
    expect(options.journal.last()).toEqual(journaled);
    expect((await undoLast(options)).undone).toEqual(journaled);
  });
});
