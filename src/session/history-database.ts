import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { fromNodeError, SessionError } from '../errors.ts';
import { openPrivateSync } from './private-files.ts';

const require = createRequire(import.meta.url);

/** Loads SQLite on first use: importing this module costs nothing, and Node 22 warns only those who use it. */
function sqlite(): typeof import('node:sqlite') {
  return require('node:sqlite');
}

/** SQLite's primary result codes that are told apart; node:sqlite gives the extended ones in `errcode`. */
const RESULT = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  malformed: 11,
  full: 13,
  cannotOpen: 14,
  protocol: 15,
  notADatabase: 26,
};

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

/** Whether the same call may succeed later: a lock, a full disk, a fault of the device. */
export function isPassing(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && PASSING.has(code);
}

const PASSING = new Set([RESULT.busy, RESULT.locked, RESULT.protocol, RESULT.full, RESULT.ioError]);

const REASONS: ReadonlyMap<number, string> = new Map([
  [RESULT.busy, 'is locked by another process'],
  [RESULT.locked, 'is locked by another process'],
  [RESULT.protocol, 'is locked by another process'],
  [RESULT.readOnly, 'may not be written'],
  [RESULT.malformed, 'is damaged'],
  [RESULT.full, 'has no room left on its disk'],
  [RESULT.cannotOpen, 'cannot be opened'],
  [RESULT.notADatabase, 'is not a database'],
]);

/** Any failure of SQLite or of the file system as one `history_unavailable` line; a `SessionError` passes through. */
export function toHistoryError(error: unknown, path: string): SessionError {
  if (error instanceof SessionError) return error;
  const code = resultCode(error);
  const reason = code === undefined ? undefined : REASONS.get(code);
  const message = `the prompt history ${path} ${reason ?? `is unavailable: ${error instanceof Error ? error.message : error}`}`;
  return new SessionError('history_unavailable', message, { path, cause: error });
}

/** Creates the file before SQLite would with the umask's mode; -wal and -shm get the mode of the database. */
function createPrivateFile(path: string): void {
  try {
    closeSync(openPrivateSync(path, 'append'));
  } catch (error) {
    const reason = fromNodeError(error, 'cannot create it').message;
    throw new SessionError('history_unavailable', `the prompt history ${path}: ${reason}`, { path, cause: error });
  }
}

/**
 * Opens (and creates) a database for writing, in WAL mode. A lock is waited for `lockWaitMs` at most, from the first
 * statement on. Throws SQLite's own error (see `isPassing`), or `history_unavailable` when the file cannot be made.
 */
export function openForWriting(path: string, lockWaitMs: number): DatabaseSync {
  if (!existsSync(path)) createPrivateFile(path);
  const db = new (sqlite().DatabaseSync)(path, { timeout: lockWaitMs });
  try {
    db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Both tables must be there; asking is also the first read, which is where SQLite notices most that can be wrong. */
function checkTables(db: DatabaseSync, path: string): void {
  const found = db.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name IN ('history', 'history_fts')").get();
  if (found?.['n'] !== 2) throw new SessionError('history_unavailable', `${path} holds no prompt history`, { path });
}

function openChecked(location: string | URL, path: string, lockWaitMs: number): DatabaseSync {
  const db = new (sqlite().DatabaseSync)(location, { readOnly: true, timeout: lockWaitMs });
  try {
    checkTables(db, path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Is a database in WAL mode, and no process using it? Then all of it is in the file, and reading it the usual way would
 * leave an empty -wal and a -shm beside it.
 */
function isWalAtRest(path: string): boolean {
  if (existsSync(`${path}-wal`)) return false;
  const descriptor = openSync(path, 'r');
  try {
    const versions = Buffer.alloc(2);
    // The file format's write and read version: 2 means WAL.
    return readSync(descriptor, versions, 0, 2, 18) === 2 && versions.every((version) => version === 2);
  } finally {
    closeSync(descriptor);
  }
}

/** In a folder that may not be written, SQLite cannot make the -shm that WAL needs: the file alone is read instead. */
function openImmutable(path: string, first: unknown): DatabaseSync {
  const walBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (walBytes > 0) {
    const message = `the prompt history ${path} has unfinished changes, and its folder may not be written`;
    throw new SessionError('history_unavailable', message, { path, cause: first });
  }
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return openChecked(url, path, 0);
}

/**
 * Opens a prompt history for reading, beside a writer too; changes nothing, not even the folder. The caller closes it, and
 * opens it anew when `readState` changes: a database at rest is read as it was then. Throws `history_unavailable` for one that is missing, locked for 250 ms, damaged, or no prompt history.
 */
export function openReadOnly(path: string): DatabaseSync {
  if (!existsSync(path))
    throw new SessionError('history_unavailable', `there is no prompt history at ${path}`, { path });
  try {
    if (isWalAtRest(path)) return openImmutable(path, undefined);
    try {
      return openChecked(path, path, 250);
    } catch (error) {
      const code = resultCode(error);
      if (code !== RESULT.readOnly && code !== RESULT.cannotOpen) throw error;
      return openImmutable(path, error);
    }
  } catch (error) {
    throw toHistoryError(error, path);
  }
}

/** What tells whether an open database must be opened anew; undefined when there is none. */
export function readState(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.mtimeMs} ${existsSync(`${path}-wal`)}`;
}

/** An empty database in memory. */
export function openInMemory(): DatabaseSync {
  return new (sqlite().DatabaseSync)(':memory:');
}

const prepared = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

/** The statement for `sql`, prepared once for each connection. Not to be used again while one iterates over it. */
export function prepare(db: DatabaseSync, sql: string): StatementSync {
  const ofDatabase = prepared.get(db) ?? new Map<string, StatementSync>();
  prepared.set(db, ofDatabase);
  const statement = ofDatabase.get(sql) ?? db.prepare(sql);
  ofDatabase.set(sql, statement);
  return statement;
}

/** Runs `work` in one transaction: kept when it returns, undone when it throws. */
export function inTransaction<T>(db: DatabaseSync, kind: 'DEFERRED' | 'IMMEDIATE', work: () => T): T {
  db.exec(`BEGIN ${kind}`);
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite has undone it by itself after some errors (a full disk): a second undoing would hide the first error.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Runs the statements of `work` against one state of the database; failures become `history_unavailable`. */
export function inSnapshot<T>(db: DatabaseSync, work: () => T): T {
  try {
    return inTransaction(db, 'DEFERRED', work);
  } catch (error) {
    throw toHistoryError(error, db.location() ?? 'in memory');
  }
}
