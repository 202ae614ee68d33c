import { expect, it } from 'vitest';
import type { SessionRow } from '../../src/catalog/session-row.ts';
import { lineOf } from '../../src/model/line-edit.ts';
import {
  addRows,
  addTexts,
  applyChanges,
  changeFilters,
  changeLine,
  createPicker,
  listLength,
  type PickerState,
  selectedHit,
  selectedRow,
  selectIndex,
  showHits,
} from '../../src/model/picker.ts';
import type { TextHit } from '../../src/model/text-hits.ts';
import { batchOf, NOW_MS, options, sessionRow, sessionRows } from './rows.ts';

function hit(row: SessionRow, entryId: string): TextHit {
  return { path: row.path, id: row.id, entryId, role: 'user', snippet: `said zanzibar in ${entryId}`, timeMs: NOW_MS };
}

const rows = sessionRows(6);

function typed(text: string, change: Partial<Parameters<typeof createPicker>[0]> = {}): PickerState {
  const empty = createPicker({ ...options, scope: 'all', height: 5, nowMs: NOW_MS, ...change });
  const picker = changeLine(addRows(empty, batchOf(rows)), lineOf(text), NOW_MS);
  return showHits(picker, picker.search!.seq, picker.search!.rows.slice(0, 2));
}

function found(picker: PickerState, hits: readonly TextHit[], isDone = true): PickerState {
  return addTexts(picker, picker.textSearch!.seq, { hits, isDone });
}

it('hits in texts follow the sessions, and are selected like these', () => {
  const picker = found(typed('zanzibar'), [hit(rows[4]!, 'a'), hit(rows[4]!, 'b')]);
  expect(listLength(picker)).toBe(4);
  const last = selectIndex(picker, 99);
  expect(selectedHit(last)?.entryId).toBe('b');
  expect(selectedRow(last)?.path).toBe(rows[4]!.path);
  expect(selectedHit(selectIndex(last, 1))).toBeUndefined();
});

it('hits that come in leave the selection where it is', () => {
  const first = selectIndex(found(typed('zanzibar'), [hit(rows[4]!, 'a')], false), 2);
  const next = found(first, [hit(rows[3]!, 'b')]);
  expect(selectedHit(next)?.entryId).toBe('a');
});

it('an answer to an earlier line changes nothing', () => {
  const picker = typed('zanzibar');
  expect(addTexts(picker, picker.textSearch!.seq - 1, { hits: [hit(rows[0]!, 'a')], isDone: true })).toBe(picker);
});

it('earlier hits stay until the first answer about the new line', () => {
  const before = found(typed('zanz'), [hit(rows[4]!, 'a')]);
  const asking = changeLine(before, lineOf('zanzi'), NOW_MS);
  expect(asking.texts.hits).toHaveLength(1);
  expect(found(asking, []).texts.hits).toHaveLength(0);
});

it('what is asked of texts are the wanted words and phrases alone', () => {
  expect(typed('-not "two words" dir:src word').textSearch?.text).toBe('"two words" word');
  expect(typed('a').textSearch).toBeUndefined();
  expect(typed('検').textSearch?.text).toBe('検');
});

it('filters hold hits back too', () => {
  const elsewhere = sessionRow(9, { cwd: '/elsewhere' });
  const all = found(addRows(typed('zanzibar'), batchOf([elsewhere])), [hit(elsewhere, 'a'), hit(rows[1]!, 'b')]);
  expect(all.shownTexts).toHaveLength(2);
  const here = changeFilters(all, { scope: 'here' });
  const shown = showHits(here, here.search!.seq, []);
  expect(shown.shownTexts.map(({ entryId }) => entryId)).toEqual(['b']);
  const narrowed = found(typed('zanzibar agent:omp'), [hit(rows[1]!, 'b')]);
  expect(narrowed.shownTexts).toEqual([]);
});

it('a session that is gone leaves the list, one that grew is updated in place', () => {
  const empty = createPicker({ ...options, scope: 'all', height: 5, nowMs: NOW_MS });
  const before = selectIndex(addRows(empty, batchOf(rows)), 3);
  const grown = { ...rows[3]!, messageCount: 99 };
  const after = applyChanges(before, { rows: [grown], gone: [rows[0]!.path], indexing: undefined });
  expect(after.rows.has(rows[0]!.path)).toBe(false);
  expect(selectedRow(after)).toBe(grown);
  expect(after.progress).toEqual(before.progress);
});

it('texts are asked for again when sessions changed after the answer', () => {
  const answered = found(typed('zanzibar'), []);
  const changed = applyChanges(answered, { rows: [rows[0]!], gone: [], indexing: undefined });
  expect(changed.textSearch?.seq).toBeGreaterThan(answered.textSearch!.seq);
});
