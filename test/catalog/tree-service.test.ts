import { appendFileSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TreeService } from '../../src/catalog/tree-service.ts';
import { TreeSession } from '../../src/catalog/tree-session.ts';
import type { Reply } from '../../src/catalog/wire.ts';
import { contextOfPath } from '../../src/session/context.ts';
import { contextItems } from '../../src/session/context-items.ts';
import { entriesOnPath, loadSession } from '../../src/session/loaded-session.ts';
import { SessionFile } from '../../src/session/scan.ts';
import { entryFlags } from '../../src/session/skeleton.ts';
import { makeTempDir } from '../session/temp-dir.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures/sessions');
const header = { type: 'session', version: 3, id: 's1', timestamp: '2026-01-02T03:04:05.678Z', cwd: '/w' };
const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, cost: { total: 0.5 } };

function message(id: string, parentId: string | null, value: object): string {
  const timestamp = `2026-01-02T03:04:${String(id.charCodeAt(0) - 97).padStart(2, '0')}.000Z`;
  return JSON.stringify({ type: 'message', id, parentId, timestamp, message: value });
}

const user = (id: string, parentId: string | null, content: string) => message(id, parentId, { role: 'user', content });
const answer = (id: string, parentId: string, ...content: object[]) =>
  message(id, parentId, { role: 'assistant', content, usage, stopReason: 'toolUse' });
const call = (id: string, name: string, path: string) => ({ type: 'toolCall', id, name, arguments: { path } });
const result = (id: string, parentId: string, toolCallId: string, isError: boolean) =>
  message(id, parentId, {
    role: 'toolResult',
    toolCallId,
    toolName: 'x',
    content: [{ type: 'text', text: 'out' }],
    isError,
  });

const lines = [
  JSON.stringify(header),
  user('a', null, 'start'),
  answer('b', 'a', call('t1', 'write', 'one.ts'), call('t2', 'edit', 'two.ts')),
  result('c', 'b', 't1', false),
  result('d', 'c', 't2', true),
  user('e', 'a', 'the other way'),
  answer('f', 'e', { type: 'text', text: 'done' }),
];

function write(content: readonly string[] = lines): string {
  const path = join(makeTempDir(), 's.jsonl');
  writeFileSync(path, content.map((line) => `${line}\n`).join(''));
  return path;
}

function finish<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** An open service, and what it has sent. */
function open(path: string): {
  readonly service: TreeService;
  readonly replies: Reply[];
  readonly opened: Promise<void>;
} {
  const replies: Reply[] = [];
  const service = new TreeService((reply) => replies.push(reply));
  return { service, replies, opened: service.answer({ type: 'openTree', seq: 1, path }) };
}

it('the skeleton comes first, and word that nothing more was found after it', async () => {
  const { replies, opened } = open(write());
  expect(replies.map(({ type }) => type)).toEqual(['tree']);
  await opened;
  expect(replies.map(({ type }) => type)).toEqual(['tree', 'treeVerified']);
});

it('damage that only a full reading finds comes as a second skeleton', async () => {
  const broken =
    '{"type":"message","id":"z","parentId":"f","timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user",oops}}';
  const { replies, opened } = open(write([...lines, broken]));
  await opened;
  const flags = replies.map((reply) => (reply.type === 'tree' ? reply.skeleton.flags.at(-1) : undefined));
  expect(flags).toEqual([0, entryFlags.damaged]);
});

it('a question about an older state of the file is not answered, and looking again gives the newer one', async () => {
  const path = write();
  const { service, replies, opened } = open(path);
  await opened;
  appendFileSync(path, `${user('g', 'f', 'more')}\n`);
  await service.answer({ type: 'treeText', seq: 2, tree: 1, version: 1, at: 0 });
  expect(replies.at(-1)).toEqual({ type: 'treeAnswer', seq: 2, answer: undefined });
  await service.answer({ type: 'treeCheck', tree: 1 });
  expect(replies.findLast((reply) => reply.type === 'tree')).toMatchObject({ version: 2, skeleton: { leaf: 6 } });
  await service.answer({ type: 'treeText', seq: 3, tree: 1, version: 2, at: 6 });
  expect(replies.at(-1)).toEqual({ type: 'treeAnswer', seq: 3, answer: 'more' });
});

it('a search sends what it finds, and none after it was cancelled', async () => {
  const { service, replies, opened } = open(write());
  await opened;
  await service.answer({ type: 'treeSearch', seq: 2, tree: 1, version: 1, words: ['two.ts'], within: undefined });
  const found = replies.filter((reply) => reply.type === 'treeHits' && reply.seq === 2);
  expect(found.flatMap((reply) => (reply.type === 'treeHits' ? [...reply.hits] : []))).toEqual([1, 3]);
  expect(found.at(-1)).toMatchObject({ isDone: true });
  const big = write([lines[0] ?? '', ...Array.from({ length: 20_000 }, (_, n) => user('a', null, `number ${n}`))]);
  await service.answer({ type: 'openTree', seq: 3, path: big });
  const search = service.answer({
    type: 'treeSearch',
    seq: 4,
    tree: 3,
    version: 1,
    words: ['number'],
    within: undefined,
  });
  await service.answer({ type: 'cancelTree', seq: 4 });
  await search;
  expect(replies.some((reply) => reply.type === 'treeHits' && reply.seq === 4 && reply.isDone)).toBe(false);
});

