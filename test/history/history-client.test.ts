import { expect, onTestFinished, test } from 'vitest';
import type { AgentRoot } from '../../src/agents/agents.ts';
import { openPromptHistory } from '../../src/history/history-client.ts';
import type { PromptHistory, PromptNews } from '../../src/history/prompt-history.ts';
import { World } from './helpers.ts';

const WORKER = new URL('../../src/worker.ts', import.meta.url);
const T0 = 1_770_000_000;

function open(roots: readonly AgentRoot[], stateDir: string, worker = WORKER): PromptHistory {
  const history = openPromptHistory(worker, roots, stateDir);
  onTestFinished(() => history.close());
  return history;
}

/** A history of so many prompts, each a word of its own, and the thread that reads it. */
function opened(count: number): { readonly world: World; readonly root: AgentRoot; readonly history: PromptHistory } {
  const world = new World();
  const root = world.root('xcsh');
  const prompts = Array.from({ length: count }, (_, n) => ({ prompt: `prompt${n} zz`, at: T0 + n, cwd: '/w' }));
  world.store(root.folders.historyPath, prompts);
  return { world, root, history: open([root], world.stateDir) };
}

test('a search tells what it finds until it is done', async () => {
  const { history } = opened(10);
  const news: PromptNews[] = [];
  await history.search('prompt7', undefined, (found) => news.push(found));
  expect(news.at(-1)).toMatchObject({ isDone: true, groups: [{ prompt: 'prompt7 zz', count: 1 }] });
  expect(news.slice(0, -1).every(({ isDone }) => !isDone)).toBe(true);
});

test('a later search ends the one before, which says nothing more', async () => {
  const { history } = opened(40_000);
  const early: PromptNews[] = [];
  let isLate = false;
  let heardLate = 0;
  // Nothing begins with it, so that every slice is looked through.
  const abandoned = history.search('ompt', undefined, (found) => {
    early.push(found);
    if (isLate) heardLate++;
  });
  void abandoned.catch(() => {});
  isLate = true;
  const news: PromptNews[] = [];
  await history.search('prompt39999', undefined, (found) => news.push(found));
  expect(news.at(-1)?.groups.map(({ prompt }) => prompt)).toEqual(['prompt39999 zz']);
  // Whoever answers this one has left the first search behind.
  await history.places('prompt1 zz');
  expect(heardLate).toBe(0);
  expect(early.some(({ isDone }) => isDone)).toBe(false);
});

test('places and conversations are found by the thread too, and failures are ours', async () => {
  const { world, root, history } = opened(3);
  const path = world.session(root, 's1', '/w', [{ text: 'prompt1 zz', atMs: (T0 + 1) * 1000 }]);
  expect(await history.places('prompt1 zz')).toEqual([{ path, id: 's1', entryId: 'u0', timeMs: (T0 + 1) * 1000 }]);
  const { transcript, at } = await history.transcriptAt(path, 'u0', 10);
  expect(transcript.items[at]?.text).toBe('prompt1 zz');
  await expect(history.transcriptAt(path, 'gone', 10)).rejects.toMatchObject({ code: 'entry_not_found' });
  await expect(history.transcriptAt('/nowhere.jsonl', 'x', 10)).rejects.toMatchObject({ code: 'not_found' });
});

test('a thread that cannot start fails what waits for it', async () => {
  const history = open([], '/nowhere', new URL('./no-such-worker.js', import.meta.url));
  await expect(history.search('x', undefined, () => {})).rejects.toMatchObject({ code: 'io' });
});
