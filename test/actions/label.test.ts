import fs from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Journal } from '../../src/actions/journal.ts';
import { setLabel } from '../../src/actions/label.ts';
import { undoLast } from '../../src/actions/undo.ts';
import { assistantLine, fileOf, headerLine, userLine } from '../session/session-text.ts';
import { linesOf, makePlace, reopened, stateOf, TWO_BRANCHES } from './place.ts';

describe('a label', () => {
  test.each(['xcsh', 'pi'] as const)(
    'hangs from the last entry of a file of %s, so the context stays',
    async (agent) => {
      const { path, target, options } = makePlace(TWO_BRANCHES, agent);
      const before = await reopened(path);
      const outcome = await setLabel(target, 'a2', ' plan a ', options);
      expect(outcome).toMatchObject({ entryId: 'a2', label: 'plan a', formerLabel: null });
      expect(linesOf(path).at(-1)).toMatchObject({ type: 'label', parentId: 'a3', targetId: 'a2', label: 'plan a' });
      const after = await reopened(path);
      expect(after.context).toEqual(before.context);
      expect(after.pathIds.slice(0, -1)).toEqual(before.pathIds);
      expect(after.labels).toEqual(new Map([['a2', 'plan a']]));
    },
  );

  test('is changed and cleared, each time by one line', async () => {
    const { path, target, options } = makePlace();
    await setLabel(target, '#5', 'one', options);
    expect(await setLabel(target, 'a2', 'two', options)).toMatchObject({ label: 'two', formerLabel: 'one' });
    expect(await setLabel(target, 'a2', undefined, options)).toMatchObject({ label: null, formerLabel: 'two' });
    expect((await reopened(path)).labels.size).toBe(0);
    // All dialects read a label that is not there as a clearing.
    expect(Object.keys(linesOf(path).at(-1) ?? {})).not.toContain('label');
    expect(linesOf(path)).toHaveLength(10);
  });

  test.each([
    ['the label that it has', 'same'],
    ['none where it has none', undefined],
  ])('of %s writes nothing', async (_what, label) => {
    const { path, target, options } = makePlace();
    if (label !== undefined) await setLabel(target, 'a2', label, options);
    const before = stateOf(path);
    const last = options.journal.last();
    expect((await setLabel(target, 'a2', label, options)).journaled).toBeUndefined();
    expect(stateOf(path)).toEqual(before);
    expect(options.journal.last()).toEqual(last);
  });

  test('behind a torn last line completes it first, and undoing leaves it torn', async () => {
    const torn = `${TWO_BRANCHES}{"type":"message","id":"torn","parentId":"a3","mess`;
    const { path, target, options } = makePlace(torn);
    await setLabel(target, 'a3', 'x', options);
    const [label, damaged] = fs.readFileSync(path, 'utf8').trimEnd().split('\n').reverse();
    expect(JSON.parse(label ?? '')).toMatchObject({ parentId: 'a3' });
    expect(torn.endsWith(`\n${damaged}`)).toBe(true);
    await undoLast(options);
    expect(fs.readFileSync(path, 'utf8')).toBe(torn);
  });

  test('keeps one line of text', async () => {
    const { target, options } = makePlace();
    expect((await setLabel(target, 'a2', 'a\nb\u001b[31m', options)).label).toBe('a b [31m');
  });
});

describe('refused, with the file as it was', () => {
  const glued = fileOf(headerLine(), userLine('u1', null, 'a') + assistantLine('a1', 'u1', 'b'));
  test.each([
    ['a file without a header', 'notes\n', 'xcsh', 'u1', 'not_a_session'],
    ['a torn header', `{"type":"sess\n${userLine('u1', null, 'a')}\n`, 'xcsh', 'u1', 'not_a_session'],
    ["omp's title line", fileOf('{"type":"title","v":1,"title":"t"}', headerLine()), 'xcsh', 'u1', 'refused'],
    ["a session of omp's", TWO_BRANCHES, 'omp', 'a1', 'refused'],
    ['a session of nobody known', TWO_BRANCHES, null, 'a1', 'refused'],
    ['a version without ids', TWO_BRANCHES.replace('"version":3,', ''), 'xcsh', '#2', 'refused'],
    ['a header that shares its line, for pi', TWO_BRANCHES.replace('\n', ' {}\n'), 'pi', 'a1', 'refused'],
    ['an unknown entry', TWO_BRANCHES, 'xcsh', 'nope', 'entry_not_found'],
    ['a last entry that shares its line', glued, 'xcsh', 'u1', 'refused'],
    ['the first of two entries of one id', `${TWO_BRANCHES}${userLine('u1', 'a3', 'c')}\n`, 'xcsh', '#2', 'refused'],
    [
      'a damaged entry',
      `${TWO_BRANCHES.replace('"content":"second question"', '"content":oops')}`,
      'xcsh',
      'u2',
      'refused',
    ],
  ] as const)('%s', async (_name, text, agent, entry, code) => {
    const { path, target, options } = makePlace(text, agent);
    const before = stateOf(path);
    await expect(setLabel(target, entry, 'x', options)).rejects.toMatchObject({ name: 'SessionError', code });
    expect(stateOf(path)).toEqual(before);
    expect(options.journal.last()).toBeUndefined();
  });

  test('a file that is another one than the user saw', async () => {
    const { path, target, options } = makePlace();
    const { size: sizeBytes, mtimeMs, ino: inode } = fs.statSync(path);
    fs.appendFileSync(path, `${userLine('u4', 'a3', 'meanwhile')}\n`);
    const before = stateOf(path);
    const changed = setLabel(target, 'a1', 'x', { ...options, seen: { sizeBytes, mtimeMs, inode } });
    await expect(changed).rejects.toMatchObject({ code: 'changed_on_disk' });
    expect(stateOf(path)).toEqual(before);
  });

  test('a file that another program wrote to while it was read', async () => {
    const { path, target, options } = makePlace();
    const theirs = `${userLine('u4', 'a3', 'meanwhile')}\n`;
    class LateJournal extends Journal {
      override async prepare(): Promise<void> {
        fs.appendFileSync(path, theirs);
      }
    }
    const journal = new LateJournal(dirname(options.journal.path));
    await expect(setLabel(target, 'a1', 'x', { journal })).rejects.toMatchObject({ code: 'changed_on_disk' });
    expect(fs.readFileSync(path, 'utf8')).toBe(TWO_BRANCHES + theirs);
    expect(journal.last()).toBeUndefined();
  });
});
