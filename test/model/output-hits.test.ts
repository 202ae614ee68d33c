import { describe, expect, it } from 'vitest';
import type { SessionRow } from '../../src/catalog/session-row.ts';
import type { TextHit } from '../../src/model/text-hits.ts';
import { AppDriver } from './app-driver.ts';
import { NOW_MS, sessionRow, sessionRows } from './rows.ts';

const rows = [
  ...sessionRows(4),
  sessionRow(7, { agent: 'omp' }),
  sessionRow(8, { problem: 'no permission', id: null }),
];

function hit(row: SessionRow | undefined, entryId: string, change: Partial<TextHit> = {}): TextHit {
  const { path = '', id = null } = row ?? {};
  const role = 'toolResult';
  return { path, id, entryId, role, snippet: 'a zebra', timeMs: NOW_MS, match: 'words', place: 'output', ...change };
}

/** The screens with words that stand in one text. */
function searched(line = 'zebra'): AppDriver {
  const app = new AppDriver(rows, { scope: 'all' }).press(...line);
  app.search();
  const said = hit(rows[0], 'said', { role: 'user', place: 'prompt' });
  return app.send({
    type: 'textsFound',
    seq: app.state.picker.textSearch?.seq ?? 0,
    found: { hits: [said], isDone: true },
  });
}

function found(app: AppDriver, hits: readonly TextHit[], doneBytes: number, isDone = false): AppDriver {
  const seq = app.last('searchOutputs')?.search.seq ?? 0;
  return app.send({ type: 'outputsFound', seq, found: { hits, doneBytes, totalBytes: 100, isDone } });
}

const listed = (app: AppDriver): (string | null)[] => app.state.picker.shownTexts.map(({ entryId }) => entryId);

it('Alt+O scans the sessions that can be read; what it finds comes behind the other hits, as it is found', () => {
  const app = searched().press('alt+o');
  expect(app.last('searchOutputs')?.search).toMatchObject({ text: 'zebra' });
  expect(app.last('searchOutputs')?.search.rows).toHaveLength(5);
  expect(app.status()).toContain('scanning tool output 0%');
  found(app, [hit(rows[2], 'b')], 40);
  expect(app.status()).toContain('scanning tool output 40%');
  found(app, [hit(rows[3], 'c')], 100, true);
  expect(listed(app)).toEqual(['said', 'b', 'c']);
  expect(app.status()).toContain('2 in tool output');
});

it('a command and what it gave back are one hit', () => {
  const app = searched().press('alt+o');
  found(app, [hit(rows[0], 'said', { role: 'user' }), hit(rows[0], 'other')], 100, true);
  expect(listed(app)).toEqual(['said', 'other']);
});

it('only the sessions that pass the filters are scanned', () => {
  const app = searched('zebra agent:omp').press('alt+o');
  expect(app.last('searchOutputs')?.search.rows.map(({ path }) => path)).toEqual([rows[4]?.path]);
});

describe('the scan is stopped at once, and its hits go,', () => {
  it.each([
    ['by a key that changes the words', ['s']],
    ['by a key that takes the words away', ['ctrl+u']],
    ['by Alt+O again', ['alt+o']],
    ['by another scope', ['tab']],
  ])('%s', (_name, keys) => {
    const app = found(searched().press('alt+o'), [hit(rows[2], 'b')], 40);
    app.press(...keys);
    expect(app.last('stopOutputs')).toBeDefined();
    if (app.state.picker.search !== undefined) app.search();
    expect(app.state.picker.outputs).toBeUndefined();
    expect(listed(app)).not.toContain('b');
    const before = app.state;
    expect(found(app, [hit(rows[2], 'late')], 100, true).state.picker).toBe(before.picker);
  });
});

it('keys that leave the words as they are leave the scan', () => {
  const app = found(searched().press('alt+o'), [hit(rows[2], 'b')], 40);
  app.press('down', 'left', 'ctrl+s', 'f3', ' ');
  expect(app.last('stopOutputs')).toBeUndefined();
  expect(listed(app)).toContain('b');
});

it('without words there is nothing to scan for, and a scan that fails is said', () => {
  const app = new AppDriver(rows).press('alt+o');
  expect(app.last('searchOutputs')).toBeUndefined();
  expect(app.status()).toBe('✓ Type words to search for first');
  const failing = searched().press('alt+o');
  const seq = failing.last('searchOutputs')?.search.seq ?? 0;
  const none = { hits: [], doneBytes: 0, totalBytes: 1, isDone: true, problem: 'it broke' };
  expect(failing.send({ type: 'outputsFound', seq, found: none }).status()).toBe('! it broke');
});
