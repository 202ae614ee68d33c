import { describe, expect, it } from 'vitest';
import { treeState } from '../../src/model/tree-text.ts';
import { entryFlags } from '../../src/session/skeleton.ts';
import { TreeDriver } from './tree-driver.ts';
import { chainOf, skeletonOf, type TestEntry } from './trees.ts';

const entries: TestEntry[] = [
  { id: 'start', parent: -1 },
  { id: 'answer', parent: 0, kind: ':assistant', label: 'good' },
  { id: 'side-a', parent: 1 },
  { id: 'side-b', parent: 2, kind: ':assistant' },
  { id: 'main-a', parent: 1 },
  { id: 'tool', parent: 4, kind: ':toolResult' },
  { id: 'main-b', parent: 5, kind: ':assistant', label: 'best' },
  { id: 'switch', parent: 6, kind: 'model_change' },
  { id: 'end', parent: 7 },
];
const open = (list = entries, leaf?: number): TreeDriver => new TreeDriver(skeletonOf(list, leaf));

it('the cursor starts on the leaf, and the end of the tree is in sight', () => {
  const tree = open();
  expect(tree.shown).toEqual(['start', 'answer', 'main-a', 'tool', 'main-b', 'end', 'side-a', 'side-b']);
  expect(tree.selected).toBe('end');
});

it('up and down go round', () => {
  expect(open().act('first', 'previous').selected).toBe('side-b');
  expect(open().act('last', 'next').selected).toBe('start');
});

it('turns, branch points, labels, parent and child are each one key away', () => {
  const tree = open();
  expect(tree.act('previousTurn').selected).toBe('main-b');
  expect(tree.act('previousTurn').selected).toBe('main-a');
  expect(tree.act('previousBranch').selected).toBe('answer');
  expect(tree.act('previousBranch').selected).toBe('answer');
  expect(tree.state.notice?.text).toBe('No branch point above');
  expect(tree.act('nextLabel').selected).toBe('main-b');
  expect(tree.act('nextLabel').selected).toBe('answer');
  expect(tree.act('parent').selected).toBe('start');
  expect(tree.act('child', 'child').selected).toBe('main-a');
});

describe('folding', () => {
  it('folds the run at whose start one stands, else goes up to that start', () => {
    const tree = open().act('last');
    expect(tree.act('fold').selected).toBe('side-a');
    expect(tree.act('fold').shown).toEqual(['start', 'answer', 'main-a', 'tool', 'main-b', 'end', 'side-a']);
    expect(tree.act('fold').selected).toBe('start');
  });

  it('unfolds, else goes down to the next run or the end of this one', () => {
    const tree = open().act('last', 'fold', 'fold', 'unfold');
    expect(tree.shown).toHaveLength(8);
    expect(tree.act('first', 'unfold').selected).toBe('main-a');
    expect(tree.act('unfold').selected).toBe('end');
  });

  it('folds everything but the active path, and opens all again', () => {
    const tree = open().act('foldOthers');
    expect(tree.shown).toEqual(['start', 'answer', 'main-a', 'tool', 'main-b', 'end', 'side-a']);
    expect(tree.act('unfoldAll').shown).toHaveLength(8);
  });

  it('says that the active entry is hidden', () => {
    const tree = open().act('first', 'fold');
    expect(tree.shown).toEqual(['start']);
    expect(treeState(tree.state)).toContain('active entry hidden');
    expect(treeState(tree.act('unfold').state)).not.toContain('active entry hidden');
  });
});

it('the filters follow each other as in the agents, both ways round', () => {
  const tree = open();
  const filters = Array.from({ length: 5 }, () => tree.act('nextFilter').state.filter);
  expect(filters).toEqual(['no-tools', 'user', 'labelled', 'all', 'default']);
  expect(tree.act('previousFilter').state.filter).toBe('all');
  expect(tree.act('filterUser').shown).toEqual(['start', 'main-a', 'end', 'side-a']);
});

it('fold, filter, search and clear leave the selection on its entry', () => {
  const tree = open().act('last', 'previous', 'next');
  expect(tree.selected).toBe('side-b');
  tree.act('foldOthers');
  expect(tree.selected).toBe('side-a');
  tree.act('filterLabelled');
  expect(tree.selected).toBe('answer');
  tree.type('main-b');
  expect(tree.selected).toBe('main-b');
  tree.clear().act('filterDefault', 'unfoldAll');
  expect(tree.selected).toBe('side-b');
});

