import { expect, it } from 'vitest';
import { modeOf } from '../../src/model/app-state.ts';
import type { Transcript } from '../../src/session/transcript.ts';
import { AppDriver } from './app-driver.ts';
import { batchOf, NOW_MS, sessionRow, sessionRows } from './rows.ts';

const rows = sessionRows(5);

it('Enter asks whether the selected session can be resumed, and leaves once it can', () => {
  const app = new AppDriver(rows).press('down', 'enter');
  expect(app.last('prepareResume')?.asking).toMatchObject({ path: rows[1]?.path, choices: [] });
  app.send({ type: 'resumeAnswered', seq: app.state.asking?.seq ?? 0, answer: { kind: 'ready' } });
  expect(app.last('exit')?.exit).toEqual({ kind: 'resume', path: rows[1]?.path, choices: [] });
});

it('Enter pressed twice asks once', () => {
  const app = new AppDriver(rows).press('enter', 'enter');
  expect(app.effects.filter(({ type }) => type === 'prepareResume')).toHaveLength(1);
});

it('an answer that comes after Esc changes nothing', () => {
  const app = new AppDriver(rows).press('enter');
  const seq = app.state.asking?.seq ?? 0;
  app.press('esc').send({ type: 'resumeAnswered', seq, answer: { kind: 'ready' } });
  expect(app.state.exit).toBeUndefined();
});

it('an answer about another session than the one asked for last changes nothing', () => {
  const app = new AppDriver(rows).press('enter');
  const seq = app.state.asking?.seq ?? 0;
  app.press('esc', 'down', 'enter').send({ type: 'resumeAnswered', seq, answer: { kind: 'ready' } });
  expect([app.state.exit, app.state.asking?.path]).toEqual([undefined, rows[1]?.path]);
});

it('a refusal says why, and offers to read the session or to copy its path', () => {
  const app = new AppDriver(rows).press('enter');
  app.send({
    type: 'resumeAnswered',
    seq: app.state.asking?.seq ?? 0,
    answer: { kind: 'refused', reason: 'no header' },
  });
  expect(app.menu()).toEqual(['Not resumed', 'Read the transcript', 'Copy the path', 'Back']);
  app.send({ type: 'chosen', index: 1 });
  expect(app.last('copy')?.text).toBe(rows[0]?.path);
  expect(modeOf(app.state)).toBe('picker');
});

it('a dialog stays with the session it was opened for while rows come in', () => {
  const app = new AppDriver(rows.slice(1)).press('enter');
  const path = app.state.asking?.path;
  app.send({ type: 'rowsRead', batch: batchOf(rows.slice(0, 1)) });
  app.send({ type: 'resumeAnswered', seq: app.state.asking?.seq ?? 0, answer: { kind: 'refused', reason: 'x' } });
  app.send({ type: 'rowsRead', batch: batchOf([sessionRow(9, { modifiedMs: NOW_MS })]) });
  app.send({ type: 'chosen', index: 1 });
  expect(app.last('copy')?.text).toBe(path);
});

it('a folder that is gone can be done without, and what was agreed to is handed on', () => {
  const app = new AppDriver(rows).press('enter');
  app.send({ type: 'resumeAnswered', seq: app.state.asking?.seq ?? 0, answer: { kind: 'folder_gone', cwd: '/gone' } });
  app.send({ type: 'chosen', index: 0 });
  expect(app.last('prepareResume')?.asking.choices).toEqual(['continue_here']);
  app.send({ type: 'resumeAnswered', seq: app.state.asking?.seq ?? 0, answer: { kind: 'outside', folder: '/tmp' } });
  app.send({ type: 'chosen', index: 1 });
  expect(app.last('prepareResume')?.asking.choices).toEqual(['continue_here', 'trust_folder']);
  app.send({ type: 'resumeAnswered', seq: app.state.asking?.seq ?? 0, answer: { kind: 'live', holder: 'xcsh, 4711' } });
  expect(app.menu()).toContain('Open it a second time');
  app.send({ type: 'chosen', index: 1 });
  expect(app.last('prepareResume')?.asking.choices).toEqual(['continue_here', 'trust_folder', 'open_live']);
});

it('an agent that is not installed: the command is there to copy', () => {
  const app = new AppDriver(rows).press('enter');
  app.send({
    type: 'resumeAnswered',
    seq: app.state.asking?.seq ?? 0,
    answer: { kind: 'not_installed', command: 'pi x' },
  });
  app.send({ type: 'chosen', index: 0 });
  expect(app.last('copy')?.text).toBe('pi x');
});

it('picking gives the path instead of resuming', () => {
  const app = new AppDriver(rows, { isPicking: true }).press('down', 'enter');
  expect(app.last('exit')?.exit).toEqual({ kind: 'picked', path: rows[1]?.path });
});

it('Enter in the same breath as the query takes its first hit, not the row that was selected before', () => {
  const app = new AppDriver(rows).press('s', 'e', 's', 's', 'i', 'o', 'n', ' ', '3', 'enter');
  expect(app.last('prepareResume')).toBeUndefined();
  app.search();
  expect(app.last('prepareResume')?.asking.path).toBe(rows[3]?.path);
});

