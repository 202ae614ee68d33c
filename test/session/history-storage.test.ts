import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HistoryStorage } from '../../src/session/history-storage.ts';
import {
  checkIntegrity,
  connect,
  makeDatabase,
  makeFolder,
  OMP_SCHEMA,
  promptsOf,
  schemaOf,
  XCSH_SCHEMA,
} from './history-helpers.ts';

let opened: HistoryStorage[] = [];

function open(path: string): HistoryStorage {
  HistoryStorage.resetInstance();
  const storage = HistoryStorage.open(path);
  opened.push(storage);
  return storage;
}

const warnings: string[] = [];
const onWarning = (warning: Error) => warnings.push(warning.message);

beforeEach(() => {
  warnings.length = 0;
  process.on('warning', onWarning);
});

afterEach(() => {
  for (const storage of opened) storage.close();
  opened = [];
  HistoryStorage.resetInstance();
  process.off('warning', onWarning);
});

test('open gives one instance and ignores later paths', () => {
  const folder = makeFolder();
  const first = open(join(folder, 'a.db'));
  expect(HistoryStorage.open(join(folder, 'b.db'))).toBe(first);
  expect(fs.existsSync(join(folder, 'b.db'))).toBe(false);
});

test('a closed storage makes way for a new one and takes no more prompts', async () => {
  const path = join(makeFolder(), 'history.db');
  const first = open(path);
  first.close();
  expect(HistoryStorage.open(path)).not.toBe(first);
  opened.push(HistoryStorage.open(path));
  await expect(first.add('late')).rejects.toMatchObject({ code: 'history_unavailable' });
  expect(first.getRecent(5)).toEqual([]);
});

test('a new database has the agents’ names and the prefix index', () => {
  const path = join(makeFolder(), 'history.db');
  open(path);
  const db = connect(path);
  const names = db.prepare("SELECT name FROM sqlite_master WHERE name NOT LIKE '%\\__%' ESCAPE '\\'").all();
  expect(names.map((row) => row['name'])).toEqual(['history']);
  const schema = schemaOf(db);
  expect(schema).toContain("strftime('%s','now')");
  expect(schema).toContain('INDEX idx_history_created_at ON history(created_at DESC)');
  expect(schema).toContain("content='history', content_rowid='id', prefix='1 2 3'");
  expect(schema).toContain('TRIGGER history_ai AFTER INSERT ON history');
  expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
});

test('an agent’s own statements find nothing to do in a new database', () => {
  const path = join(makeFolder(), 'history.db');
  open(path);
  const db = connect(path);
  const before = schemaOf(db);
  db.exec(XCSH_SCHEMA);
  expect(schemaOf(db)).toBe(before);
});

test('add stores prompt, folder and time in seconds, trimmed', async () => {
  const storage = open(join(makeFolder(), 'history.db'));
  const beforeS = Math.floor(Date.now() / 1000);
  await storage.add('  fix it\n', '/w/p');
  await storage.add('no folder');
  const [last, first] = storage.getRecent(10);
  expect(first).toMatchObject({ id: 1, prompt: 'fix it', cwd: '/w/p' });
  expect(last).not.toHaveProperty('cwd');
  expect(first!.created_at).toBeGreaterThanOrEqual(beforeS);
  expect(first!.created_at).toBeLessThanOrEqual(Date.now() / 1000);
});

test('add writes nothing before the turn has gone on', async () => {
  const path = join(makeFolder(), 'history.db');
  const storage = open(path);
  const stored = storage.add('later');
  expect(promptsOf(connect(path))).toEqual([]);
  await stored;
  expect(promptsOf(connect(path))).toEqual(['later']);
});

