import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { SessionError } from '../errors.ts';
import { ensureOwnFolder } from '../own-folders.ts';
import { inTransaction, isPassing, openForWriting, openInMemory } from '../session/history-database.ts';

/** `Boug`: tells our catalog from another program's database. */
const APPLICATION_ID = 0x42_6f_75_67;
const SCHEMA_VERSION = 2;
/** Another Bough writes for a moment at a time. */
const LOCK_WAIT_MS = 2_000;

/**
 * files: one a session file, with what its last reading left to go on from; `row` is what lists show, `state` and `calls`
 * what the figures are made of. files_read holds all that a look at the folders compares, without these long columns.
 * docs: one a text that can be found; its id grows with its time, so that the newest hits come first without sorting.
 * words and trigrams hold no text: what they find is read from the session's own file again.
 */
const SCHEMA = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
  CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, root TEXT NOT NULL, activity REAL NOT NULL, row TEXT NOT NULL,
    session_id TEXT, parent_id TEXT,
    size REAL NOT NULL, mtime REAL NOT NULL, inode REAL NOT NULL,
    line INTEGER NOT NULL, offset INTEGER NOT NULL, seam TEXT NOT NULL, state BLOB, calls BLOB,
    text_line INTEGER NOT NULL, text_offset INTEGER NOT NULL, text_entries INTEGER NOT NULL
  );
  CREATE INDEX files_read ON files(root, path, size, mtime, inode, line, offset, seam, text_line, text_offset, text_entries);
  CREATE INDEX files_activity ON files(activity);
  CREATE INDEX files_session ON files(session_id);
  CREATE INDEX files_parent ON files(parent_id) WHERE parent_id IS NOT NULL;
  CREATE TABLE docs (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, line INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL,
    entry TEXT, role TEXT NOT NULL, time REAL
  );
  CREATE INDEX docs_file ON docs(file, offset);
  CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, detail=none, tokenize='unicode61');
  CREATE VIRTUAL TABLE trigrams USING fts5(text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');
  INSERT INTO words(words, rank) VALUES('hashsize', 8000000);
  INSERT INTO trigrams(trigrams, rank) VALUES('hashsize', 16000000);
  INSERT INTO words(words, rank) VALUES('automerge', 8);
  INSERT INTO trigrams(trigrams, rank) VALUES('automerge', 8);
`;

/** Where the catalog lies in Bough's cache folder. */
export function catalogPath(cacheDir: string): string {
  return join(cacheDir, 'catalog.db');
}

/** What the catalog holds is not what was put there: as bad as a page that SQLite cannot read, and told as such. */
export class DamagedCatalog extends Error {
  readonly code = 'ERR_SQLITE_ERROR';
}

class ForeignCatalog extends Error {}

function pragma(db: DatabaseSync, name: string): unknown {
  return db.prepare(`PRAGMA ${name}`).get()?.[name];
}

function createSchema(db: DatabaseSync): void {
  inTransaction(db, 'IMMEDIATE', () => {
    // Another Bough may have been faster.
    if (pragma(db, 'user_version') === SCHEMA_VERSION) return;
    db.exec(SCHEMA);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

function openKept(path: string): DatabaseSync {
  const db = openForWriting(path, LOCK_WAIT_MS);
  try {
    const isNew = pragma(db, 'application_id') === 0 && db.prepare('SELECT 1 FROM sqlite_master').get() === undefined;
    if (isNew) createSchema(db);
    const isOurs = pragma(db, 'application_id') === APPLICATION_ID && pragma(db, 'user_version') === SCHEMA_VERSION;
    if (!isOurs) throw new ForeignCatalog(`${path} is no catalog of this version`);
    db.exec(
      'PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 8000; PRAGMA journal_size_limit = 67108864',
    );
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A catalog that is kept nowhere, for when there is no place for one. */
export function openUnkept(): DatabaseSync {
  const db = openInMemory();
  createSchema(db);
  return db;
}

/** Does an error come from SQLite, ours being what it cannot work with? */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR';
}

/** Moves a catalog that cannot be used out of the way; the one before it goes. */
export function setAside(cacheDir: string): void {
  const path = catalogPath(cacheDir);
  for (const suffix of ['', '-wal', '-shm']) {
    if (!existsSync(path + suffix)) continue;
    rmSync(`${path}.set-aside${suffix}`, { recursive: true, force: true });
    renameSync(path + suffix, `${path}.set-aside${suffix}`);
  }
}

/** Removes a catalog that was moved out of the way. */
export function dropSetAside(cacheDir: string): void {
  for (const suffix of ['', '-wal', '-shm']) {
    rmSync(`${catalogPath(cacheDir)}.set-aside${suffix}`, { recursive: true, force: true });
  }
}

/**
 * Opens the catalog in a cache folder, creating folder (0700) and file (0600). One that is damaged or not ours is set aside
 * and begun anew; where none can be kept (locked, no place, no permission) it lives in memory. Never throws for any of these.
 */
export function openStoreFile(cacheDir: string): DatabaseSync {
  try {
    ensureOwnFolder(cacheDir);
    try {
      return openKept(catalogPath(cacheDir));
    } catch (error) {
      if (error instanceof SessionError || isPassing(error)) throw error;
      setAside(cacheDir);
      return openKept(catalogPath(cacheDir));
    }
  } catch (error) {
    if (error instanceof SessionError || isStoreFailure(error) || (error instanceof Error && 'code' in error)) {
      return openUnkept();
    }
    throw error;
  }
}
