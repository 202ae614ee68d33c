import { describe, expect, it } from 'vitest';
import type { SessionRow } from '../../src/catalog/session-row.ts';
import { updateApp } from '../../src/model/app.ts';
import type { AppEffect } from '../../src/model/app-state.ts';
import { overlayLines } from '../../src/model/overlay-text.ts';
import { selectedHit } from '../../src/model/picker.ts';
import type { TextHit } from '../../src/model/text-hits.ts';
import type { Transcript } from '../../src/session/transcript.ts';
import { AppDriver } from './app-driver.ts';
import { NOW_MS, sessionRows } from './rows.ts';

const rows = sessionRows(5);

const hit = (row: SessionRow | undefined, entryId: string): TextHit => ({
  path: row?.path ?? '',
  id: row?.id ?? null,
  entryId,
  role: 'user',
  snippet: `two zebra words in ${entryId}`,
  timeMs: NOW_MS,
  match: 'words',
  place: 'prompt',
});

/** The screens with a search line that no session's own row matches, and these hits. */
function searched(line: string, hits: readonly TextHit[]): AppDriver {
  const app = new AppDriver(rows).press(...line);
  app.search();
  return app.send({
    type: 'textsFound',
    seq: app.state.picker.textSearch?.seq ?? 0,
    found: { hits, isDone: true },
  });
}

it('Ctrl+T opens the tree at the hit, with its words to go on from', () => {
  const app = searched('"Zebra words" two', [hit(rows[2], 'a'), hit(rows[3], 'b')]).press('down', 'ctrl+t');
  expect(app.state.tree).toMatchObject({ path: rows[3]?.path, entryId: 'b', words: ['zebra', 'words', 'two'] });
});

it('Ctrl+T on a session’s own row searches nothing', () => {
  const app = new AppDriver(rows).press(...'Session 3');
  app.search().press('ctrl+t');
  expect(app.state.tree).toMatchObject({ entryId: undefined, words: [] });
});

it('F3 goes from hit to hit in the list and round, from a session’s row to the first', () => {
  const app = new AppDriver(rows).press(...'Session');
  app.search();
  const hits = [hit(rows[2], 'a'), hit(rows[3], 'b')];
  const seq = app.state.picker.textSearch?.seq ?? 0;
  app.send({ type: 'textsFound', seq, found: { hits, isDone: true } });
  const after = (key: string): string | undefined => selectedHit(app.press(key).state.picker)?.entryId ?? undefined;
  expect(after('up')).toBeUndefined();
  expect(['f3', 'f3', 'f3', 'shift+f3', 'shift+f3'].map(after)).toEqual(['a', 'b', 'a', 'b', 'a']);
  expect(['up', 'shift+f3'].map(after)).toEqual([undefined, 'b']);
});

it('F3 pressed before the answer waits for it, and any other key takes the wish back', () => {
  const app = new AppDriver(rows).press(...'Session');
  app.search().press('f3');
  const seq = app.state.picker.textSearch?.seq ?? 0;
  const found = { type: 'textsFound', seq, found: { hits: [hit(rows[2], 'a')], isDone: true } } as const;
  const changed = updateApp(updateApp(app.state, { type: 'keys', keys: [{ name: 'down', text: '' }] })[0], found)[0];
  expect(selectedHit(changed.picker)).toBeUndefined();
  expect(selectedHit(app.send(found).state.picker)?.entryId).toBe('a');
});

it('F3 without hits says why', () => {
  expect(new AppDriver(rows).press('f3').status()).toBe('✓ Type words to search for first');
  expect(searched('zebra', []).press('f3').status()).toBe('✓ No text holds these words');
});

