import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { HistoryDatabases, type HistorySource, historySources, ownHistoryPath } from '../../src/history/databases.ts';
import type { PromptNews } from '../../src/history/prompt-history.ts';
import { findPrompts, PromptSearch } from '../../src/history/prompt-search.ts';
import { connect, OMP_SCHEMA } from '../session/history-helpers.ts';
import { finish, type StoredPrompt, World } from './helpers.ts';

const DAY = 86_400;
const T0 = 1_770_000_000;

function open(sources: readonly HistorySource[]): HistoryDatabases {
  const databases = new HistoryDatabases(sources);
  onTestFinished(() => databases[Symbol.dispose]());
  return databases;
}

function search(databases: HistoryDatabases, query: string, folders?: readonly string[]): PromptNews {
  const work = new PromptSearch(databases, { query, folders });
  finish(work.steps());
  return work.news();
}

function one(prompts: readonly StoredPrompt[]): HistoryDatabases {
  const world = new World();
  const root = world.root('xcsh');
  world.store(root.folders.historyPath, prompts);
  return open(historySources([root], world.stateDir));
}

const texts = (news: PromptNews): string[] => news.groups.map(({ prompt }) => prompt);

test('databases are read side by side, newest first, equal prompts grouped with their count and newest time', () => {
  const world = new World();
  const [xcsh, omp] = [world.root('xcsh'), world.root('omp')];
  world.store(xcsh.folders.historyPath, [
    { prompt: 'go on', at: T0, cwd: '/a' },
    { prompt: 'fix it', at: T0 + 1 },
    { prompt: 'go on', at: T0 + 2, cwd: '/b' },
  ]);
  world.create(omp.folders.historyPath, OMP_SCHEMA);
  const db = connect(omp.folders.historyPath);
  db.exec(`INSERT INTO history(prompt, created_at, cwd, use_count) VALUES ('go on', ${T0 + 9}, '/c', 7)`);
  world.store(ownHistoryPath(world.stateDir), [{ prompt: 'from pi', at: T0 + 5 }]);
  const news = search(open(historySources([xcsh, omp], world.stateDir)), '');
  expect(news.groups).toEqual([
    { id: 'omp:1', prompt: 'go on', timeMs: (T0 + 9) * 1000, cwd: '/c', count: 9 },
    { id: 'bough:1', prompt: 'from pi', timeMs: (T0 + 5) * 1000, cwd: null, count: 1 },
    { id: 'xcsh:2', prompt: 'fix it', timeMs: (T0 + 1) * 1000, cwd: null, count: 1 },
  ]);
  expect(news).toMatchObject({ isDone: true, hasMore: false, problems: [], databaseCount: 3 });
});

test('two folders of one agent keep their ids apart', () => {
  const world = new World();
  const names = historySources([world.root('xcsh', 'x1'), world.root('xcsh', 'x2'), world.root(null)], '/s');
  expect(names.map(({ name }) => name)).toEqual(['xcsh', 'xcsh2', 'agent', 'bough']);
});

test('hits at the beginning of words come first, those inside of words later, and end in one list', () => {
  const databases = one([
    { prompt: 'a parser', at: T0 },
    { prompt: 'the sparse tree', at: T0 + 1 },
  ]);
  const work = new PromptSearch(databases, { query: 'pars', folders: undefined });
  const lists: string[][] = [];
  for (const step of work.steps()) if (step === 'news') lists.push(texts(work.news()));
  expect(lists[0]).toEqual(['a parser']);
  expect(lists.at(-1)).toEqual(['the sparse tree', 'a parser']);
});

test('a folder narrows list and count', () => {
  const databases = one([
    { prompt: 'go on', at: T0, cwd: '/a' },
    { prompt: 'go on', at: T0 + 1, cwd: '/b' },
    { prompt: 'other', at: T0 + 2, cwd: '/b' },
  ]);
  expect(search(databases, '', ['/a', '/nowhere']).groups).toMatchObject([{ prompt: 'go on', cwd: '/a', count: 1 }]);
  expect(search(databases, 'go', ['/a', '/b']).groups).toMatchObject([{ prompt: 'go on', cwd: '/b', count: 2 }]);
});

