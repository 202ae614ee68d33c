import { expect, it } from 'vitest';
import { openTree, type TreeLink } from '../../src/catalog/tree-client.ts';
import type { TreeRequest } from '../../src/catalog/wire.ts';

it('a context that nobody waits for any more is cancelled in the worker, and its answer is nobody’s', () => {
  const sent: TreeRequest[] = [];
  const forgotten: number[] = [];
  const link: TreeLink = {
    ask: (make) => sent.push(make(sent.length + 1)),
    tell: (request) => void sent.push(request),
    forget: (seq) => void forgotten.push(seq),
  };
  const reader = openTree(link, '/s/a.jsonl', () => {});
  const panel = new AbortController();
  void reader.context(1, 5, panel.signal);
  expect(sent.at(-1)).toEqual({ type: 'treeContext', seq: 2, tree: 1, version: 1, at: 5 });
  panel.abort();
  expect(sent.at(-1)).toEqual({ type: 'cancelTree', seq: 2 });
  expect(forgotten).toEqual([2]);
});
