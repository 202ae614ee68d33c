import { expect, it } from 'vitest';
import { treeStatus } from '../../src/model/tree-frame.ts';
import { treeMode } from '../../src/model/tree-screen-state.ts';
import { selectedAt } from '../../src/model/tree-state.ts';
import { STAMP, TreeScreenDriver } from './tree-screen-driver.ts';
import { skeletonOf, type TestEntry } from './trees.ts';

const here: TestEntry[] = [
  { id: 'start', parent: -1 },
  { id: 'left', parent: 0 },
  { id: 'leftEnd', parent: 1 },
  { id: 'right', parent: 0 },
  { id: 'end', parent: 3 },
];
const there: TestEntry[] = [
  { id: 'one', parent: -1 },
  { id: 'two', parent: 0, label: 'good' },
  { id: 'three', parent: 1 },
];

/** Goes to the label of another session, and reads its tree. */
function visit(tree: TreeScreenDriver, path = '/s/b.jsonl'): TreeScreenDriver {
  tree.press('ctrl+g');
  const label = { path, id: 'b', cwd: '/w', entryId: 'two', line: 3, type: 'message', role: 'user' };
  const labels = [{ ...label, label: 'good', labelledMs: 5, text: 'two' }];
  tree.send({ type: 'labelsFound', seq: tree.state.seq, found: { labels, problems: [], isDone: true } });
  tree.press('enter');
  return read(tree, there);
}

function read(tree: TreeScreenDriver, entries: readonly TestEntry[]): TreeScreenDriver {
  return tree.send({ type: 'treeRead', version: 1, skeleton: skeletonOf(entries), stamp: STAMP });
}

/** Two hits of the search that is under way. */
function find(tree: TreeScreenDriver): TreeScreenDriver {
  const hits = Int32Array.of(0, 3);
  return tree.send({ type: 'hitsFound', seq: tree.state.view.pending?.seq ?? -1, hits, isDone: true });
}

/** What one has made of a tree: where one stands, what is shown of it. */
function shownOf({ state }: TreeScreenDriver): unknown {
  const { path, filter, folds, line, index, top } = state.view;
  return { path, filter, folds: [...folds], text: line.text, at: selectedAt(state.view), index, top };
}

it('a label of another session opens its tree at the entry, in place of this one', () => {
  const tree = visit(new TreeScreenDriver(here));
  expect(tree.asked('openTree')).toEqual({ type: 'openTree', path: '/s/b.jsonl' });
  expect(shownOf(tree)).toMatchObject({ path: '/s/b.jsonl', at: 1, filter: 'default' });
  expect(treeMode(tree.state)).toBe('tree');
  expect(tree.state.exit).toBeUndefined();
});

it('Esc leads back to the tree as it was left: selection, folds, filter and search', () => {
  const tree = new TreeScreenDriver(here).press('alt+o', 'alt+u', 'up', 'up');
  expect(tree.state.view.folds.size).toBe(1);
  find(tree.press('a'));
  const before = shownOf(tree);
  visit(tree).press('down', 'alt+a', 'x');
  expect(shownOf(tree)).not.toEqual(before);
  tree.press('esc').press('esc');
  expect(tree.asked('openTree')).toEqual({ type: 'openTree', path: '/s/a.jsonl' });
  expect(shownOf(tree)).toEqual(before);
  expect(shownOf(find(read(tree, here)))).toEqual(before);
  tree.press('esc');
  expect(tree.state.exit).toBeUndefined();
  expect(tree.press('esc').state.exit).toEqual({ kind: 'left' });
});

it('the way back leads through every tree that one went through', () => {
  const tree = visit(visit(new TreeScreenDriver(here)), '/s/c.jsonl');
  const paths = [tree.state.view.path];
  for (let times = 0; times < 2; times++) paths.push(tree.press('esc').state.view.path);
  expect(paths).toEqual(['/s/c.jsonl', '/s/b.jsonl', '/s/a.jsonl']);
  expect(tree.press('esc').state.exit).toEqual({ kind: 'left' });
});

it('the tree behind has the size that the window has now', () => {
  const tree = visit(new TreeScreenDriver(here));
  tree.send({ type: 'treeResized', size: { columns: 40, rows: 10 } }).press('esc');
  expect(tree.state.view.size).toEqual({ columns: 40, rows: 10 });
});

it('the status bar says that Esc goes back, and at the first tree that it leaves', () => {
  const status = (tree: TreeScreenDriver): string =>
    treeStatus(tree.state)
      .map(({ text }) => text)
      .join('');
  const tree = new TreeScreenDriver(here).send({ type: 'treeResized', size: { columns: 160, rows: 24 } });
  expect(status(tree)).toContain('Esc leave');
  expect(status(visit(tree))).toContain('Esc back');
  expect(status(tree.press('esc'))).toContain('Esc leave');
});

it('a branch that was looked into is nobody’s question any more when one comes back', () => {
  const tree = new TreeScreenDriver(here).press('enter');
  const { seq } = tree.state;
  visit(tree).press('esc');
  const refused = { kind: 'refused', reason: 'x' } as const;
  tree.send({
    type: 'branchPlanned',
    seq,
    answer: { inPlace: refused, newFile: refused, text: undefined, resume: refused },
  });
  expect(treeMode(tree.state)).toBe('tree');
});
