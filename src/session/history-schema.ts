import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, prepare } from './history-database.ts';

// Names and shapes are the agents': they open the same file.
const TABLE = `CREATE TABLE history (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  prompt TEXT NOT NULL,
  created_at INTEGER NOT NULL DEFAULT (CAST(strftime('%s','now') AS INTEGER)),
  cwd TEXT
)`;
const TIME_INDEX = 'CREATE INDEX IF NOT EXISTS idx_history_created_at ON history(created_at DESC)';
// The prefix option is ours; it changes nothing for an agent but the size of the file.
const TEXT_INDEX = `CREATE VIRTUAL TABLE history_fts
  USING fts5(prompt, content='history', content_rowid='id', prefix='1 2 3')`;
const TRIGGER = `CREATE TRIGGER history_ai AFTER INSERT ON history BEGIN
  INSERT INTO history_fts(rowid, prompt) VALUES (new.id, new.prompt);
END`;
const REBUILD = "INSERT INTO history_fts(history_fts) VALUES('rebuild')";

interface Found {
  /** The SQL of the table `history`, undefined when there is none. */
  readonly table: string | undefined;
  /** The SQL of the table `history_fts`, undefined when there is none. */
  readonly textIndex: string | undefined;
  /** The SQL of the triggers on `history`. */
  readonly triggers: readonly string[];
}

function findSchema(db: DatabaseSync): Found {
  const sql = 'SELECT type, name, tbl_name AS owner, sql FROM sqlite_master WHERE sql IS NOT NULL';
  const rows = prepare(db, sql).all();
  const tableSql = (name: string) => {
    const row = rows.find((candidate) => candidate['type'] === 'table' && candidate['name'] === name);
    return row === undefined ? undefined : String(row['sql']);
  };
  const triggers = rows.filter((row) => row['type'] === 'trigger' && row['owner'] === 'history');
  return {
    table: tableSql('history'),
    textIndex: tableSql('history_fts'),
    triggers: triggers.map((row) => String(row['sql'])),
  };
}

/** The table of early xcsh versions, whose default needs an SQLite that has unixepoch(); omp's table is left alone. */
function isLegacy(db: DatabaseSync, found: Found): boolean {
  return found.table?.includes('unixepoch(') === true && columnNames(db).join() === 'id,prompt,created_at,cwd';
}

function isComplete(db: DatabaseSync, found: Found): boolean {
  if (found.table === undefined || found.textIndex === undefined || found.triggers.length === 0) return false;
  return !isLegacy(db, found);
}

function replaceLegacyTable(db: DatabaseSync): void {
  db.exec(`
    DROP TRIGGER IF EXISTS history_ai;
    DROP TABLE IF EXISTS history_fts;
    DROP INDEX IF EXISTS idx_history_created_at;
    ALTER TABLE history RENAME TO history_legacy;
    ${TABLE};
    INSERT INTO history(id, prompt, created_at, cwd) SELECT id, prompt, created_at, cwd FROM history_legacy;
    UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'history_legacy')
      WHERE name = 'history';
    DROP TABLE history_legacy;
  `);
}

/**
 * Makes table, index, FTS5 table and trigger where they are missing and renews the legacy table, in one transaction;
 * a schema that is complete is not touched, whoever made it. Safe when several processes do it at once.
 */
export function ensureSchema(db: DatabaseSync): void {
  if (isComplete(db, findSchema(db))) return;
  inTransaction(db, 'IMMEDIATE', () => {
    // Another process may have done it while this one waited for the lock.
    const before = findSchema(db);
    if (isComplete(db, before)) return;
    if (isLegacy(db, before)) replaceLegacyTable(db);
    else if (before.table === undefined) db.exec(TABLE);
    db.exec(TIME_INDEX);
    const { textIndex, triggers } = findSchema(db);
    if (textIndex === undefined) db.exec(TEXT_INDEX);
    if (triggers.length === 0) db.exec(TRIGGER);
    db.exec(REBUILD);
  });
}

function columnNames(db: DatabaseSync): string[] {
  return db
    .prepare('PRAGMA table_info(history)')
    .all()
    .map((column) => String(column['name']));
}

/** omp keeps each text once; such a table has a unique index over the prompt alone. */
function hasUniquePrompts(db: DatabaseSync): boolean {
  const sql = `SELECT 1 FROM pragma_index_list('history') AS list
    WHERE list."unique" = 1 AND (SELECT group_concat(name) FROM pragma_index_info(list.name)) = 'prompt'`;
  return db.prepare(sql).get() !== undefined;
}

/** The SQL that stores one prompt (text, epoch seconds, folder or null) the way the maker of this database does. */
export function insertSql(db: DatabaseSync): string {
  const insert = 'INSERT INTO history(prompt, created_at, cwd) VALUES (?, ?, ?)';
  if (!hasUniquePrompts(db)) return insert;
  const count = columnNames(db).includes('use_count') ? ', use_count = use_count + 1' : '';
  return `${insert} ON CONFLICT(prompt) DO UPDATE
    SET created_at = excluded.created_at, cwd = coalesce(excluded.cwd, cwd)${count}`;
}

/** Whether deleting a row of `history` already takes it out of the text index. */
export function deletesFromTextIndex(db: DatabaseSync): boolean {
  return findSchema(db).triggers.some((sql) => /\bDELETE\s+ON\b/i.test(sql));
}

/** What the text index of a database can do. */
export interface TextIndex {
  /** One-letter prefixes are looked up instead of collected from every word that begins so. */
  readonly indexesFirstLetters: boolean;
  /** Words are taken apart as FTS5 does by default. */
  readonly hasDefaultTokenizer: boolean;
}

/** Reads from the schema what the text index of this database can do. */
export function describeTextIndex(db: DatabaseSync): TextIndex {
  const sql = findSchema(db).textIndex ?? '';
  return {
    indexesFirstLetters: /\bprefix\s*=\s*(['"]?)[\d\s]*\b1\b[\d\s]*\1/i.test(sql),
    hasDefaultTokenizer: !/\btokenize\s*=/i.test(sql),
  };
}
