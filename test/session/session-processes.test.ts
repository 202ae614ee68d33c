import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SessionManager } from '../../src/session/session-manager.ts';
import { fileOf, headerLine, userLine } from './session-text.ts';
import { makeTempDir } from './temp-dir.ts';

const ENGINE_URL = new URL('../../src/session/index.ts', import.meta.url).href;

/** Opens the session, says so, and appends its messages once its input ends. */
const WRITER = `
  const [, engine, path, name, count, size] = process.argv;
  const { SessionManager } = await import(engine);
  const session = await SessionManager.open(path, undefined, undefined, { breadcrumb: false });
  process.stdin.once('end', async () => {
    for (let i = 0; i < Number(count); i++) {
      const text = name + ' ' + i + ' ' + 'x'.repeat(Number(size) * (i % 7 === 0 ? 1 : 0));
      session.appendMessage({ role: 'user', content: text, timestamp: 1 });
      if (i % 5 === 0) await session.flush();
    }
    await session.close();
  }).resume();
  console.log('ready');`;

async function startWriter(...args: readonly (string | number)[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER, ENGINE_URL, ...args.map(String)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout!, 'data');
  return child;
}

async function letGo(children: readonly ChildProcess[]): Promise<void> {
  const exits = children.map((child) => once(child, 'exit'));
  for (const child of children) child.stdin!.end();
  for (const exit of exits) expect((await exit)[0]).toBe(0);
}

function makeFile(): string {
  const path = join(makeTempDir(), 's.jsonl');
  fs.writeFileSync(path, fileOf(headerLine(), userLine('m1', null, 'a')));
  return path;
}

test.each([
  [2, 20, 100],
  [8, 40, 200_000],
])(
  '%i processes append to one file: every entry is there, in branches of their own',
  async (processes, count, size) => {
    const path = makeFile();
    const names = Array.from({ length: processes }, (_, i) => `p${i}`);
    await letGo(await Promise.all(names.map((name) => startWriter(path, name, count, size))));

    const text = fs.readFileSync(path, 'utf8');
    const lines = text
      .trimEnd()
      .split('\n')
      // Whoever sees another's long line half written ends it, as it should: one that then completes leaves a blank line.
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(2 + processes * count);
    const session = await SessionManager.open(path, undefined, undefined, { breadcrumb: false });
    expect(session.getChildren('m1')).toHaveLength(processes);
    const isParent = new Set(lines.map((line) => line.parentId));
    const tips = session.getEntries().filter((entry) => !isParent.has(entry.id));
    expect(tips).toHaveLength(processes);
    for (const tip of tips) expect(session.getBranch(tip.id)).toHaveLength(1 + count);
  },
  60_000,
);

test('a process that was killed in a write leaves a file that others go on with', async () => {
  const path = makeFile();
  const child = await startWriter(path, 'killed', 100_000, 2_000_000);
  child.stdin!.end();
  await expect.poll(() => fs.statSync(path).size, { interval: 5 }).toBeGreaterThan(4_000_000);
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  const before = fs.readFileSync(path);
  const session = await SessionManager.open(path, undefined, undefined, { breadcrumb: false });
  const id = session.appendMessage({ role: 'user', content: 'after', timestamp: 1 });
  await session.setSessionName('T', 'user');
  await session.close();
  const again = await SessionManager.open(path, undefined, undefined, { breadcrumb: false });
  expect(again.getLeafId()).toBe(id);
  const after = fs.readFileSync(path);
  expect(after.includes(before.subarray(before.indexOf('\n') + 1))).toBe(true);
}, 60_000);
