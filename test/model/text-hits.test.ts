import { describe, expect, it } from 'vitest';
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
  toggleOutputs,
} from '../../src/model/picker.ts';
import type { TextHit } from '../../src/model/text-hits.ts';
import { batchOf, NOW_MS, options, sessionRow, sessionRows } from './rows.ts';

function hit(row: SessionRow, entryId: string): TextHit {
  return {
    path: row.path,
    id: row.id,
    entryId,
    role: 'user',
    snippet: `said zanzibar in ${entryId}`,
    timeMs: NOW_MS,
    match: 'words',
    place: 'prompt',
  };
}

const rows = sessionRows(6);

function typed(text: string, change: Partial<Parameters<typeof createPicker>[0]> = {}): PickerState {
  const empty = createPicker({ ...options, scope: 'all', height: 5, nowMs: NOW_MS, ...change });
  const picker = changeLine(addRows(empty, batchOf(rows)), lineOf(text), NOW_MS);
  return showHits(picker, picker.search!.seq, { hits: picker.search!.rows.slice(0, 2) });
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
  expect(typed('-not -"two words" word').textSearch).toMatchObject({ text: 'word', without: ['not', 'two words'] });
  expect(typed('a').textSearch).toBeUndefined();
  expect(typed('検').textSearch?.text).toBe('検');
});

it('filters hold hits back too', () => {
  const elsewhere = sessionRow(9, { cwd: '/elsewhere' });
  const all = found(addRows(typed('zanzibar'), batchOf([elsewhere])), [hit(elsewhere, 'a'), hit(rows[1]!, 'b')]);
  expect(all.shownTexts).toHaveLength(2);
  const here = changeFilters(all, { scope: 'here' });
  const shown = showHits(here, here.search!.seq, { hits: [] });
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

it('what is searched are the sessions that pass scope and filters, none left out', () => {
  const other = sessionRow(9, { cwd: '/elsewhere', agent: 'omp', branchCount: 2 });
  const all = addRows(typed('zanzibar'), batchOf([other]));
  expect(typed('zanzibar').textSearch?.within).toBeUndefined();
  const ask = (text: string): readonly string[] | undefined =>
    changeLine(all, lineOf(`zanzibar ${text}`), NOW_MS).textSearch?.within;
  for (const filter of ['agent:omp', 'dir:else', 'has:branches', '-dir:lantern'])
    expect(ask(filter)).toEqual([other.path]);
  expect(ask('agent:xcsh')).toHaveLength(6);
  expect(changeFilters(all, { scope: 'here' }).textSearch?.within).toHaveLength(6);
});

it('the same words under another filter are asked for again', () => {
  const answered = found(typed('zanzibar'), []);
  const narrowed = changeLine(answered, lineOf('zanzibar agent:xcsh'), NOW_MS);
  expect(narrowed.textSearch?.seq).toBeGreaterThan(answered.textSearch!.seq);
  expect(changeFilters(answered, { sort: 'cost' }).textSearch).toBe(answered.textSearch);
});

it('sessions that came while an answer was awaited are asked about after it', () => {
  const asking = addRows(typed('zanzibar', { scope: 'here' }), batchOf([sessionRow(9)]));
  const answered = found(asking, []);
  expect(answered.textSearch?.seq).toBeGreaterThan(asking.textSearch!.seq);
  expect(answered.textSearch?.within ?? [...answered.rows.keys()]).toContain(sessionRow(9).path);
});

it('hits are put in order when all are there; what is first stays selected', () => {
  const empty = createPicker({ ...options, scope: 'all', height: 5, nowMs: NOW_MS });
  const line = changeLine(addRows(empty, batchOf(rows)), lineOf('zanzibar'), NOW_MS);
  const picker = showHits(line, line.search!.seq, { hits: [] });
  const part = { ...hit(rows[1]!, 'part'), match: 'parts' } as const;
  const whole = hit(rows[2]!, 'whole');
  const some = found(picker, [part], false);
  expect(selectedHit(some)?.entryId).toBe('part');
  const done = found(some, [whole]);
  expect(done.shownTexts.map(({ entryId }) => entryId)).toEqual(['whole', 'part']);
  expect(selectedHit(done)?.entryId).toBe('whole');
  const moved = found(selectIndex(found(picker, [part, { ...part, entryId: 'second' }], false), 1), [whole]);
  expect(selectedHit(moved)?.entryId).toBe('second');
});

describe('with a pattern', () => {
  const asked = (): PickerState => {
    const empty = createPicker({ ...options, scope: 'all', height: 5, nowMs: NOW_MS });
    return changeLine(addRows(empty, batchOf(rows)), lineOf('zanzibar re:^Session'), NOW_MS);
  };
  const passing = new Set([rows[1]!.path, rows[2]!.path]);

  it('texts are searched once it is known which sessions pass, and in these alone', () => {
    const asking = asked();
    expect(asking.textSearch).toBeUndefined();
    const answered = showHits(asking, asking.search!.seq, { hits: [], passing });
    expect(answered.textSearch).toMatchObject({ text: 'zanzibar', within: [...passing] });
    const shown = found(answered, [hit(rows[0]!, 'a'), hit(rows[1]!, 'b')]);
    expect(shown.shownTexts.map(({ entryId }) => entryId)).toEqual(['b']);
    expect(toggleOutputs(shown).outputs?.rows).toEqual([rows[1], rows[2]]);
  });

  it('texts are searched again when other sessions pass', () => {
    const asking = asked();
    const answered = found(showHits(asking, asking.search!.seq, { hits: [], passing }), []);
    const more = addRows(answered, batchOf([sessionRow(9)]));
    const again = showHits(more, more.search!.seq, { hits: [], passing: new Set([sessionRow(9).path]) });
    expect(again.textSearch?.within).toEqual([sessionRow(9).path]);
  });

  it('that takes too long the list is empty and says so, until the line changes', () => {
    const asking = asked();
    const failed = showHits(asking, asking.search!.seq, { hits: [], passing: new Set(), problem: 'too long' });
    expect([failed.patternProblem, failed.shown.length, failed.textSearch?.within?.length]).toEqual(['too long', 0, 0]);
    expect(changeLine(failed, lineOf('zanzibar re:^S'), NOW_MS).patternProblem).toBeUndefined();
  });
});