it('what follows a key that waits for a search waits too', () => {
  const app = new AppDriver(rows).press('s', 'down', 'e');
  expect(app.state.picker.line.text).toBe('s');
  app.search();
  expect(app.state.picker.line.text).toBe('se');
});

it('Esc closes what is on top, then clears the line, then leaves', () => {
  const app = new AppDriver(rows).press('x').search().press('f1');
  expect(modeOf(app.state)).toBe('help');
  app.press('esc');
  expect([modeOf(app.state), app.state.picker.line.text]).toEqual(['picker', 'x']);
  app.press('esc');
  expect(app.state.picker.line.text).toBe('');
  app.press('esc');
  expect(app.last('exit')?.exit).toEqual({ kind: 'left' });
});

it('Ctrl+C leaves from anywhere, also while a search runs', () => {
  const app = new AppDriver(rows).press('x', 'enter', 'ctrl+c');
  expect(app.last('exit')?.exit).toEqual({ kind: 'interrupted' });
});

it('after the end nothing changes any more', () => {
  const app = new AppDriver(rows).press('ctrl+c');
  const { state } = app;
  expect(app.press('down', 'x').state).toBe(state);
});

it('a key that acts on a session says so when there is none', () => {
  expect(new AppDriver([]).press('enter').status()).toBe('! No session is selected');
});

it('a filter that makes no sense is said in the bar', () => {
  expect(new AppDriver(rows).press(...'re:(a').status()).toBe('! re: is no pattern yet: unterminated group');
});

it('the menu offers every action of the screen and does the one chosen', () => {
  const app = new AppDriver(rows).press('f2');
  const index = app.menu().indexOf('Whole transcript') - 1;
  app.send({ type: 'chosen', index });
  expect(modeOf(app.state)).toBe('transcript');
});

it('a choice that is not in the menu does nothing', () => {
  const app = new AppDriver(rows).press('f2');
  expect(app.send({ type: 'chosen', index: 99 }).state.overlays).toHaveLength(1);
});

const transcript: Transcript = {
  items: Array.from({ length: 50 }, (_, n) => ({
    entryId: String(n),
    kind: n % 2 === 0 ? 'user' : 'tool',
    heading: n % 2 === 0 ? 'user' : 'bash: x',
    text: 'one\ntwo\nthree\nfour\nfive',
    isError: false,
    timeMs: NOW_MS,
    label: undefined,
  })),
  omitted: 0,
  damagedLines: 0,
};

it('the preview is read for the row on which the selection stands, and a late one is dropped', () => {
  const app = new AppDriver(rows);
  const first = app.last('readTranscript');
  app.press('down');
  const second = app.last('readTranscript');
  expect([first?.path, second?.path]).toEqual([rows[0]?.path, rows[1]?.path]);
  app.send({ type: 'transcriptRead', seq: first?.seq ?? 0, transcript });
  expect(app.state.preview.loaded.kind).toBe('loading');
  app.send({ type: 'transcriptRead', seq: second?.seq ?? 0, transcript });
  expect(app.state.preview.loaded.kind).toBe('loaded');
});

it('a session that changed on disk has its preview read again', () => {
  const app = new AppDriver(rows);
  const before = app.last('readTranscript');
  app.send({ type: 'rowsRead', batch: batchOf([sessionRow(0, { sizeBytes: 5 })]) });
  expect(app.last('readTranscript')).toMatchObject({ path: rows[0]?.path, seq: (before?.seq ?? 0) + 1 });
});

it('the preview scrolls no further than it is long', () => {
  const app = new AppDriver(rows);
  app.send({ type: 'transcriptRead', seq: app.last('readTranscript')?.seq ?? 0, transcript });
  app.press(...Array.from({ length: 2_000 }, () => 'shift+up'));
  const { scroll } = app.state.preview;
  expect(scroll).toBeGreaterThan(50);
  expect(scroll).toBeLessThan(500);
  expect(app.press('shift+down').state.preview.scroll).toBe(scroll - 1);
});

it('the transcript opens at its end, folds and scrolls within its length', () => {
  const app = new AppDriver(rows).press('ctrl+o');
  app.send({ type: 'transcriptRead', seq: app.last('readTranscript')?.seq ?? 0, transcript });
  const top = (): unknown => {
    const screen = app.state.overlays.at(-1);
    return screen?.kind === 'transcript' ? screen.top : undefined;
  };
  expect(top()).toBe('end');
  expect(app.press('g').state && top()).toBe(0);
  app.press('j', 'j', 'k');
  expect(top()).toBe(1);
  app.press('t', 'h', 'G');
  expect(top()).toBe('end');
  expect(modeOf(app.press('esc').state)).toBe('picker');
});

it('without room for a preview none is read', () => {
  expect(new AppDriver(rows, {}, { columns: 60, rows: 12 }).last('readTranscript')).toBeUndefined();
});

it('a catalog that fails is said, and what it gave stays', () => {
  const app = new AppDriver(rows).send({ type: 'readingFailed', reason: 'no permission' });
  expect(app.status()).toBe('! no permission');
  expect(app.state.picker.shown).toHaveLength(5);
});
