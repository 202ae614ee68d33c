import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openReadOnly } from '../../src/session/history-database.ts';
import { recentPrompts, wordHits } from '../../src/session/history-query.ts';
import { HistoryStorage } from '../../src/session/history-storage.ts';
import {
  checkIntegrity,
  connect,
  makeDatabase,
  makeFolder,
  promptsOf,
  runElsewhere,
  XCSH_SCHEMA,
} from './history-helpers.ts';

const STORAGE_URL = new URL('../../src/session/history-storage.ts', import.meta.url).href;

/** A process of its own that runs `script` as a module, with `args` in `process.argv` from 1 on. */
function start(script: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function exitCode(child: ChildProcess): Promise<unknown> {
  const [code] = await once(child, 'exit');
  return code;
}

/** Waits until the child has written a line. */
async function saysSomething(child: ChildProcess): Promise<void> {
  await once(child.stdout!, 'data');
}

/** Does nothing but hold the database exclusively, from its first line of output until its input ends. */
const HOLDER = `
  import { DatabaseSync } from 'node:sqlite';
  const db = new DatabaseSync(process.argv[1], { timeout: 5000 });
  db.exec('BEGIN EXCLUSIVE');
  console.log('held');
  process.stdin.on('end', () => { db.exec('COMMIT'); db.close(); }).resume();`;

test('eight processes that start together without a database lose none of their prompts', async () => {
  const path = join(makeFolder(), 'agent', 'history.db');
  const script = `
    const { HistoryStorage } = await import(process.argv[1]);
    process.stdin.once('end', async () => {
      const storage = HistoryStorage.open(process.argv[2]);
      for (let i = 0; i < 50; i++) {
        storage.add('process ' + process.argv[3] + ' prompt ' + i);
        // Half of the processes do it all in one turn, so that only close() is left to store anything.
        if (process.argv[3] % 2 === 0 && i % 10 === 9) await new Promise(setImmediate);
      }
      storage.close();
    }).resume();
    console.log('ready');`;
  const children = Array.from({ length: 8 }, (_, i) => start(script, STORAGE_URL, path, String(i)));
  await Promise.all(children.map(saysSomething));
  const exits = children.map(exitCode);
  for (const child of children) child.stdin!.end();
  expect(await Promise.all(exits)).toEqual(Array(8).fill(0));

  const db = connect(path);
  const stored = promptsOf(db);
  expect(stored).toHaveLength(400);
  expect(new Set(stored).size).toBe(400);
  for (let i = 0; i < 8; i++) {
    const own = stored.filter((prompt) => prompt.startsWith(`process ${i} `));
    expect(own).toEqual(Array.from({ length: 50 }, (_, n) => `process ${i} prompt ${n}`));
  }
  expect(checkIntegrity(db)).toBe('ok');
}, 30_000);

test('a prompt added under another process’s exclusive lock lands when the lock is gone, and reading goes on', async () => {
  const path = join(makeFolder(), 'history.db');
  HistoryStorage.resetInstance();
  const storage = HistoryStorage.open(path);
  onTestFinished(() => storage.close());
  await storage.add('before');
  const holder = start(HOLDER, path);
  await saysSomething(holder);

  let isStored = false;
  const stored = storage.add('under the lock').then(() => {
    isStored = true;
  });
  storage.add('and another');
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(isStored).toBe(false);
  expect(storage.search('bef', 5).map((hit) => hit.prompt)).toEqual(['before']);

  holder.stdin!.end();
  await stored;
  expect(promptsOf(connect(path))).toEqual(['before', 'under the lock', 'and another']);
}, 30_000);

test('a storage opened while the file is locked and not yet in WAL mode stores its prompts afterwards', async () => {
  const path = join(makeFolder(), 'history.db');
  const db = connect(path);
  db.exec(XCSH_SCHEMA);
  db.close();
  const holder = start(HOLDER, path);
  await saysSomething(holder);
  HistoryStorage.resetInstance();
  const storage = HistoryStorage.open(path);
  expect(storage.getRecent(5)).toEqual([]);
  const stored = storage.add('patient');
  holder.stdin!.end();
  await stored;
  expect(storage.getRecent(5).map((entry) => entry.prompt)).toEqual(['patient']);
  storage.close();
}, 30_000);

test.each(['WAL', 'DELETE'])(
  'close waits for a lock rather than lose a prompt, from journal mode %s',
  async (mode) => {
    const { path, db } = makeDatabase(XCSH_SCHEMA);
    db.exec(`PRAGMA journal_mode=${mode}`);
    db.close();
    const script = HOLDER.replace(/process\.stdin.*/, 'setTimeout(() => { db.exec("COMMIT"); db.close(); }, 600);');
    const holder = start(script, path);
    await saysSomething(holder);
    HistoryStorage.resetInstance();
    const storage = HistoryStorage.open(path);
    storage.add('last words');
    storage.close();
    expect(promptsOf(connect(path))).toEqual(['last words']);
  },
  30_000,
);

test('another program reads and writes the file before, during and after', async () => {
  const { path, db } = makeDatabase(XCSH_SCHEMA);
  runElsewhere(path, "INSERT INTO history(prompt, created_at) VALUES ('theirs before', 1)");
  HistoryStorage.resetInstance();
  const storage = HistoryStorage.open(path);
  await storage.add('ours first');
  expect(runElsewhere(path, 'SELECT prompt FROM history ORDER BY id')).toBe('theirs before\nours first');
  runElsewhere(path, "INSERT INTO history(prompt, created_at) VALUES ('theirs during', 2)");
  expect(storage.search('theirs', 5).map((hit) => hit.prompt)).toEqual(['theirs during', 'theirs before']);
  await storage.add('ours last');
  storage.close();
  const words = `SELECT count(*) FROM history_fts WHERE history_fts MATCH '"ours"* OR "theirs"*'`;
  expect(runElsewhere(path, words)).toBe('4');
  expect(runElsewhere(path, 'PRAGMA integrity_check')).toBe('ok');
  runElsewhere(path, "INSERT INTO history_fts(history_fts, rank) VALUES('integrity-check', 1)");
  expect(checkIntegrity(db)).toBe('ok');
});

test('our own database serves another program just as well', async () => {
  const path = join(makeFolder(), 'history.db');
  HistoryStorage.resetInstance();
  const storage = HistoryStorage.open(path);
  await storage.add('ours');
  runElsewhere(path, `${XCSH_SCHEMA} INSERT INTO history(prompt) VALUES ('theirs')`);
  expect(storage.search('the', 5).map((hit) => hit.prompt)).toEqual(['theirs']);
  storage.close();
  runElsewhere(path, "INSERT INTO history_fts(history_fts, rank) VALUES('integrity-check', 1)");
  expect(runElsewhere(path, 'SELECT count(*) FROM history')).toBe('2');
});

test('a database is read beside a writer, and after the writer was killed', async () => {
  const { path } = makeDatabase(XCSH_SCHEMA);
  const script = `
    import { DatabaseSync } from 'node:sqlite';
    const db = new DatabaseSync(process.argv[1], { timeout: 5000 });
    db.exec("INSERT INTO history(prompt, created_at) VALUES ('committed', 1)");
    db.exec("BEGIN IMMEDIATE; INSERT INTO history(prompt, created_at) VALUES ('not yet', 2)");
    console.log('writing');
    process.stdin.resume();`;
  const writer = start(script, path);
  await saysSomething(writer);
  const beside = openReadOnly(path);
  expect(recentPrompts(beside, 5).map((entry) => entry.prompt)).toEqual(['committed']);
  beside.close();
  const gone = exitCode(writer);
  writer.kill('SIGKILL');
  await gone;
  const after = openReadOnly(path);
  expect(wordHits(after, 'comm', 5)).toHaveLength(1);
  expect(wordHits(after, 'not', 5)).toEqual([]);
  after.close();
});

/** Runs `work` as a user who may read but not write; root may write everywhere. */
function asReader<T>(folder: string, work: () => T): T {
  fs.chmodSync(folder, 0o555);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    return work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    fs.chmodSync(folder, 0o755);
  }
}

