import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { addPrompt } from '../../src/actions/add-prompt.ts';
import { type ImportProgress, importPrompts } from '../../src/actions/import-prompts.ts';
import { removeRows } from '../../src/actions/remove-prompts.ts';
import { RemovedPrompts } from '../../src/actions/removed-prompts.ts';
import type { AgentRoot } from '../../src/agents/agents.ts';
import { HistoryDatabases, historySources, ownHistoryPath } from '../../src/history/databases.ts';
import { findPrompts } from '../../src/history/prompt-search.ts';
import { finish, World } from '../history/helpers.ts';
import { checkIntegrity, connect } from '../session/history-helpers.ts';

const T0_MS = 1_770_000_000_000;

function importAll(world: World, roots: readonly AgentRoot[]): ImportProgress {
  return finish(importPrompts(roots, world.stateDir));
}

function stored(file: string): unknown[] {
  const db = connect(file, { readOnly: true });
  return db
    .prepare('SELECT prompt, created_at AS at, cwd FROM history ORDER BY id')
    .all()
    .map((row) => ({ ...row }));
}

function rowsOf(world: World, roots: readonly AgentRoot[], query: string) {
  using databases = new HistoryDatabases(historySources(roots, world.stateDir));
  const groups = findPrompts(databases, { query, folders: undefined });
  return groups.list().flatMap(({ prompt }) => groups.rowsOf(prompt));
}

function remove(world: World, roots: readonly AgentRoot[], query: string) {
  return removeRows(rowsOf(world, roots, query), historySources(roots, world.stateDir), world.stateDir);
}

test('an import takes the prompts of pi with their own times and folders, oldest sessions first', () => {
  const world = new World();
  const pi = world.root('pi');
  world.session(pi, 's2', '/b', [{ text: 'later', atMs: T0_MS + 90_500 }]);
  world.session(pi, 's1', '/a', [
    { text: 'one', atMs: T0_MS },
    { text: 'two\nlines', atMs: T0_MS + 1_999 },
  ]);
  expect(importAll(world, [pi])).toMatchObject({ added: 3, known: 0, removed: 0, filesDone: 2, problems: [] });
  const at = T0_MS / 1000;
  expect(stored(ownHistoryPath(world.stateDir))).toEqual([
    { prompt: 'one', at, cwd: '/a' },
    { prompt: 'two\nlines', at: at + 1, cwd: '/a' },
    { prompt: 'later', at: at + 90, cwd: '/b' },
  ]);
});

test('agents that keep a history are not imported', () => {
  const world = new World();
  const roots = [world.root('xcsh'), world.root('omp'), world.root('pi')];
  for (const root of roots) world.session(root, 's1', '/a', [{ text: `of ${root.agent}`, atMs: T0_MS }]);
  expect(importAll(world, roots)).toMatchObject({ added: 1, filesTotal: 1 });
});

test('an import is idempotent, takes what is new, and a fork adds nothing twice', () => {
  const world = new World();
  const pi = world.root('pi');
  world.session(pi, 's1', '/a', [{ text: 'one', atMs: T0_MS }]);
  importAll(world, [pi]);
  world.session(pi, 'fork', '/b', [
    { text: 'one', atMs: T0_MS },
    { text: 'more', atMs: T0_MS + 5_000 },
  ]);
  expect(importAll(world, [pi])).toMatchObject({ added: 1, known: 2 });
  expect(importAll(world, [pi])).toMatchObject({ added: 0, known: 3 });
  const db = connect(ownHistoryPath(world.stateDir));
  expect(checkIntegrity(db)).toBe('ok');
});

test('an import of more prompts than a batch holds is complete', () => {
  const world = new World();
  const pi = world.root('pi');
  const prompts = Array.from({ length: 1_203 }, (_, n) => ({ text: `prompt ${n}`, atMs: T0_MS + n * 1_000 }));
  world.session(pi, 's1', '/a', prompts.slice(0, 700));
  world.session(pi, 's2', '/a', prompts.slice(700));
  expect(importAll(world, [pi])).toMatchObject({ added: 1_203 });
});

test('an import changes no session, and says which ones it could not read', () => {
  const world = new World();
  const pi = world.root('pi');
  const file = world.session(pi, 's1', '/a', [{ text: 'one', atMs: T0_MS }]);
  const before = [fs.readFileSync(file, 'utf8'), fs.statSync(file).mtimeMs];
  fs.symlinkSync('/nowhere', path.join(path.dirname(file), 'gone.jsonl'));
  expect(importAll(world, [pi]).problems).toHaveLength(1);
  expect([fs.readFileSync(file, 'utf8'), fs.statSync(file).mtimeMs]).toEqual(before);
});