describe('searching', () => {
  it('shows hits of every branch alone, counts them, and a longer search looks at them only', () => {
    const tree = open().type('a');
    expect(tree.shown).toEqual(['start', 'answer', 'main-a', 'main-b', 'side-a']);
    tree.type('i');
    expect(tree.shown).toEqual(['main-a', 'main-b']);
    const search = tree.effects.findLast((effect) => effect.type === 'searchTree');
    expect(search?.type === 'searchTree' ? Array.from(search.within ?? []) : []).toEqual([0, 1, 2, 4, 6]);
  });

  it('a hit in a fold is shown, and one that the filter hides is counted', () => {
    const tree = open().act('foldOthers').type('side-b');
    expect(tree.shown).toEqual(['side-b']);
    tree.clear().type('switch');
    expect(tree.shown).toEqual([]);
    expect(treeState(tree.state)).toContain('1 hits hidden by the filter');
  });

  it('a cleared search leaves the cursor on the hit, and its hits one key away, out of their folds', () => {
    const tree = open().act('foldOthers').type('side').act('first').clear();
    expect(tree.selected).toBe('side-a');
    expect(tree.act('nextHit').selected).toBe('side-b');
    expect(tree.act('nextHit').selected).toBe('side-a');
    expect(tree.act('previousHit').selected).toBe('side-b');
  });

  it('the hits of an abandoned search change nothing', () => {
    const tree = open();
    tree.isSlow = true;
    tree.type('side').clear();
    tree.deliver();
    expect(tree.shown).toHaveLength(8);
    tree.type('x').type('main');
    const stale = tree.effects.filter((effect) => effect.type === 'searchTree').at(-2);
    tree.send({
      type: 'hitsFound',
      seq: stale?.type === 'searchTree' ? stale.seq : 0,
      hits: Int32Array.of(0),
      isDone: true,
    });
    expect(tree.shown).toHaveLength(8);
  });
});

it('texts are asked for the window and a page around it alone, each once', () => {
  const tree = new TreeDriver(chainOf(Int32Array.from({ length: 100_000 }, (_, at) => at - 1)));
  const asked = (): number => tree.effects.flatMap((effect) => (effect.type === 'readLines' ? effect.ats : [])).length;
  const first = asked();
  expect(first).toBeLessThan(100);
  tree.act('previous', 'previous', 'next');
  expect(asked()).toBe(first);
  tree.act('first');
  expect(asked()).toBeLessThan(2 * first + 100);
});

it('who stands on the leaf stays on it when the session goes on, others stay on their entry', () => {
  const longer = skeletonOf([...entries, { id: 'more', parent: 8 }]);
  const onLeaf = open();
  onLeaf.send({ type: 'treeRead', version: 2, skeleton: longer, stamp: undefined });
  expect(onLeaf.state.anchor).toBe(9);
  const elsewhere = open().act('first');
  elsewhere.send({ type: 'treeRead', version: 2, skeleton: longer, stamp: undefined });
  expect(elsewhere.selected).toBe('start');
});

it('damage that a full reading finds marks its row, and the selection stays', () => {
  const tree = open().act('first');
  const marked = entries.map((entry, at) => (at === 2 ? { ...entry, flags: entryFlags.damaged } : entry));
  tree.send({ type: 'treeRead', version: 2, skeleton: skeletonOf(marked), stamp: undefined });
  expect(treeState(tree.state)).toContain('! 1 damaged');
  expect(tree.selected).toBe('start');
});

it('a marked entry is compared with the one under the cursor, late answers are dropped', () => {
  const tree = open().act('last', 'mark', 'activeEntry', 'compare');
  expect(tree.effects.at(-1)).toMatchObject({ type: 'compareEntries', a: 3, b: 8 });
  tree.send({ type: 'compared', seq: 0, answer: { kind: 'failed', reason: 'late' } });
  expect(tree.state.panel?.answer.kind).toBe('loading');
  expect(tree.clear().state.panel).toBeUndefined();
});

it('what is read for a panel is stopped when the panel closes before it is there, and only then', () => {
  const tree = open().act('context');
  const stops = (): number => tree.effects.filter(({ type }) => type === 'stopPanel').length;
  tree.clear();
  expect(stops()).toBe(1);
  tree.act('context');
  tree.send({ type: 'contextRead', seq: tree.state.seq, answer: { kind: 'failed', reason: 'no' } });
  tree.clear();
  expect(stops()).toBe(1);
});

describe('opened for an entry with words', () => {
  const openFor = (startId: string, ...words: readonly string[]): TreeDriver =>
    new TreeDriver(skeletonOf(entries), undefined, { startId, words });

  it('stands on the entry with its branch in sight, the line empty, and goes on from hit to hit', () => {
    const tree = openFor('side-a', 'side');
    expect(tree.selected).toBe('side-a');
    expect(tree.state.line.text).toBe('');
    expect(tree.shown).toContain('start');
    expect(tree.state.notice?.text).toBe('F3 goes on to the next of 2 entries with “side”');
    expect(tree.act('nextHit').selected).toBe('side-b');
    expect(tree.act('nextHit').selected).toBe('side-a');
    expect(tree.act('previousHit').selected).toBe('side-b');
  });

  it('an entry that the filter would hide is shown all the same', () => {
    const tree = openFor('switch', 'switch');
    expect([tree.selected, tree.state.filter]).toEqual(['switch', 'all']);
    expect(tree.state.notice).toBeUndefined();
  });

  it('the hits are searched for anew when the file has grown, and told of once', () => {
    const tree = openFor('side-a', 'side').act('next');
    const grown = [...entries, { id: 'side-c', parent: 3 }];
    tree.send({ type: 'treeRead', version: 2, skeleton: skeletonOf(grown), stamp: undefined });
    expect(tree.state.search?.count).toBe(2);
    expect(tree.state.search?.hits).toHaveLength(grown.length);
    expect(tree.state.notice).toBeUndefined();
  });
});