test('a database in a folder that may not be written is read', () => {
  const { path, db } = makeDatabase(XCSH_SCHEMA);
  db.exec("INSERT INTO history(prompt, created_at) VALUES ('kept', 1)");
  db.close();
  fs.chmodSync(path, 0o644);
  const folder = join(path, '..');
  expect(fs.readdirSync(folder)).toEqual(['history.db']);
  const found = asReader(folder, () => {
    const reader = openReadOnly(path);
    const entries = recentPrompts(reader, 5);
    reader.close();
    return entries;
  });
  expect(found).toEqual([{ id: 1, prompt: 'kept', created_at: 1 }]);
  expect(fs.readdirSync(folder)).toEqual(['history.db']);
});

test('there, changes that only the log holds are not passed over in silence', () => {
  const { path, db } = makeDatabase(XCSH_SCHEMA);
  db.exec("INSERT INTO history(prompt, created_at) VALUES ('kept', 1)");
  const copy = join(makeFolder(), 'history.db');
  fs.copyFileSync(path, copy);
  fs.copyFileSync(`${path}-wal`, `${copy}-wal`);
  for (const file of [copy, `${copy}-wal`]) fs.chmodSync(file, 0o644);
  const open = () => asReader(join(copy, '..'), () => openReadOnly(copy));
  expect(open).toThrow(expect.objectContaining({ code: 'history_unavailable' }));
  expect(open).toThrow(/has unfinished changes, and its folder may not be written$/);
});