test('a prompt sent ten thousand times does not push the others out of the list', () => {
  const repeats = Array.from({ length: 400 }, (_, n) => ({ prompt: 'continue', at: T0 + DAY + n }));
  const others = Array.from({ length: 20 }, (_, n) => ({ prompt: `earlier ${n}`, at: T0 + n }));
  const news = search(one([...others, ...repeats]), '');
  expect(news.groups).toHaveLength(21);
  expect(news.groups[0]).toMatchObject({ prompt: 'continue', count: 400 });
});

test('where a list ends, it ends at the same time for all databases, and says that there is more', () => {
  const world = new World();
  const [busy, quiet] = [world.root('xcsh'), world.root('omp')];
  world.store(
    busy.folders.historyPath,
    Array.from({ length: 2_000 }, (_, n) => ({ prompt: `busy ${n}`, at: T0 + n })),
  );
  world.store(quiet.folders.historyPath, [
    { prompt: 'quiet and old', at: T0 },
    { prompt: 'quiet and new', at: T0 + 1_999 },
  ]);
  const news = search(open(historySources([busy, quiet], world.stateDir)), '');
  expect(news.hasMore).toBe(true);
  expect(texts(news)).toContain('quiet and new');
  expect(texts(news)).not.toContain('quiet and old');
  const times = news.groups.map(({ timeMs }) => timeMs);
  expect(times).toEqual([...times].sort((a, b) => b - a));
});

test('a locked database costs itself alone, with one problem, and is read again when it is free', async () => {
  const world = new World();
  const [locked, free] = [world.root('xcsh'), world.root('omp')];
  world.store(locked.folders.historyPath, [{ prompt: 'locked away', at: T0 }]);
  world.store(free.folders.historyPath, [{ prompt: 'free', at: T0 }]);
  const holder = connect(locked.folders.historyPath);
  holder.exec('PRAGMA journal_mode=DELETE; BEGIN EXCLUSIVE');
  const databases = open(historySources([locked, free], world.stateDir));
  const news = search(databases, '');
  expect(texts(news)).toEqual(['free']);
  expect(news.problems).toEqual([`the prompt history ${locked.folders.historyPath} is locked by another process`]);
  expect(texts(search(databases, 'f'))).toEqual(['free']);
  holder.exec('COMMIT');
  await expect.poll(() => texts(search(databases, '')), { timeout: 10_000 }).toContain('locked away');
  expect(databases.problems).toEqual([]);
});

test('a database that is locked while it is open is left out and comes back', async () => {
  const world = new World();
  const root = world.root('xcsh');
  world.store(root.folders.historyPath, [{ prompt: 'here', at: T0 }]);
  connect(root.folders.historyPath).exec('PRAGMA journal_mode=DELETE');
  const databases = open(historySources([root], world.stateDir));
  expect(texts(search(databases, ''))).toEqual(['here']);
  const holder = connect(root.folders.historyPath);
  holder.exec('BEGIN EXCLUSIVE');
  expect(search(databases, '')).toMatchObject({ groups: [], isDone: true });
  expect(databases.problems).toHaveLength(1);
  holder.exec('COMMIT');
  await expect.poll(() => texts(search(databases, '')), { timeout: 10_000 }).toEqual(['here']);
});

test('a missing database is no problem; a damaged one and a folder in its place are', () => {
  const world = new World();
  const [missing, damaged, folder] = [world.root('xcsh'), world.root('omp'), world.root('pi')];
  fs.writeFileSync(damaged.folders.historyPath, 'no database, but long enough to be taken for one '.repeat(100));
  fs.mkdirSync(folder.folders.historyPath);
  const news = search(open(historySources([missing, damaged, folder], world.stateDir)), 'x');
  expect(news).toMatchObject({ groups: [], databaseCount: 0, isDone: true });
  expect(news.problems).toHaveLength(2);
});

test('a database that was replaced by another is read anew', () => {
  const world = new World();
  const root = world.root('xcsh');
  world.store(root.folders.historyPath, [{ prompt: 'old', at: T0 }]);
  const databases = open(historySources([root], world.stateDir));
  expect(texts(search(databases, ''))).toEqual(['old']);
  const other = path.join(world.folder, 'other.db');
  world.store(other, [{ prompt: 'new', at: T0 }]);
  for (const suffix of ['-wal', '-shm']) fs.rmSync(root.folders.historyPath + suffix, { force: true });
  fs.renameSync(other, root.folders.historyPath);
  expect(texts(search(databases, ''))).toEqual(['new']);
});

