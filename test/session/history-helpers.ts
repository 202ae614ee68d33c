import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';

/** The schema of xcsh, statement by statement as it makes it. */
export const XCSH_SCHEMA = `
CREATE TABLE IF NOT EXISTS history (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	prompt TEXT NOT NULL,
	created_at INTEGER NOT NULL DEFAULT (CAST(strftime('%s','now') AS INTEGER)),
	cwd TEXT
);
CREATE INDEX IF NOT EXISTS idx_history_created_at ON history(created_at DESC);
CREATE VIRTUAL TABLE IF NOT EXISTS history_fts USING fts5(prompt, content='history', content_rowid='id');
CREATE TRIGGER IF NOT EXISTS history_ai AFTER INSERT ON history BEGIN
	INSERT INTO history_fts(rowid, prompt) VALUES (new.id, new.prompt);
END;`;

export const OMP_SCHEMA = `
CREATE TABLE history (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  prompt TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL DEFAULT (CAST(strftime('%s','now') AS INTEGER)),
  cwd TEXT,
  session_id TEXT,
  use_count INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX idx_history_created_at ON history(created_at DESC);
CREATE VIRTUAL TABLE history_fts USING fts5(prompt, content='history', content_rowid='id');
CREATE TRIGGER history_ai AFTER INSERT ON history BEGIN
  INSERT INTO history_fts(rowid, prompt) VALUES (new.id, new.prompt);
END;
CREATE TABLE session_titles(session_id TEXT PRIMARY KEY, title TEXT, updated_at INTEGER);
CREATE TABLE session_recaps(id INTEGER PRIMARY KEY, session_id TEXT, cwd TEXT, recap TEXT, created_at INTEGER);
PRAGMA user_version = 1;`;

/** What the agents run for every key. */
export const PLAIN_QUERY = `SELECT h.id, h.prompt, h.created_at, h.cwd FROM history_fts f JOIN history h ON h.id = f.rowid
  WHERE history_fts MATCH ? ORDER BY h.created_at DESC, h.id DESC LIMIT ?`;

export function makeFolder(): string {
  const folder = fs.mkdtempSync(join(tmpdir(), 'bough-history-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A connection that is closed when the test ends. */
export function connect(path: string, options: { readonly readOnly?: boolean } = {}): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 5000, ...options });
  onTestFinished(() => {
    if (db.isOpen) db.close();
  });
  return db;
}

/** A new database with the given schema in a new folder. */
export function makeDatabase(schema: string): { readonly path: string; readonly db: DatabaseSync } {
  const path = join(makeFolder(), 'history.db');
  const db = connect(path);
  db.exec(`PRAGMA journal_mode=WAL; ${schema}`);
  return { path, db };
}

export function schemaOf(db: DatabaseSync): string {
  const rows = db.prepare('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name').all();
  return rows.map((row) => row['sql']).join('\n');
}

export function promptsOf(db: DatabaseSync): string[] {
  return db
    .prepare('SELECT prompt FROM history ORDER BY id')
    .all()
    .map((row) => String(row['prompt']));
}

/** Both of SQLite's checks; the second compares the text index with the table. Throws when it fails. */
export function checkIntegrity(db: DatabaseSync): string {
  db.exec("INSERT INTO history_fts(history_fts, rank) VALUES('integrity-check', 1)");
  return String(db.prepare('PRAGMA integrity_check').get()?.['integrity_check']);
}

function isCommandThere(): boolean {
  try {
    execFileSync('sqlite3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Runs SQL as another program: the sqlite3 command where it is installed, else SQLite in a process of its own. */
export function runElsewhere(path: string, sql: string): string {
  if (isCommandThere())
    return execFileSync('sqlite3', ['-cmd', '.timeout 5000', path, sql], { encoding: 'utf8' }).trim();
  const script = `
    const { DatabaseSync } = require('node:sqlite');
    const db = new DatabaseSync(process.argv[1], { timeout: 5000 });
    const text = process.argv[2];
    if (!/^(SELECT|PRAGMA)/.test(text)) db.exec(text);
    else for (const row of db.prepare(text).all()) console.log(Object.values(row).join('|'));`;
  return execFileSync(process.execPath, ['-e', script, path, sql], { encoding: 'utf8' }).trim();
}
