import { expect, it } from 'vitest';
import { indexingText } from '../../src/model/progress.ts';
import { widthCells } from '../../src/model/text.ts';

it('an index that is being built has a bar with what is left', () => {
  expect(indexingText({ doneBytes: 0, totalBytes: 2_300_000_000 }, 120)).toBe('indexing ░░░░░░░░░░ 2.3 GB left');
  expect(indexingText({ doneBytes: 1_200_000_000, totalBytes: 2_300_000_000 }, 120)).toBe(
    'indexing █████░░░░░ 1.1 GB left',
  );
  expect(indexingText({ doneBytes: 99, totalBytes: 100 }, 80)).toBe('indexing █████████░ 1 B left');
});

it('where there is little room a percentage stands for it', () => {
  expect(indexingText({ doneBytes: 99, totalBytes: 100 }, 79)).toBe('indexing 99%');
});

it('it is never more than whole, nor wider, whatever the figures', () => {
  for (const doneBytes of [0, 1, 100, 250]) {
    for (const totalBytes of [0, 100]) {
      expect(widthCells(indexingText({ doneBytes, totalBytes }, 80))).toBeLessThanOrEqual(31);
    }
  }
});