test('prompts of one turn land in one transaction', async () => {
  const path = join(makeFolder(), 'history.db');
  const storage = open(path);
  const db = connect(path);
  db.exec(`CREATE TABLE seen(n); CREATE TRIGGER watch AFTER INSERT ON history WHEN new.prompt = 'three'
    BEGIN SELECT RAISE(ABORT, 'no third'); END`);
  const all = await Promise.allSettled(['one', 'two', 'three'].map((prompt) => storage.add(prompt)));
  expect(all.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(promptsOf(db)).toEqual([]);
});

test('empty prompts and repetitions of the last one are dropped, later repetitions are not', async () => {
  const path = join(makeFolder(), 'history.db');
  const storage = open(path);
  for (const prompt of ['a', 'a', ' a ', '', '  ', 'b', 'a']) storage.add(prompt);
  await storage.add('a');
  expect(promptsOf(connect(path))).toEqual(['a', 'b', 'a']);
});

test('the last prompt of an earlier run counts as the last one', async () => {
  const { path, db } = makeDatabase(XCSH_SCHEMA);
  db.exec("INSERT INTO history(prompt, created_at) VALUES ('newer time', 2000), ('last id', 1000)");
  const storage = open(path);
  await storage.add('last id');
  await storage.add('newer time');
  expect(promptsOf(db)).toEqual(['newer time', 'last id', 'newer time']);
});

test('close stores what was accepted in the same turn', () => {
  const path = join(makeFolder(), 'history.db');
  const storage = open(path);
  for (let i = 0; i < 100; i++) storage.add(`prompt ${i}`);
  storage.close();
  expect(promptsOf(connect(path))).toHaveLength(100);
  storage.close();
});

test('a prompt whose insert failed can be added again', async () => {
  const path = join(makeFolder(), 'history.db');
  const storage = open(path);
  await storage.add('before');
  const db = connect(path);
  db.exec(
    "CREATE TRIGGER refuse BEFORE INSERT ON history WHEN new.prompt = 'bad' BEGIN SELECT RAISE(ABORT, 'no'); END",
  );
  const again = storage.add('again');
  await expect(storage.add('bad')).rejects.toMatchObject({ code: 'history_unavailable' });
  await expect(again).rejects.toMatchObject({ code: 'history_unavailable' });
  db.exec('DROP TRIGGER refuse');
  await storage.add('before');
  await storage.add('again');
  expect(promptsOf(db)).toEqual(['before', 'again']);
  expect(warnings).toHaveLength(1);
});

test('a database of xcsh is used as it is', async () => {
  const { path, db } = makeDatabase(XCSH_SCHEMA);
  const before = schemaOf(db);
  const storage = open(path);
  await storage.add('hello from outside');
  expect(schemaOf(db)).toBe(before);
  expect(storage.search('outs', 5).map((hit) => hit.prompt)).toEqual(['hello from outside']);
  expect(checkIntegrity(db)).toBe('ok');
});

test('a database of omp is used as it is: a known prompt is counted and comes to the top', async () => {
  const { path, db } = makeDatabase(OMP_SCHEMA);
  db.exec(
    "INSERT INTO history(prompt, created_at, cwd, session_id) VALUES ('one', 1000, '/w', 's1'), ('two', 2000, '/w', 's1')",
  );
  const before = schemaOf(db);
  const storage = open(path);
  await storage.add('one');
  await storage.add('three', '/v');
  expect(schemaOf(db)).toBe(before);
  expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
  expect(db.prepare("SELECT cwd, session_id, use_count FROM history WHERE prompt = 'one'").get()).toEqual({
    cwd: '/w',
    session_id: 's1',
    use_count: 2,
  });
  expect(storage.getRecent(10).map((entry) => entry.prompt)).toEqual(['three', 'one', 'two']);
  expect(checkIntegrity(db)).toBe('ok');
});

test('the legacy table is renewed with its rows, ids and next id', async () => {
  const legacy = XCSH_SCHEMA.replace("CAST(strftime('%s','now') AS INTEGER)", 'unixepoch()');
  const { path, db } = makeDatabase(legacy);
  db.exec(`INSERT INTO history(id, prompt, created_at, cwd) VALUES (3, 'kept', 1000, '/w'), (9, 'gone', 2000, NULL);
    INSERT INTO history_fts(history_fts, rowid, prompt) VALUES ('delete', 9, 'gone'); DELETE FROM history WHERE id = 9`);
  const storage = open(path);
  expect(schemaOf(db)).not.toContain('unixepoch(');
  expect(schemaOf(db)).toContain("strftime('%s','now')");
  expect(storage.search('kep', 5)).toEqual([{ id: 3, prompt: 'kept', created_at: 1000, cwd: '/w' }]);
  await storage.add('next');
  expect(storage.getRecent(1)[0]!.id).toBe(10);
  expect(checkIntegrity(db)).toBe('ok');
});

test('a table without a text index gets one that knows the old rows', () => {
  const { path, db } = makeDatabase(
    'CREATE TABLE history(id INTEGER PRIMARY KEY, prompt TEXT NOT NULL, created_at INTEGER NOT NULL, cwd TEXT)',
  );
  db.exec("INSERT INTO history(prompt, created_at) VALUES ('old row', 1)");
  expect(open(path).search('old', 5)).toHaveLength(1);
});

test('the file, its log and its folder are for this user only, whatever the umask', async () => {
  const folder = join(makeFolder(), 'new', 'agent');
  const before = process.umask(0);
  try {
    const storage = open(join(folder, 'history.db'));
    await storage.add('private');
  } finally {
    process.umask(before);
  }
  const modes = fs
    .readdirSync(folder)
    .map((name) => [name, (fs.statSync(join(folder, name)).mode & 0o777).toString(8)]);
  expect(modes).toEqual([
    ['history.db', '600'],
    ['history.db-shm', '600'],
    ['history.db-wal', '600'],
  ]);
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
});

test('limits are cut to 0…1000', async () => {
  const storage = open(join(makeFolder(), 'history.db'));
  for (let i = 0; i < 1001; i++) storage.add(`w ${i}`);
  await storage.add('last');
  for (const limit of [Number.NaN, Infinity, -Infinity, 0, -3, 0.9]) {
    expect(storage.getRecent(limit)).toEqual([]);
    expect(storage.search('w', limit)).toEqual([]);
  }
  expect(storage.getRecent(2.9)).toHaveLength(2);
  expect(storage.getRecent(5000)).toHaveLength(1000);
  expect(storage.search('w', 5000)).toHaveLength(1000);
});

test('a file that is no database gives nothing, is left as it is and warned of once', async () => {
  const path = join(makeFolder(), 'history.db');
  fs.writeFileSync(path, 'this is a text file, not a database\n'.repeat(100));
  const storage = open(path);
  expect(storage.getRecent(5)).toEqual([]);
  expect(storage.search('text', 5)).toEqual([]);
  await expect(storage.add('x')).rejects.toMatchObject({ code: 'history_unavailable' });
  expect(fs.readFileSync(path, 'utf8')).toBe('this is a text file, not a database\n'.repeat(100));
  await new Promise(setImmediate);
  expect(warnings).toEqual([expect.stringContaining('is not a database')]);
});

test('a rejection that nobody waits for does not end the process', async () => {
  const path = join(makeFolder(), 'history.db');
  fs.writeFileSync(path, 'no database '.repeat(100));
  const unhandled: unknown[] = [];
  const listen = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', listen);
  const storage = open(path);
  storage.add('x');
  expect(() => storage.close()).toThrow('is not a database');
  await new Promise(setImmediate);
  process.off('unhandledRejection', listen);
  expect(unhandled).toEqual([]);
});
