import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterTree, makeTreeModel, type TreeFilter } from '../../src/model/tree-model.ts';
import {
  baseLevel,
  depthOf,
  guidesOf,
  isBranchPoint,
  isFoldable,
  layOutRows,
  type TreeRows,
} from '../../src/model/tree-rows.ts';
import { entryFlags } from '../../src/session/skeleton.ts';
import { chainOf, skeletonOf, type TestEntry } from './trees.ts';

const signs = { bar: '│ ', blank: '  ', tee: '├─', corner: '└─' } as const;

function draw(
  entries: readonly TestEntry[],
  filter: TreeFilter = 'all',
  folds: readonly number[] = [],
  leaf?: number,
): string[] {
  const model = makeTreeModel(skeletonOf(entries, leaf));
  const rows = layOutRows(model, filterTree(model, filter), new Set(folds));
  return Array.from(rows.at, (at, row) => {
    const guides = guidesOf(rows, row, 0, 99).map((guide) => signs[guide]);
    const hidden = rows.folded[row] ?? -1;
    return `${guides.join('')}${entries[at]?.id}${hidden > 0 ? ` +${hidden}` : ''}`;
  });
}

const branched: TestEntry[] = [
  { id: 'a', parent: -1 },
  { id: 'b', parent: 0 },
  { id: 'c', parent: 1 },
  { id: 'd', parent: 2 },
  { id: 'e', parent: 1 },
  { id: 'f', parent: 4 },
  { id: 'g', parent: 4 },
];

it('straight runs are not indented, branches are, and the one with the leaf comes first', () => {
  expect(draw(branched)).toEqual(['a', 'b', '├─e', '│ ├─g', '│ └─f', '└─c', '  d']);
  expect(draw(branched, 'all', [], 3)).toEqual(['a', 'b', '├─c', '│ d', '└─e', '  ├─f', '  └─g']);
});

it('several roots branch from nowhere', () => {
  expect(
    draw([
      { id: 'a', parent: -1 },
      { id: 'b', parent: -1 },
      { id: 'c', parent: 1 },
    ]),
  ).toEqual(['├─b', '│ c', '└─a']);
});

it('what hangs on a hidden entry hangs on the nearest shown one', () => {
  const entries: TestEntry[] = [
    { id: 'u', parent: -1 },
    { id: 'm', parent: 0, kind: 'model_change' },
    { id: 'x', parent: 1 },
    { id: 'y', parent: 1 },
  ];
  expect(draw(entries, 'default')).toEqual(['u', '├─y', '└─x']);
});

it('a fold hides what is below it and counts what it hides', () => {
  expect(draw(branched, 'all', [4])).toEqual(['a', 'b', '├─e +2', '└─c', '  d']);
  expect(draw(branched, 'all', [0, 4])).toEqual(['a +6']);
  expect(draw(branched, 'all', [3])).toEqual(draw(branched));
});

describe('what each filter shows', () => {
  const entries: TestEntry[] = [
    { id: 'model', parent: -1, kind: 'model_change' },
    { id: 'user', parent: 0 },
    { id: 'calls', parent: 1, kind: ':assistant', flags: entryFlags.toolsOnly },
    { id: 'result', parent: 2, kind: ':toolResult', label: 'kept' },
    { id: 'failed', parent: 3, kind: ':assistant', flags: entryFlags.toolsOnly | entryFlags.failed },
    { id: 'answer', parent: 4, kind: ':assistant' },
    { id: 'custom', parent: 5, kind: 'custom' },
    { id: 'note', parent: 6, kind: 'custom_message' },
    { id: 'compaction', parent: 7, kind: 'compaction' },
    { id: 'future', parent: 8, kind: 'from_the_future' },
    { id: 'label', parent: 9, kind: 'label' },
    { id: 'torn', parent: 10, kind: 'custom', flags: entryFlags.damaged },
    { id: 'leaf', parent: 11, kind: ':assistant', flags: entryFlags.toolsOnly },
  ];
  const everything = entries.map(({ id }) => id).filter((id) => id !== 'calls');
  it.each([
    ['default', everything.filter((id) => !['model', 'custom', 'label'].includes(id))],
    ['no-tools', everything.filter((id) => !['model', 'custom', 'label', 'result'].includes(id))],
    ['user', ['user']],
    ['labelled', ['result']],
    ['all', entries.map(({ id }) => id)],
  ] as const)('%s', (filter, ids) => {
    expect(draw(entries, filter)).toEqual(ids);
  });
});

