import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyDemo, type Demo } from '../src/demo.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const NOW_MS = Date.parse('2031-07-09T08:00:00.000Z');

let folder: string;
let demo: Demo;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'bough-test-'));
  demo = copyDemo(folder, NOW_MS);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function textsOf(root: string): Map<string, string> {
  const files = readdirSync(root, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => path.join(entry.parentPath, entry.name)).sort();
  return new Map(paths.map((file) => [path.relative(root, file), readFileSync(file, 'utf8')]));
}

function sessions(): string[] {
  return [...textsOf(demo.home).keys()]
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => path.join(demo.home, file));
}

function headers(): Record<string, unknown>[] {
  return sessions().map((file) => {
    const line = readFileSync(file, 'utf8')
      .split('\n')
      .find((text) => text.startsWith('{"type":"session"'));
    return JSON.parse(line ?? 'null');
  });
}

it('the committed samples are what their generator writes', () => {
  const fresh = path.join(folder, 'fresh');
  execFileSync(process.execPath, ['scripts/make-demo.mjs', fresh], { cwd: ROOT });
  expect(textsOf(fresh)).toEqual(textsOf(path.join(ROOT, 'demo', 'agent')));
});

it('every session is copied, each agent has its folder', () => {
  expect(sessions()).toHaveLength(14);
  for (const agentDir of demo.agentDirs) expect(existsSync(path.join(agentDir, 'sessions'))).toBe(true);
});

it('the folders that headers name exist', () => {
  for (const header of headers()) expect(existsSync(String(header['cwd']))).toBe(true);
  expect(existsSync(demo.project)).toBe(true);
});

it('a parent session that is named by its path is there', () => {
  const parents = headers().map((header) => header['parentSession']);
  const paths = parents.filter((parent): parent is string => typeof parent === 'string' && parent.includes('/'));
  expect(paths).toHaveLength(1);
  expect(existsSync(paths[0]!)).toBe(true);
});

it('nothing names the place where the samples were written', () => {
  for (const [file, text] of textsOf(demo.home)) {
    if (!file.endsWith('.jsonl')) continue;
    expect(`${file}\n${text}`).not.toMatch(/\/demo\/|--demo-/);
  }
});

it('the newest entry is three minutes old, and files are as old as their last entry', () => {
  const ages = sessions().map((file) => {
    const last =
      readFileSync(file, 'utf8')
        .match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g)
        ?.at(-1) ?? '';
    expect(statSync(file).mtimeMs).toBe(Date.parse(last));
    return NOW_MS - Date.parse(last);
  });
  expect(Math.min(...ages)).toBe(180_000);
});

it('a file is named after the time in its header', () => {
  const names = sessions().filter((file) => !file.endsWith('0-Explore.jsonl'));
  for (const file of names) {
    const [, header = ''] = /"type":"session".*?"timestamp":"([^"]+)"/.exec(readFileSync(file, 'utf8')) ?? [];
    expect(path.basename(file).startsWith(header.replace(/[:.]/g, '-'))).toBe(true);
  }
});

it('times inside messages move with those of their entries', () => {
  const text = readFileSync(sessions().find((file) => file.includes('19c2f0a41b7d3e58.'))!, 'utf8');
  const user = JSON.parse(text.split('\n').find((line) => line.includes('"role":"user"'))!);
  expect(user.message.timestamp).toBe(Date.parse(user.timestamp));
});

it("omp's title line keeps its 256 bytes", () => {
  const omp = sessions().find((file) => file.includes(`${path.sep}.omp${path.sep}`))!;
  expect(readFileSync(omp, 'utf8').indexOf('\n')).toBe(255);
});

it('the prompt history holds the prompts of xcsh, searchable, newest last', () => {
  const db = new DatabaseSync(path.join(demo.agentDirs[0]!, 'history.db'), { readOnly: true });
  try {
    const rows = db.prepare('SELECT created_at, cwd FROM history ORDER BY id').all();
    expect(rows.length).toBeGreaterThan(15);
    expect(rows.every((row) => existsSync(String(row['cwd'])))).toBe(true);
    const times = rows.map((row) => Number(row['created_at']));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThan(NOW_MS / 1000);
    const hits = db.prepare("SELECT rowid FROM history_fts WHERE history_fts MATCH 'flickers'").all();
    expect(hits).toHaveLength(1);
  } finally {
    db.close();
  }
});

it('what is copied is for the user alone', () => {
  for (const file of sessions()) expect(statSync(file).mode & 0o077).toBe(0);
});
