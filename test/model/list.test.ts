import fc from 'fast-check';
import { expect, it } from 'vitest';
import { followSelection, scrollTo } from '../../src/model/list.ts';

it('wherever the selection goes, the window follows, and no line of it stays empty without need', () => {
  const place = fc.integer({ min: 1, max: 30 }).chain((length) =>
    fc.record({
      length: fc.constant(length),
      index: fc.nat(length - 1),
      top: fc.nat(length + 5),
      height: fc.integer({ min: 1, max: 12 }),
    }),
  );
  fc.assert(
    fc.property(place, ({ length, index, top, height }) => {
      const next = scrollTo(index, { top, height, length });
      expect(next).toBeLessThanOrEqual(index);
      expect(next + height).toBeGreaterThan(index);
      expect(next).toBeLessThanOrEqual(Math.max(0, length - height));
    }),
  );
});

it('the window moves no more than it must', () => {
  const window = { top: 3, height: 4, length: 20 };
  expect([2, 3, 6, 7].map((index) => scrollTo(index, window))).toEqual([2, 3, 3, 4]);
});

it('the selection stays on its row, or goes to the one in its place', () => {
  expect(followSelection(['a', 'b', 'c'], 'c', 0)).toBe(2);
  expect(followSelection(['a', 'c'], 'b', 1)).toBe(1);
  expect(followSelection(['a'], 'z', 5)).toBe(0);
  expect(followSelection([], 'z', 5)).toBeUndefined();
});
