import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openCatalog } from '../src/catalog/catalog-client.ts';
import { createTreeView, type TreeEffect, type TreeEvent, type TreeViewState } from '../src/model/tree-state.ts';
import { updateTree } from '../src/model/tree-view.ts';
import { corpus } from './corpus.ts';
import { compare, type Measurement, median, print, timed } from './measure.ts';
import { BenchTerminal } from './terminal.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const LAUNCHER = path.join(ROOT, 'bin', 'bough.cjs');
const WORKER = new URL('../dist/worker.js', import.meta.url);
const SIZE = { columns: 120, rows: 40 };
const KEYS = 20;
const UP = '\u001b[A';

/** The largest session of a corpus. */
function largestIn(folder: string): string {
  const sessions = path.join(folder, 'sessions');
  const files = readdirSync(sessions, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => path.join(sessions, name));
  const [largest] = files.toSorted((a, b) => statSync(b).size - statSync(a).size);
  if (largest === undefined) throw new Error(`no session in ${folder}`);
  return largest;
}

/** Opens a tree until its window has its texts: from then on every key acts. Gives milliseconds. */
async function untilNavigable(file: string, small: string): Promise<number> {
  const catalog = openCatalog(WORKER, [], { cacheDir: path.join(tmpdir(), 'bough-bench-none'), rules: undefined });
  // The reading thread alone keeps no process alive; in the program the terminal does.
  const alive = setInterval(() => {}, 1_000);
  try {
    // The thread starts while the screen loads, so its start is no part of this.
    await opened(catalog, small);
    return await timed(() => opened(catalog, file));
  } finally {
    clearInterval(alive);
    catalog.close();
  }
}

function opened(catalog: ReturnType<typeof openCatalog>, file: string): Promise<TreeViewState> {
  return new Promise((resolve, reject) => {
    let state = createTreeView({ path: file, title: '', startId: undefined }, SIZE, Date.now());
    const reader = catalog.tree(file, (news) => {
      if (news.kind === 'failed') reject(news.error);
      if (news.kind === 'tree')
        send({ type: 'treeRead', version: news.version, skeleton: news.skeleton, stamp: news.stamp });
    });
    const doEffect = (effect: TreeEffect): void => {
      if (effect.type !== 'readLines') return;
      const { version, ats, words } = effect;
      void reader.lines(version, ats, words).then((lines) => {
        if (lines === undefined) return;
        send({ type: 'linesRead', version, lines });
        reader.close();
        resolve(state);
      });
    };
    const send = (event: TreeEvent): void => {
      const [next, ...effects] = updateTree(state, event);
      state = next;
      effects.forEach(doEffect);
    };
  });
}

/** The most memory that a process ever holds whose reading thread opens a tree and verifies it, in bytes. Linux only. */
function peakBytes(file: string): number {
  const code = `
    const { Worker } = require('node:worker_threads');
    const worker = new Worker(new URL(${JSON.stringify(WORKER.href)}), { workerData: { roots: [], cacheDir: '/nonexistent' } });
    worker.on('message', ({ type }) => {
      if (type === 'tree') return;
      // What getrusage says of a child begins with the memory of its parent.
      const [, kilobytes] = /VmHWM:\\s+(\\d+)/.exec(require('node:fs').readFileSync('/proc/self/status', 'utf8'));
      console.log(kilobytes * 1024);
      process.exit();
    });
    worker.postMessage({ type: 'openTree', seq: 1, path: ${JSON.stringify(file)} });
  `;
  return Number(execFileSync(process.execPath, ['--eval', code], { encoding: 'utf8' }));
}

/** The tree of a very large session: until it can be moved in, the memory for it, and keys beside a small one. */
export async function run({ full }: { readonly full: boolean }): Promise<readonly Measurement[]> {
  const entries = full ? '100000' : '20000';
  const big = (count: string) =>
    largestIn(corpus('--sessions', '3', '--projects', '3', '--big-session-entries', count, '--seed', '4'));
  const file = big(entries);
  const small = big('200');
  const rounds = full ? 9 : 5;
  const megabytes = Math.round(statSync(file).size / 1e6);
  const navigable = await compare(
    `tree of ${entries} entries navigable`,
    () => untilNavigable(file, small),
    `reading its ${megabytes} MB`,
    () => timed(() => readFileSync(file)),
    { rounds, target: 4 },
  );
  print(navigable);
  const peak = peakBytes(file);
  const share = peak / statSync(file).size;
  process.stdout.write(
    `${'peak memory'.padEnd(44)} ${(peak / 1e6).toFixed(0).padStart(9)} MB  ${String(megabytes).padStart(9)} MB  ${share.toFixed(2).padStart(6)}×  (the file)  target 2.5\n`,
  );
  const keyIn = async (session: string): Promise<number> => {
    using terminal = new BenchTerminal([LAUNCHER, 'tree', session], tmpdir(), { cols: 120, rows: 40 });
    await terminal.rest(/\d+\/\d+/);
    // Behind the first picture the whole file is verified.
    await terminal.idle();
    const answers: number[] = [];
    for (let key = 0; key < KEYS; key++) answers.push((await terminal.press(UP)).firstMs);
    return median(answers);
  };
  const key = await compare(
    `key to output, tree of ${entries} entries`,
    () => keyIn(file),
    'tree of 200 entries',
    () => keyIn(small),
    { rounds: 3, target: 1.2 },
  );
  print(key);
  return [navigable, key];
}
