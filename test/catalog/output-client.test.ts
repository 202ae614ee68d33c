import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { OutputSearch, OutputsFound } from '../../src/catalog/catalog.ts';
import { keepEverything } from '../../src/catalog/keeping.ts';
import { scanOutputs } from '../../src/catalog/output-client.ts';
import { nodeCode } from '../../src/errors.ts';
import { CatalogFolder } from './catalog-folder.ts';

const WORKER = new URL('../../src/worker.ts', import.meta.url);
const AT = '2026-01-02T03:04:05.678Z';

let folder: CatalogFolder;
beforeEach(() => {
  folder = new CatalogFolder();
});
afterEach(() => folder[Symbol.dispose]());

/** A session in whose tool output a word stands `hits` times, far apart. */
function addOutput(id: string, cwd: string, hits: number, fillUnits: number): OutputSearch['files'][number] {
  const result = (n: number, text: string): object => ({
    type: 'message',
    id: `${id}${n}`,
    parentId: null,
    timestamp: AT,
    message: { role: 'toolResult', toolCallId: 'c', toolName: 'bash', content: [{ type: 'text', text }], timestamp: 1 },
  });
  const fill = 'line after line '.repeat(Math.ceil(fillUnits / 16));
  const lines = Array.from({ length: hits }, (_, n) => [result(n, 'a zebra'), result(n + hits, fill)]).flat();
  const path = folder.write(`--w--/${id}.jsonl`, [{ type: 'session', version: 3, id, timestamp: AT, cwd }, ...lines]);
  return { path, id, cwd, isSubAgent: false, sizeBytes: statSync(path).size };
}

/** Scans to the end. */
function scan(search: Partial<OutputSearch>, rules = keepEverything): Promise<readonly OutputsFound[]> {
  return new Promise((resolve) => {
    const all: OutputsFound[] = [];
    scanOutputs(WORKER, rules, { text: 'zebra', without: [], limit: 100, files: [], ...search }, (found) => {
      all.push(found);
      if (found.isDone) resolve(all);
    });
  });
}

const entriesIn = (all: readonly OutputsFound[]): (string | null)[] =>
  all.flatMap(({ hits }) => hits.map(({ entryId }) => entryId));

it('finds what tools gave back, in the order of the files, and tells how far it is', async () => {
  const files = ['b', 'a'].map((id) => addOutput(id, '/w', 2, 10));
  const all = await scan({ files });
  expect(entriesIn(all)).toEqual(['b0', 'b1', 'a0', 'a1']);
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  expect(all.at(-1)).toMatchObject({ doneBytes: totalBytes, totalBytes, isDone: true });
});

it('ends at its limit, passes over what is gone, and over what settings keep out', async () => {
  const files = ['a', 'b'].map((id) => addOutput(id, `/${id}`, 3, 10));
  expect(entriesIn(await scan({ files, limit: 4 }))).toEqual(['a0', 'a1', 'a2', 'b0']);
  const gone = { ...files[0], path: '/not/there.jsonl' } as (typeof files)[number];
  expect(entriesIn(await scan({ files: [gone, ...files.slice(1)] }))).toEqual(['b0', 'b1', 'b2']);
  const rules = { leaveOut: ['/a'], metadataOnly: ['/b'] };
  expect(entriesIn(await scan({ files }, rules))).toEqual([]);
});

it('stopped, it says nothing more and has no file open any more', async () => {
  const big = addOutput('big', '/w', 12, 6_000_000);
  const files = Array.from({ length: 40 }, () => big);
  const isOpen = (): boolean =>
    readdirSync('/proc/self/fd').some((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === big.path;
      } catch (error) {
        // Closed since the folder was read.
        if (nodeCode(error) !== 'ENOENT') throw error;
        return false;
      }
    });
  let told = 0;
  let stop = (): void => {};
  await new Promise<void>((resolve) => {
    stop = scanOutputs(WORKER, keepEverything, { text: 'zebra', without: [], limit: 1_000, files }, ({ isDone }) => {
      told++;
      expect(isDone).toBe(false);
      resolve();
    });
  });
  stop();
  const before = told;
  if (process.platform === 'linux')
    await vi.waitFor(() => expect(isOpen()).toBe(false), { timeout: 2_000, interval: 5 });
  // Whatever was under way has come by the time that another scan is done.
  await scan({ files: files.slice(0, 1) });
  expect(told).toBe(before);
});

it('keeps nobody waiting who would do something else meanwhile', async () => {
  const files = Array.from({ length: 10 }, () => addOutput('big', '/w', 4, 6_000_000));
  let isDone = false;
  const scanned = scan({ files }).then(() => {
    isDone = true;
  });
  let turns = 0;
  while (!isDone) {
    await new Promise(setImmediate);
    turns++;
  }
  await scanned;
  expect(turns).toBeGreaterThan(100);
});