test.each([
  ['a missing file', undefined, /^there is no prompt history at \S+$/],
  ['a text', Buffer.from('no database at all\n'.repeat(100)), /is not a database$/],
  ['an empty file', Buffer.alloc(0), /holds no prompt history$/],
])('openReadOnly says in one line what is wrong with %s', (_name, bytes, message) => {
  const path = join(makeFolder(), 'history.db');
  if (bytes !== undefined) fs.writeFileSync(path, bytes);
  expect(() => openReadOnly(path)).toThrow(expect.objectContaining({ code: 'history_unavailable', path }));
  expect(() => openReadOnly(path)).toThrow(message);
});

test('a damaged database is reported by the query that meets the damage', () => {
  const { path, db } = makeDatabase(XCSH_SCHEMA);
  const insert = db.prepare('INSERT INTO history(prompt, created_at) VALUES (?, ?)');
  for (let i = 0; i < 3000; i++) insert.run(`prompt number ${i} ${'x'.repeat(100)}`, i);
  db.close();
  const bytes = fs.readFileSync(path);
  bytes.fill(0xa5, 8 * 4096);
  fs.writeFileSync(path, bytes);
  const read = () => {
    const damaged = openReadOnly(path);
    try {
      recentPrompts(damaged, 1000);
    } finally {
      damaged.close();
    }
  };
  expect(read).toThrow(expect.objectContaining({ code: 'history_unavailable' }));
  expect(read).toThrow(/is damaged$/);
});

test('a locked database without WAL is reported as locked', async () => {
  const path = join(makeFolder(), 'history.db');
  const db = connect(path);
  db.exec(XCSH_SCHEMA);
  db.close();
  const holder = start(HOLDER, path);
  await saysSomething(holder);
  expect(() => openReadOnly(path)).toThrow(/is locked by another process$/);
  const gone = exitCode(holder);
  holder.stdin!.end();
  await gone;
});

test('importing the storage does not load SQLite', async () => {
  const script = `
    await import(process.argv[1]);
    console.log(process.moduleLoadList.some((name) => name.includes('sqlite')));`;
  const child = start(script, STORAGE_URL);
  let output = '';
  child.stdout!.on('data', (data) => {
    output += data;
  });
  await once(child, 'close');
  expect(output.trim()).toBe('false');
});
