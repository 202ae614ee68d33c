import fc from 'fast-check';
import { expect, it } from 'vitest';
import { spansWidth } from '../../src/model/spans.ts';
import { treeLayoutOf } from '../../src/model/tree-layout.ts';
import { treeLine } from '../../src/model/tree-line.ts';
import type { TreeAction, TreeEvent } from '../../src/model/tree-state.ts';
import { treeLineView, treeState } from '../../src/model/tree-text.ts';
import { TreeDriver } from '../model/tree-driver.ts';
import { skeletonOf } from '../model/trees.ts';

const actions = [
  'previous',
  'next',
  'pageUp',
  'pageDown',
  'first',
  'last',
  'previousTurn',
  'nextTurn',
  'previousBranch',
  'nextBranch',
  'previousLabel',
  'nextLabel',
  'previousHit',
  'nextHit',
  'parent',
  'child',
  'activeEntry',
  'fold',
  'unfold',
  'foldOthers',
  'unfoldAll',
  'nextFilter',
  'previousFilter',
  'filterLabelled',
  'filterAll',
  'labelTimes',
  'mark',
  'previewUp',
  'previewDown',
  'deleteLeft',
  'deleteToStart',
  'wordLeft',
  'compare',
  'context',
] as const satisfies readonly TreeAction[];

const event: fc.Arbitrary<TreeEvent> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...actions).map((does): TreeEvent => ({ type: 'acted', does })) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('1', 'e', 'e2', ' ', 'x', '漢').map((text): TreeEvent => ({ type: 'typed', text })),
  },
  { weight: 2, arbitrary: fc.constant<TreeEvent>({ type: 'cleared' }) },
  {
    weight: 1,
    arbitrary: fc
      .record({ columns: fc.integer({ min: 1, max: 200 }), rows: fc.integer({ min: 1, max: 60 }) })
      .map((size): TreeEvent => ({ type: 'treeResized', size })),
  },
);

const tree = fc
  .array(
    fc.record({
      parent: fc.nat(),
      kind: fc.constantFrom(':user', ':assistant', ':toolResult', 'custom', 'label', 'compaction'),
      flags: fc.constantFrom(0, 0, 0, 1, 2, 8),
      isLabelled: fc.boolean(),
    }),
    { maxLength: 60 },
  )
  .map((list) =>
    list.map(({ parent, kind, flags, isLabelled }, at) => ({
      id: `e${at}漢`,
      parent: (parent % (at + 1)) - 1,
      kind,
      flags,
      ...(isLabelled ? { label: `l${at}` } : {}),
    })),
  );

it('whatever is pressed, the selection is a row of the window, each drawn row fits, and a hidden leaf is told of', () => {
  fc.assert(
    fc.property(tree, fc.array(event, { maxLength: 40 }), (entries, events) => {
      const driver = new TreeDriver(skeletonOf(entries));
      for (const next of events) {
        driver.send(next);
        const { state } = driver;
        const { rows, index, top, model } = state;
        if (rows === undefined || model === undefined) throw new Error('no rows');
        const { listRows, listColumns } = treeLayoutOf(state.size);
        if (rows.length === 0) expect(index).toBe(-1);
        else {
          expect(index).toBeGreaterThanOrEqual(Math.max(0, top));
          expect(index).toBeLessThan(Math.min(rows.length, top + Math.max(1, listRows)));
        }
        const { tip } = model;
        if (tip >= 0 && rows.hasRow[tip] !== 1) expect(treeState(state)).toMatch(/active entry (hidden|is no hit)/);
        const view = treeLineView(state);
        if (view === undefined || listColumns < 20) continue;
        for (let row = top; row < Math.min(rows.length, top + listRows); row++) {
          expect(spansWidth(treeLine(model, rows, row, state.lines.get(rows.at[row] ?? 0), view))).toBe(view.cells);
        }
      }
    }),
    { numRuns: 150 },
  );
});

it('filters, folds and searches in any order leave the selection on its entry once they are taken back', () => {
  const change = event.filter(
    (next) =>
      next.type !== 'acted' ||
      ['foldOthers', 'unfoldAll', 'nextFilter', 'filterLabelled', 'filterAll'].includes(next.does),
  );
  fc.assert(
    fc.property(tree, fc.nat(), fc.array(change, { maxLength: 20 }), (entries, start, events) => {
      const driver = new TreeDriver(skeletonOf(entries)).act('filterAll');
      for (let moves = start % (entries.length + 1); moves > 0; moves--) driver.act('next');
      const before = driver.selected;
      for (const next of events) driver.send(next);
      driver.clear().act('filterAll', 'unfoldAll');
      expect(driver.selected).toBe(before);
    }),
  );
});
