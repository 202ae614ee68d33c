import { MessageChannel } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { serveHistory } from '../../src/history/history-service.ts';
import type { HistoryReply, HistoryRequest } from '../../src/history/wire.ts';
import { World } from './helpers.ts';

/** The service over a channel of its own, with everything that it says. */
function serve(world: World, promptCount: number) {
  const root = world.root('xcsh');
  const prompts = Array.from({ length: promptCount }, (_, n) => ({ prompt: `prompt${n}`, at: 1_770_000_000 + n }));
  world.store(root.folders.historyPath, prompts);
  const { port1, port2 } = new MessageChannel();
  const replies: HistoryReply[] = [];
  port2.on('message', (reply: HistoryReply) => replies.push(reply));
  onTestFinished(() => port2.close());
  serveHistory(port1, [root], { stateDir: world.stateDir });
  return { ask: (request: HistoryRequest) => port2.postMessage(request), replies };
}

const isDone = (reply: HistoryReply, seq: number): boolean =>
  reply.type === 'news' && reply.seq === seq && reply.news.isDone;

test('a search is stopped by the next one, in the middle of its work', async () => {
  const { ask, replies } = serve(new World(), 60_000);
  // No word begins so: every slice has to be looked through.
  ask({ type: 'search', seq: 1, query: 'mpt5999', folders: undefined });
  ask({ type: 'search', seq: 2, query: 'prompt59999', folders: undefined });
  await expect.poll(() => replies.some((reply) => isDone(reply, 2)), { timeout: 10_000 }).toBe(true);
  ask({ type: 'search', seq: 3, query: 'prompt1', folders: undefined });
  await expect.poll(() => replies.some((reply) => isDone(reply, 3)), { timeout: 10_000 }).toBe(true);
  expect(replies.some((reply) => isDone(reply, 1))).toBe(false);
});

test('hits at the beginning of words are told before the rest is looked through', async () => {
  const { ask, replies } = serve(new World(), 60_000);
  ask({ type: 'search', seq: 1, query: 'prompt59999', folders: undefined });
  await expect.poll(() => replies.length, { timeout: 10_000 }).toBeGreaterThan(1);
  expect(replies[0]).toMatchObject({ type: 'news', news: { isDone: false, groups: [{ prompt: 'prompt59999' }] } });
});
