import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { SessionError } from '../errors.ts';
import { inTransaction, openForWriting, prepare, toHistoryError } from './history-database.ts';
import { deletesFromTextIndex } from './history-schema.ts';

/** What a removal did. */
export interface Removal {
  /** The ids that were there and are gone. */
  readonly removedIds: readonly number[];
  /**
   * Whether the write-ahead log was emptied. False while another process reads: the bytes of the removed text then stay
   * in the `-wal` file until that process is done.
   */
  readonly isLogEmptied: boolean;
}

const LOCK_WAIT_MS = 1000;

/**
 * Removes prompts from table and text index, and their bytes from the file. Other tables are not touched.
 * Rewrites the whole file, which takes seconds for a million prompts. Throws `history_unavailable`, with nothing removed,
 * when the database is missing, locked or damaged; the message says so if only the rewriting failed.
 */
export function removePrompts(path: string, ids: readonly number[]): Removal {
  if (!existsSync(path))
    throw new SessionError('history_unavailable', `there is no prompt history at ${path}`, { path });
  try {
    const db = openForWriting(path, LOCK_WAIT_MS);
    try {
      // Freed pages are overwritten. FTS5's own option of that name would make the file unreadable for older SQLite.
      db.exec('PRAGMA secure_delete=ON');
      const removedIds = inTransaction(db, 'IMMEDIATE', () => removeRows(db, ids));
      if (removedIds.length > 0) rewriteFile(db, path);
      return { removedIds, isLogEmptied: emptyLog(db) };
    } finally {
      db.close();
    }
  } catch (error) {
    throw toHistoryError(error, path);
  }
}

function removeRows(db: DatabaseSync, ids: readonly number[]): number[] {
  const hasDeleteTrigger = deletesFromTextIndex(db);
  const removedIds: number[] = [];
  for (const id of new Set(ids)) {
    const row = prepare(db, 'SELECT prompt FROM history WHERE id = ?').get(id);
    if (row === undefined) continue;
    if (!hasDeleteTrigger) {
      const sql = "INSERT INTO history_fts(history_fts, rowid, prompt) VALUES ('delete', ?, ?)";
      prepare(db, sql).run(id, String(row['prompt']));
    }
    prepare(db, 'DELETE FROM history WHERE id = ?').run(id);
    removedIds.push(id);
  }
  // A deletion only adds a mark to the text index; merging it into one is what drops the words.
  if (removedIds.length > 0) db.exec("INSERT INTO history_fts(history_fts) VALUES('optimize')");
  return removedIds;
}

/** Agents free pages without overwriting them, so old copies of any word may lie about: only a new file is clean. */
function rewriteFile(db: DatabaseSync, path: string): void {
  try {
    db.exec('VACUUM');
  } catch (error) {
    const message = `the prompts are removed, but bytes of them may remain: ${toHistoryError(error, path).message}`;
    throw new SessionError('history_unavailable', message, { path, cause: error });
  }
}

/** Moves the log into the database and cuts it to nothing; false when another process keeps it in use. */
function emptyLog(db: DatabaseSync): boolean {
  return db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;
}