test('what is removed is gone from table, index and file, and no import brings it back', () => {
  const world = new World();
  const [xcsh, pi] = [world.root('xcsh'), world.root('pi')];
  const roots = [xcsh, pi];
  world.store(xcsh.folders.historyPath, [
    { prompt: 'the secretword is out', at: T0_MS / 1000 },
    { prompt: 'harmless', at: T0_MS / 1000 },
    { prompt: 'the secretword is out', at: T0_MS / 1000 + 9 },
  ]);
  world.session(pi, 's1', '/a', [{ text: 'the secretword is out', atMs: T0_MS }]);
  importAll(world, roots);
  const removals = remove(world, roots, 'secretword');
  expect(removals).toMatchObject([
    { source: { name: 'xcsh' }, rowCount: 2, isLogBusy: false, problem: undefined },
    { source: { name: 'bough' }, rowCount: 1, isLogBusy: false, problem: undefined },
  ]);
  expect(rowsOf(world, roots, 'secretword')).toEqual([]);
  expect(rowsOf(world, roots, 'harmless')).toHaveLength(1);
  expect(importAll(world, roots)).toMatchObject({ added: 0, removed: 1 });
  for (const file of [xcsh.folders.historyPath, ownHistoryPath(world.stateDir)]) {
    expect(fs.readFileSync(file).includes('secretword')).toBe(false);
    expect(checkIntegrity(connect(file))).toBe('ok');
  }
});

test('what is kept of a removed prompt tells nothing without the key, and both are private', () => {
  const world = new World();
  const xcsh = world.root('xcsh');
  world.store(xcsh.folders.historyPath, [{ prompt: 'secretword', at: 1 }]);
  const mask = process.umask(0);
  try {
    remove(world, [xcsh], 'secretword');
  } finally {
    process.umask(mask);
  }
  expect(fs.statSync(world.stateDir).mode & 0o777).toBe(0o700);
  for (const name of fs.readdirSync(world.stateDir)) {
    expect(fs.statSync(path.join(world.stateDir, name)).mode & 0o777).toBe(0o600);
    expect(fs.readFileSync(path.join(world.stateDir, name)).includes('secretword')).toBe(false);
  }
  const isRemoved = new RemovedPrompts(world.stateDir).read();
  expect([isRemoved('secretword'), isRemoved(' secretword\n'), isRemoved('other')]).toEqual([true, true, false]);
  fs.rmSync(path.join(world.stateDir, 'removed-prompts.key'));
  expect(new RemovedPrompts(world.stateDir).read()('secretword')).toBe(false);
});

test('a database that is locked keeps its rows and says so, the others lose theirs', () => {
  const world = new World();
  const roots = [world.root('xcsh'), world.root('omp')];
  for (const { folders } of roots) world.store(folders.historyPath, [{ prompt: 'go', at: 1 }]);
  const rows = rowsOf(world, roots, 'go');
  const holder = connect(roots[0]?.folders.historyPath ?? '');
  holder.exec('BEGIN IMMEDIATE');
  const removals = removeRows(rows, historySources(roots, world.stateDir), world.stateDir);
  holder.exec('COMMIT');
  expect(removals.map(({ rowCount, problem }) => [rowCount, problem?.code])).toEqual([
    [0, 'history_unavailable'],
    [1, undefined],
  ]);
  expect(rowsOf(world, roots, 'go')).toHaveLength(1);
});

test('the log that another reader keeps busy is told of', () => {
  const world = new World();
  const xcsh = world.root('xcsh');
  world.store(xcsh.folders.historyPath, [{ prompt: 'go', at: 1 }]);
  const reader = connect(xcsh.folders.historyPath);
  reader.exec('BEGIN');
  reader.prepare('SELECT * FROM history').all();
  expect(remove(world, [xcsh], 'go')).toMatchObject([{ rowCount: 1, isLogBusy: true }]);
});

test("a prompt is added to the first agent that keeps a history, else to Bough's own", async () => {
  const world = new World();
  const [pi, omp] = [world.root('pi'), world.root('omp')];
  const { stateDir } = world;
  expect(await addPrompt(' to omp ', '/w', { roots: [pi, omp], stateDir })).toBe(omp.folders.historyPath);
  expect(stored(omp.folders.historyPath)).toMatchObject([{ prompt: 'to omp', cwd: '/w' }]);
  expect(await addPrompt('own', '/w', { roots: [pi], stateDir })).toBe(ownHistoryPath(stateDir));
  expect(stored(ownHistoryPath(stateDir))).toMatchObject([{ prompt: 'own' }]);
  const unknown = world.root(null);
  expect(await addPrompt('whose', '/w', { roots: [pi, unknown], stateDir })).toBe(unknown.folders.historyPath);
  await expect(addPrompt(' \n', '/w', { roots: [pi], stateDir })).rejects.toMatchObject({ code: 'usage' });
});
