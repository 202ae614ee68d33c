import { expect, it } from 'vitest';
import type { SessionRow } from '../../src/catalog/session-row.ts';
import { lineOf } from '../../src/model/line-edit.ts';
import {
  addRows,
  changeFilters,
  changeLine,
  createPicker,
  finishLoading,
  nextSort,
  type PickerState,
  selectIndex,
  showHits,
} from '../../src/model/picker.ts';
import { batchOf, NOW_MS, options, sessionRow, sessionRows } from './rows.ts';

const HERE = '/home/u/src/lantern';

function picker(rows: readonly SessionRow[], change: Partial<Parameters<typeof createPicker>[0]> = {}): PickerState {
  const empty = createPicker({ ...options, scope: 'all', height: 5, nowMs: NOW_MS, ...change });
  return addRows(empty, batchOf(rows));
}

function titles({ shown }: PickerState): (string | null)[] {
  return shown.map(({ title }) => title);
}

it('rows stand in the order of their last use, whatever the order of their arrival', () => {
  const rows = sessionRows(4);
  expect(titles(picker([rows[2]!, rows[0]!, rows[3]!, rows[1]!]))).toEqual(titles(picker(rows)));
});

it('rows of the same moment stand in the order of their paths', () => {
  const rows = sessionRows(4).map((row) => ({ ...row, modifiedMs: NOW_MS }));
  expect(titles(picker(rows.toReversed()))).toEqual(titles(picker(rows)));
});

it('rows that come in leave the selection on its session and on its line', () => {
  const before = selectIndex(selectIndex(picker(sessionRows(20).slice(5)), 9), 7);
  const after = addRows(before, batchOf(sessionRows(5)));
  expect(after.selected).toBe(before.selected);
  expect(after.index - after.top).toBe(before.index - before.top);
});

it('figures that come in later replace the row, and keep it selected', () => {
  const before = selectIndex(picker(sessionRows(3)), 1);
  const after = addRows(before, batchOf([sessionRow(1, { cost: 9 })]));
  expect(after.shown).toHaveLength(3);
  expect(after.shown[after.index]).toMatchObject({ path: before.selected, cost: 9 });
});

it('a selected row that is filtered away leaves the selection on its neighbour', () => {
  const rows = [sessionRow(0), sessionRow(1, { title: null }), sessionRow(2)];
  const after = changeFilters(selectIndex(picker(rows), 1), { isNamedOnly: true });
  expect(titles(after)).toEqual(['Session 0', 'Session 2']);
  expect(after.selected).toBe(rows[2]?.path);
});

it('sub-agents and sessions without a prompt are counted, and shown on request', () => {
  const rows = [sessionRow(0), sessionRow(1, { isSubAgent: true }), sessionRow(2, { isStub: true, titleSource: null })];
  const hidden = picker(rows);
  expect([hidden.shown.length, hidden.counts.hidden]).toEqual([1, 2]);
  const all = changeFilters(hidden, { isShowingHidden: true });
  expect([all.shown.length, all.counts.hidden]).toEqual([3, 0]);
});

it('what is damaged or cannot be identified is always listed', () => {
  const rows = [sessionRow(0, { id: null, isStub: true }), sessionRow(1, { problem: 'no permission', isStub: true })];
  expect(picker(rows).shown).toHaveLength(2);
});

it('a folder without a session shows all once everything is read, and only then', () => {
  const reading = picker([sessionRow(0, { cwd: '/elsewhere' })], { scope: 'here' });
  expect(reading.shown).toEqual([]);
  const { picker: read, hasWidened } = finishLoading(reading);
  expect([read.scope, hasWidened, read.shown.length]).toEqual(['all', true, 1]);
});

it('a folder whose sessions are all hidden stays in its scope', () => {
  const rows = [sessionRow(0, { cwd: '/elsewhere' }), sessionRow(1, { cwd: HERE, isSubAgent: true })];
  expect(finishLoading(picker(rows, { scope: 'here' })).hasWidened).toBe(false);
});

it.each([
  ['created', [2, 0, 1]],
  ['cost', [1, 0, 2]],
  ['size', [2, 1, 0]],
] as const)('the order by %s has the greatest first, and what is not known last', (sort, expected) => {
  const rows = [
    sessionRow(0, { createdMs: 5, cost: 1, sizeBytes: 1 }),
    sessionRow(1, { createdMs: null, cost: 3, sizeBytes: 2 }),
    sessionRow(2, { createdMs: 9, cost: null, sizeBytes: 3 }),
  ];
  expect(titles(changeFilters(picker(rows), { sort }))).toEqual(expected.map((n) => `Session ${n}`));
});

it('relevance is an order only while something is searched', () => {
  const orders = (start: PickerState): string[] => {
    const seen: string[] = [];
    for (let state = start; seen.length < 5; state = changeFilters(state, { sort: nextSort(state) }))
      seen.push(state.sort);
    return seen;
  };
  expect(orders(picker([]))).toEqual(['relevance', 'created', 'cost', 'size', 'relevance']);
  const searching = changeLine(picker([]), lineOf('x'), NOW_MS);
  expect(orders(searching)).toEqual(['relevance', 'recent', 'created', 'cost', 'size']);
});

it('a late answer of a search changes nothing', () => {
  const first = changeLine(picker(sessionRows(3)), lineOf('a'), NOW_MS);
  const second = changeLine(first, lineOf('ab'), NOW_MS);
  expect(showHits(second, first.search?.seq ?? 0, { hits: [] })).toBe(second);
});

it('rows that come in during a search are searched once it ends', () => {
  const searching = changeLine(picker(sessionRows(3)), lineOf('session'), NOW_MS);
  const more = addRows(searching, batchOf([sessionRow(7)]));
  expect(more.search).toBe(searching.search);
  const again = showHits(more, more.search?.seq ?? 0, { hits: more.search?.rows ?? [] });
  expect(again.search?.rows).toHaveLength(4);
});

it('another query selects its first hit', () => {
  const low = selectIndex(picker(sessionRows(9)), 8);
  const searching = changeLine(low, lineOf('session'), NOW_MS);
  const found = showHits(searching, searching.search?.seq ?? 0, { hits: sessionRows(9).slice(3) });
  expect([found.index, found.top, found.selected]).toEqual([0, 0, sessionRow(3).path]);
});
