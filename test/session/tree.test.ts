import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildTree, labelsAfter, pathTo, type TreeItem, walkTree } from '../../src/session/tree.ts';

function item(id: string, parentId: string | null): TreeItem {
  return { id, parentId };
}

function walked(items: readonly TreeItem[], active: readonly number[] = []): string[] {
  return [...walkTree(buildTree(items), new Set(active))].map(({ at, depth }) => `${depth}${items[at]?.id}`);
}

test('children follow their parents, in file order', () => {
  expect(walked([item('a', null), item('b', 'a'), item('c', 'a'), item('d', 'b')])).toEqual(['0a', '1b', '2d', '1c']);
});

test('the branch on the active path comes first', () => {
  expect(walked([item('a', null), item('b', 'a'), item('c', 'a')], [0, 2])).toEqual(['0a', '1c', '1b']);
});

test('cycles, self-parents, duplicates and orphans are each shown once, marked', () => {
  const items = [item('a', 'b'), item('b', 'a'), item('c', 'c'), item('d', null), item('d', 'c'), item('e', 'gone')];
  const tree = buildTree(items);
  expect([...walkTree(tree, new Set())].map(({ at }) => at).sort()).toEqual([0, 1, 2, 3, 4, 5]);
  expect(Object.fromEntries(tree.marks)).toEqual({ 0: 'cycle', 2: 'cycle', 4: 'duplicate', 5: 'orphan' });
});

test('a label clears with an empty or missing text, and the last one stands', () => {
  const labels = labelsAfter([
    { targetId: 'a', label: 'one' },
    { targetId: 'a', label: 'two' },
    { targetId: 'b', label: 'three' },
    { targetId: 'b', label: undefined },
    { targetId: 'c', label: '' },
  ]);
  expect([...labels]).toEqual([['a', 'two']]);
});

const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
const anyItems = fc.array(fc.record({ id: ids, parentId: fc.option(fc.oneof(ids, fc.constant('gone'))) }));

test('any parent map is walked to its end, each item exactly once', () => {
  fc.assert(
    fc.property(anyItems, (items) => {
      const visited = [...walkTree(buildTree(items), new Set())].map(({ at }) => at);
      expect(visited.toSorted((a, b) => a - b)).toEqual(items.map((_, at) => at));
    }),
  );
});

test('a walk keeps every item behind its parent and one deeper', () => {
  fc.assert(
    fc.property(anyItems, (items) => {
      const tree = buildTree(items);
      const depths = new Map<number, number>();
      for (const { at, depth } of walkTree(tree, new Set())) {
        const parent = tree.parents[at]!;
        expect(depth).toBe(parent < 0 ? 0 : depths.get(parent)! + 1);
        depths.set(at, depth);
      }
    }),
  );
});

test('a path from any item ends at a root', () => {
  fc.assert(
    fc.property(anyItems, (items) => {
      const tree = buildTree(items);
      items.forEach((_, at) => {
        const path = pathTo(tree, at);
        expect(path.at(-1)).toBe(at);
        expect(tree.roots).toContain(path[0]);
      });
    }),
  );
});

test('a chain of 200,000 and 150,000 siblings neither overflow nor slow down', () => {
  const chain = Array.from({ length: 200_000 }, (_, at) => item(`c${at}`, at === 0 ? null : `c${at - 1}`));
  const fan = Array.from({ length: 150_000 }, (_, at) => item(`f${at}`, 'c0'));
  const tree = buildTree([...chain, ...fan]);
  expect([...walkTree(tree, new Set(pathTo(tree, 199_999)))]).toHaveLength(350_000);
});