test('reading changes nothing: no byte of a database, and nothing in its folder', () => {
  const world = new World();
  const root = world.root('xcsh');
  const file = root.folders.historyPath;
  world.store(file, [{ prompt: 'kept', at: T0 }]);
  const look = (): unknown => {
    const folder = path.dirname(file);
    return [
      fs.readFileSync(file, 'latin1'),
      fs.statSync(file).mtimeMs,
      fs.readdirSync(folder),
      fs.statSync(folder).mtimeMs,
    ];
  };
  const before = look();
  const databases = open(historySources([root], world.stateDir));
  expect(texts(search(databases, 'kept'))).toEqual(['kept']);
  findPrompts(databases, { query: 'kept', folders: undefined });
  databases[Symbol.dispose]();
  expect(look()).toEqual(before);
});

test('what an agent adds between two searches is found by the second', () => {
  const world = new World();
  const root = world.root('xcsh');
  world.store(root.folders.historyPath, [{ prompt: 'first', at: T0 }]);
  const databases = open(historySources([root], world.stateDir));
  expect(texts(search(databases, ''))).toEqual(['first']);
  const writer = connect(root.folders.historyPath);
  writer.exec(`INSERT INTO history(prompt, created_at) VALUES ('second', ${T0 + 1})`);
  expect(texts(search(databases, ''))).toEqual(['second', 'first']);
  writer.exec(`INSERT INTO history(prompt, created_at) VALUES ('third', ${T0 + 2})`);
  expect(texts(search(databases, ''))).toEqual(['third', 'second', 'first']);
  writer.close();
  expect(texts(search(databases, 'third'))).toEqual(['third']);
});

const STORED = [
  'fix multi-agent bug',
  "don't use C++ or foo::bar",
  'open src/session/manager.ts',
  '--error-on-warnings flag',
  '100% AND 50% NOT done',
  'a"b"c',
];
const QUERIES: readonly [string, readonly number[]][] = [
  ['multi-agent', [0]],
  ["don't", [1]],
  ['foo::bar', [1]],
  ['src/session', [2]],
  ['--error-on-warnings', [3]],
  ['100%', [4]],
  ['AND', [4]],
  ['NOT done', [4]],
  ['"', [5]],
  ['*', []],
  ['(', []],
  ['^', []],
  ['-', [0, 3]],
  ['NEAR(a b)', []],
  ['p:x', []],
  ['"unbalanced', []],
  ['\0', []],
  ['x'.repeat(10_000), []],
];

test.each(QUERIES)('the query %j is literal words', (query, expected) => {
  const databases = one(STORED.map((prompt, n) => ({ prompt, at: T0 + n })));
  const wanted = expected.map((index) => STORED[index]).reverse();
  expect(texts(search(databases, query))).toEqual(wanted);
  const all = findPrompts(databases, { query, folders: undefined });
  expect(all.list().map(({ prompt }) => prompt)).toEqual(wanted);
});

test('whatever is stored and asked, the screen and the command find the same prompts with the same counts', () => {
  const text = fc.oneof(
    fc.constantFrom('alpha beta', 'beta-gamma', 'naïve café', '会话迁移', 'ALPHA', 'a', 'Straße'),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
  );
  const prompt = fc.record({
    prompt: text.filter((value) => value.trim() !== ''),
    at: fc.integer({ min: 1, max: 50 }),
  });
  const query = fc.oneof(text, fc.constantFrom('al', 'AND', '"', 'cafe', '迁', 'b', 'strasse'));
  fc.assert(
    fc.property(fc.array(prompt, { maxLength: 12 }), fc.array(query, { maxLength: 2 }), (prompts, words) => {
      const databases = one(prompts.map(({ prompt, at }) => ({ prompt, at: T0 + at })));
      const shown = search(databases, words.join(' '));
      const found = findPrompts(databases, { query: words.join(' '), folders: undefined });
      expect(shown.groups).toEqual(found.list());
      databases[Symbol.dispose]();
    }),
    { numRuns: 60 },
  );
});