describe('in the transcript', () => {
  /** A conversation of `count` entries of four lines; the named ones speak of zebra words. */
  const talk = (prefix: string, count: number, ...zebras: readonly number[]): Transcript => ({
    omitted: 0,
    damagedLines: 0,
    items: Array.from({ length: count }, (_, n) => ({
      entryId: `${prefix}${n}`,
      kind: 'user' as const,
      heading: 'user',
      text: zebras.includes(n) ? 'one\n\ntwo Zebra words' : 'one\n\ntwo',
      isError: false,
      timeMs: undefined,
      label: undefined,
    })),
  });

  const screen = (app: AppDriver): string => {
    const top = app.state.overlays.at(-1);
    if (top?.kind !== 'transcript') throw new Error('no transcript is open');
    const { heading, lines } = overlayLines(app.state, top);
    return [heading, ...lines].map((line) => line.map(({ text }) => text).join('')).join('\n');
  };
  const placeOf = (app: AppDriver): string | undefined => /hit \d+\/\d+/.exec(screen(app))?.[0];
  /** What was asked for last to fill the screen. */
  const asked = (app: AppDriver) =>
    app.effects.findLast((effect) => effect.type === 'readTranscript' && effect.use === 'screen') as
      | Extract<AppEffect, { type: 'readTranscript' }>
      | undefined;
  const read = (app: AppDriver, answer: Transcript): AppDriver =>
    app.send({ type: 'transcriptRead', seq: asked(app)?.seq ?? 0, transcript: answer });

  it('F3 goes from place to place, then to the next session’s first, and round', () => {
    const app = searched('zebra', [hit(rows[2], 'a30'), hit(rows[3], 'b1'), hit(rows[2], 'a5')]).press('ctrl+o');
    read(app, talk('a', 60, 5, 30, 50));
    expect(placeOf(app)).toBe('hit 2/3');
    expect(placeOf(app.press('f3'))).toBe('hit 3/3');
    app.press('f3');
    expect(asked(app)).toMatchObject({ path: rows[3]?.path, entryId: 'b1' });
    expect(app.state.overlays).toHaveLength(1);
    read(app, talk('b', 30, 1, 20));
    expect(placeOf(app)).toBe('hit 1/2');
    expect(selectedHit(app.state.picker)?.entryId).toBe('b1');
    app.press('f3', 'f3');
    expect(asked(app)).toMatchObject({ path: rows[2]?.path });
    read(app, talk('a', 60, 5, 30, 50));
    expect(placeOf(app)).toBe('hit 1/3');
  });

  it('Shift+F3 comes to the last place of the session before', () => {
    const app = searched('zebra', [hit(rows[2], 'a5'), hit(rows[3], 'b1')]).press('ctrl+o');
    read(app, talk('a', 60, 5));
    app.press('shift+f3');
    expect(asked(app)).toMatchObject({ path: rows[3]?.path });
    read(app, talk('b', 30, 1, 20));
    expect(placeOf(app)).toBe('hit 2/2');
  });

  it('a hit on another branch of the same session comes next, read anew', () => {
    const app = searched('zebra', [hit(rows[2], 'a5'), hit(rows[3], 'b1'), hit(rows[2], 'side')]).press('ctrl+o');
    read(app, talk('a', 60, 5));
    app.press('f3');
    expect(asked(app)).toMatchObject({ path: rows[2]?.path, entryId: 'side' });
  });

  it('what is found without its accents is a place too', () => {
    const app = searched('zebra', [hit(rows[2], 'a5')]).press('ctrl+o');
    const accented = talk('a', 60, 5, 30);
    const items = accented.items.map((item) => ({ ...item, text: item.text.replace('Zebra', 'Zébra') }));
    expect(placeOf(read(app, { ...accented, items }))).toBe('hit 1/2');
  });

  it('with hits nowhere else it goes round within', () => {
    const app = searched('zebra', [hit(rows[2], 'a5')]).press('ctrl+o');
    read(app, talk('a', 60, 5, 30));
    expect([placeOf(app), placeOf(app.press('f3')), placeOf(app.press('f3'))]).toEqual([
      'hit 1/2',
      'hit 2/2',
      'hit 1/2',
    ]);
  });

  it('after scrolling it goes on from what is in sight, and the words are marked', () => {
    const app = searched('zebra', [hit(rows[2], 'a5')]).press('ctrl+o');
    read(app, talk('a', 60, 5, 30, 50)).press('G');
    expect(placeOf(app)).toBeUndefined();
    expect(placeOf(app.press('shift+f3'))).toBe('hit 3/3');
    expect(placeOf(app.press('g', 'f3'))).toBe('hit 1/3');
    const top = app.state.overlays.at(-1);
    const { lines } = overlayLines(app.state, top?.kind === 'transcript' ? top : { kind: 'help', top: 0 });
    expect(lines.flat().filter(({ style }) => style === 'match')).toEqual([{ text: 'Zebra', style: 'match' }]);
  });
});
