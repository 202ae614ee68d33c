import fs from 'node:fs';
import { expect, test } from 'vitest';
import { removePrompts } from '../../src/session/history-removal.ts';
import { HistoryStorage } from '../../src/session/history-storage.ts';
import {
  checkIntegrity,
  connect,
  makeDatabase,
  makeFolder,
  OMP_SCHEMA,
  promptsOf,
  runElsewhere,
  schemaOf,
  XCSH_SCHEMA,
} from './history-helpers.ts';

const SECRET = 'password hunterzwei qvxsecretword';

/** Fills as agents do: one transaction a prompt, so that the text index merges and frees pages on its way. */
function fill(path: string): void {
  const db = connect(path);
  const insert = db.prepare('INSERT INTO history(prompt, created_at, cwd) VALUES (?, ?, ?)');
  for (let i = 0; i < 300; i++) insert.run(i === 40 ? SECRET : `prompt number ${i} about things ${i * 7}`, i, '/w');
  db.close();
}

/** Every file of the database as bytes. */
function bytesOf(path: string): Buffer {
  return Buffer.concat(
    ['', '-wal', '-shm'].filter((end) => fs.existsSync(path + end)).map((end) => fs.readFileSync(path + end)),
  );
}

test.each([
  ['xcsh', XCSH_SCHEMA],
  ['omp', OMP_SCHEMA],
])('a removed prompt is gone from table, index and bytes of a database of %s', (_agent, schema) => {
  const { path, db } = makeDatabase(schema);
  const before = schemaOf(db);
  fill(path);
  expect(bytesOf(path).includes('qvxsecretword')).toBe(true);

  expect(removePrompts(path, [41, 41, 9999])).toEqual({ removedIds: [41], isLogEmptied: true });

  expect(promptsOf(db)).toHaveLength(299);
  expect(db.prepare("SELECT count(*) AS n FROM history_fts WHERE history_fts MATCH 'qvxsecretword'").get()).toEqual({
    n: 0,
  });
  expect(db.prepare("SELECT count(*) AS n FROM history_fts WHERE history_fts MATCH 'number'").get()).toEqual({
    n: 299,
  });
  for (const word of ['qvxsecretword', 'secretword', 'hunterzwei', 'unterzwe']) {
    expect(bytesOf(path).includes(word), word).toBe(false);
  }
  expect(checkIntegrity(db)).toBe('ok');
  expect(schemaOf(db)).toBe(before);
});

test('the other tables of omp stay as they are', () => {
  const { path, db } = makeDatabase(OMP_SCHEMA);
  fill(path);
  db.exec(
    `INSERT INTO session_titles VALUES ('s1', 'a title', 5); INSERT INTO session_recaps VALUES (1, 's1', '/w', 'a recap', 6)`,
  );
  removePrompts(path, [1, 2, 3]);
  expect(db.prepare('SELECT * FROM session_titles').all()).toEqual([
    { session_id: 's1', title: 'a title', updated_at: 5 },
  ]);
  expect(db.prepare('SELECT recap FROM session_recaps').all()).toEqual([{ recap: 'a recap' }]);
});

test('a database whose trigger cleans the index itself is not cleaned twice', () => {
  const trigger = `CREATE TRIGGER history_ad AFTER DELETE ON history BEGIN
    INSERT INTO history_fts(history_fts, rowid, prompt) VALUES ('delete', old.id, old.prompt); END;`;
  const { path, db } = makeDatabase(XCSH_SCHEMA + trigger);
  fill(path);
  removePrompts(path, [41]);
  expect(checkIntegrity(db)).toBe('ok');
});

test('another program can go on with the file', async () => {
  const path = `${makeFolder()}/history.db`;
  HistoryStorage.resetInstance();
  const storage = HistoryStorage.open(path);
  for (const prompt of ['one', 'two', 'three']) storage.add(prompt);
  storage.close();
  removePrompts(path, [2]);
  runElsewhere(path, "INSERT INTO history(prompt) VALUES ('four')");
  const sql = `SELECT group_concat(rowid) FROM (SELECT rowid FROM history_fts WHERE history_fts MATCH '"t"* OR "f"*')`;
  expect(runElsewhere(path, sql)).toBe('3,4');
  expect(runElsewhere(path, 'PRAGMA integrity_check')).toBe('ok');
});

test('a reader that stays keeps the log, and the report says so', () => {
  const { path } = makeDatabase(XCSH_SCHEMA);
  fill(path);
  const reader = connect(path);
  reader.exec('BEGIN; SELECT count(*) FROM history');
  reader.prepare('SELECT count(*) FROM history').get();
  expect(removePrompts(path, [41])).toEqual({ removedIds: [41], isLogEmptied: false });
  reader.exec('COMMIT');
});

test('nothing is removed from a locked, a missing or no database, in one clear line', () => {
  const { path, db } = makeDatabase(XCSH_SCHEMA);
  fill(path);
  db.exec('BEGIN IMMEDIATE');
  expect(() => removePrompts(path, [1])).toThrow(expect.objectContaining({ code: 'history_unavailable' }));
  expect(() => removePrompts(path, [1])).toThrow(/is locked by another process$/);
  db.exec('ROLLBACK');
  expect(promptsOf(db)).toHaveLength(300);

  const missing = `${makeFolder()}/history.db`;
  expect(() => removePrompts(missing, [1])).toThrow(/there is no prompt history at/);
  expect(fs.existsSync(missing)).toBe(false);
});