it('a file that is gone is told of, once, and keeps what was read', async () => {
  const path = write();
  const { service, replies, opened } = open(path);
  await opened;
  rmSync(path);
  await service.answer({ type: 'treeCheck', tree: 1 });
  await service.answer({ type: 'treeCheck', tree: 1 });
  expect(replies.filter(({ type }) => type === 'treeFailed')).toMatchObject([{ failure: { code: 'not_found' } }]);
});

it('two branches are compared from the last entry that they share', async () => {
  const { service, replies, opened } = open(write());
  await opened;
  await service.answer({ type: 'treeCompare', seq: 2, tree: 1, version: 1, a: 3, b: 5 });
  const tokens = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 };
  expect(replies.at(-1)).toMatchObject({
    answer: {
      ancestor: 0,
      sides: [
        { prompts: [], files: [{ path: 'one.ts', changes: 1 }], failures: ['edit: two.ts'], tokens, cost: 0.5 },
        { prompts: ['the other way'], lastAnswer: 'done', files: [], failures: [], tokens, cost: 0.5 },
      ],
    },
  });
});

it.each([
  '01-pi-v1-glued-line-compaction.jsonl',
  '03-gjc-v3-blobrefs-badline-orphan-compaction.jsonl',
  '12-fixture-pi-v3-branch-label-unknown-type.jsonl',
])('what a model would see in %s is what the whole reading gives', (name) => {
  const path = join(makeTempDir(), 's.jsonl');
  copyFileSync(join(FIXTURES, name), path);
  const session = new TreeSession(path);
  const { leaf } = session.glance();
  using file = new SessionFile(path);
  const loaded = loadSession(file);
  const expected = contextItems(contextOfPath(entriesOnPath(loaded, loaded.leaf)));
  const seen = finish(session.context(leaf));
  expect(seen?.items.map(({ tokens }) => tokens)).toEqual(expected.map(({ tokens }) => tokens));
  expect(seen?.omitted).toBe(0);
});

/** A conversation of so many prompts behind each other. */
function long(count: number): string {
  const prompts = Array.from({ length: count }, (_, n) => user(`n${n}`, n === 0 ? null : `n${n - 1}`, `prompt ${n}`));
  return write([lines[0] ?? '', ...prompts]);
}

it('of a very long context the first message and the last ones are shown, and the tokens of all are counted', () => {
  const session = new TreeSession(long(2_500));
  const seen = finish(session.context(session.glance().leaf));
  expect(seen?.items).toHaveLength(2_000);
  expect(seen?.omitted).toBe(500);
  expect(seen?.items.slice(0, 2).map(({ text }) => text)).toEqual(['prompt 0', 'prompt 501']);
  expect(seen?.items.at(-1)?.text).toBe('prompt 2499');
  expect(seen?.tokens).toBe(10 * 2 + 2_490 * 3);
});

it('the end of a path is told with the entries that stand before it, after the file has grown too', () => {
  const path = long(100);
  const session = new TreeSession(path);
  expect(session.transcript(session.glance().leaf, 10)?.omitted).toBe(90);
  appendFileSync(path, `${user('more', 'n99', 'more')}\n`);
  expect(session.transcript(session.glance().leaf, 10)?.omitted).toBe(91);
});

it('other questions are answered before a long context is, which ends when nobody waits for it', async () => {
  const { service, replies, opened } = open(long(30_000));
  await opened;
  const answers = (): number[] => replies.flatMap((reply) => (reply.type === 'treeAnswer' ? [reply.seq] : []));
  const context = service.answer({ type: 'treeContext', seq: 2, tree: 1, version: 1, at: 29_999 });
  await service.answer({ type: 'treeText', seq: 3, tree: 1, version: 1, at: 0 });
  expect(answers()).toEqual([3]);
  await context;
  expect(answers()).toEqual([3, 2]);
  const unwanted = service.answer({ type: 'treeContext', seq: 4, tree: 1, version: 1, at: 29_999 });
  await service.answer({ type: 'cancelTree', seq: 4 });
  await unwanted;
  expect(replies.at(-1)).toEqual({ type: 'treeAnswer', seq: 4, answer: undefined });
});

it('the path is read as far as it is asked for, and nothing of the file changes', () => {
  const path = write();
  const before = readFileSync(path);
  const session = new TreeSession(path);
  session.glance();
  const transcript = session.transcript(3, 2);
  expect(transcript?.omitted).toBe(2);
  expect(session.transcript(5, 2)?.omitted).toBe(1);
  expect(transcript?.items.map(({ entryId }) => entryId)).toEqual(['c', 'd']);
  expect(readFileSync(path)).toEqual(before);
});