const parentMap = fc
  .array(fc.nat(), { minLength: 1, maxLength: 60 })
  // Any earlier entry or none, then shuffled links backwards: as a skeleton has them, without cycles.
  .map((numbers) => numbers.map((number, at) => (number % (at + 1)) - 1));

function check(rows: TreeRows): void {
  for (let row = 0; row < rows.length; row++) {
    const parent = rows.parent[row] ?? -1;
    expect(parent).toBeLessThan(row);
    expect(rows.end[row]).toBeGreaterThan(row);
    if (parent >= 0) expect(rows.end[row]).toBeLessThanOrEqual(rows.end[parent]!);
    expect(guidesOf(rows, row, 0, 99)).toHaveLength(depthOf(rows, row));
  }
}

it('any tree shows each entry exactly once, whatever is folded none twice, and hidden ones are counted', () => {
  fc.assert(
    fc.property(parentMap, fc.array(fc.nat(59)), fc.nat(59), (parents, folds, leaf) => {
      const model = makeTreeModel({ ...chainOf(parents), leaf: leaf % parents.length });
      const shown = filterTree(model, 'all');
      const all = layOutRows(model, shown, new Set());
      expect([...all.at].sort((a, b) => a - b)).toEqual(parents.map((_, at) => at));
      check(all);
      const folded = layOutRows(model, shown, new Set(folds));
      check(folded);
      expect(folded.length + folded.hiddenByFolds).toBe(parents.length);
      const counted = folded.folded.reduce((sum, hidden) => sum + Math.max(0, hidden), 0);
      expect(counted).toBe(folded.hiddenByFolds);
    }),
  );
});

it('the run of the active path stands first at every branch', () => {
  fc.assert(
    fc.property(parentMap, fc.nat(59), (parents, leaf) => {
      const model = makeTreeModel({ ...chainOf(parents), leaf: leaf % parents.length });
      const rows = layOutRows(model, filterTree(model, 'all'), new Set());
      const active = [...rows.at].filter((at) => model.isActive[at] === 1);
      expect([...rows.at.subarray(0, active.length)]).toEqual(active);
    }),
  );
});

describe('sizes that real files reach', () => {
  const lay = (parents: ArrayLike<number>) => {
    const model = makeTreeModel(chainOf(parents));
    return layOutRows(model, filterTree(model, 'all'), new Set());
  };
  it.each([
    ['a million entries deep', 1_000_000, (at: number) => at - 1, 0],
    ['150,000 siblings', 150_000, (at: number) => (at === 0 ? -1 : 0), 1],
    ['50,000 nested branches', 100_000, (at: number) => (at < 2 || at % 2 === 1 ? at - 1 : at - 2), 50_000 - 1],
  ])('%s', (_, count, parentOf, depth) => {
    const rows = lay(Int32Array.from({ length: count }, (_value, at) => parentOf(at)));
    expect(rows.length).toBe(count);
    expect(rows.runDepth.reduce((a, b) => Math.max(a, b), 0)).toBe(depth);
  });

  it('a window into 80 nested branches shows the levels that differ, and at most so many', () => {
    const nested = Array.from({ length: 160 }, (_, at) => (at === 0 ? -1 : at % 2 === 1 ? at - 1 : at - 2));
    const rows = lay(nested);
    const selected = 79;
    const base = baseLevel(rows, 70, 20, selected, 8);
    expect(depthOf(rows, selected) - base).toBeLessThanOrEqual(8);
    expect(guidesOf(rows, selected, base, 8).length).toBeGreaterThan(0);
    expect(baseLevel(rows, 0, 4, 0, 8)).toBe(0);
  });
});

it('branch points and foldable rows are those where runs begin', () => {
  const model = makeTreeModel(skeletonOf(branched));
  const rows = layOutRows(model, filterTree(model, 'all'), new Set());
  const named = (is: (rows: TreeRows, row: number) => boolean): string[] =>
    Array.from(rows.at, (at, row) => (is(rows, row) ? (branched[at]?.id ?? '') : '')).filter((id) => id !== '');
  expect(named(isBranchPoint)).toEqual(['b', 'e']);
  expect(named(isFoldable)).toEqual(['a', 'e', 'c']);
});
