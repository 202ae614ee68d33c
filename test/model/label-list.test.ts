import { expect, it } from 'vitest';
import type { LabelledEntry } from '../../src/catalog/label-entry.ts';
import {
  actOnLabels,
  addLabels,
  createLabelList,
  resizeLabels,
  selectedLabel,
  typeIntoLabels,
} from '../../src/model/label-list.ts';

const size = { columns: 80, rows: 8 };

function labelled(label: string, labelledMs: number): LabelledEntry {
  return {
    path: '/s/a.jsonl',
    id: 'a',
    cwd: '/w',
    entryId: label,
    line: labelledMs,
    type: 'message',
    role: 'user',
    label,
    labelledMs,
    text: `text of ${label}`,
  };
}

const batch = (...labels: LabelledEntry[]) => ({ labels, problems: [], isDone: false });
const some = addLabels(createLabelList(1), batch(labelled('old', 1), labelled('new', 9)), size);

it('the label set last is first, in whatever order they are found, and who has not moved stays on top', () => {
  expect(some.shown.map(({ label }) => label)).toEqual(['new', 'old']);
  const more = addLabels(some, batch(labelled('newest', 10)), size);
  expect(selectedLabel(more)?.label).toBe('newest');
});

it('who has moved stays on the label while others are found and words narrow the list', () => {
  const moved = actOnLabels(some, 'next', size);
  const more = addLabels(moved, batch(labelled('newest', 10)), size);
  expect(selectedLabel(more)?.label).toBe('old');
  const narrowed = typeIntoLabels(more, 'TEXT ol', size);
  expect(narrowed.shown.map(({ label }) => label)).toEqual(['old']);
  expect(selectedLabel(typeIntoLabels(narrowed, 'x', size))).toBeUndefined();
});

it('the selected label is in the window, from end to end', () => {
  const labels = Array.from({ length: 20 }, (_, at) => labelled(`l${at}`, at));
  const last = actOnLabels(addLabels(createLabelList(1), batch(...labels), size), 'last', size);
  expect([last.index, last.top]).toEqual([19, 15]);
  expect(resizeLabels(last, { columns: 80, rows: 5 }).top).toBe(18);
  expect(actOnLabels(last, 'first', size).top).toBe(0);
});
