import { inTransaction, isPassing, prepare } from '../session/history-database.ts';
import { countCopiesOnce } from './lineage.ts';
import { type CatalogStore, rowOf } from './store.ts';

/** Files of which the catalog holds more, or less, than it may. */
function misfits(store: CatalogStore): number[] {
  const hasTexts = prepare(store.db, 'SELECT 1 FROM docs WHERE file = ? LIMIT 1');
  const ids: number[] = [];
  for (const columns of prepare(store.db, 'SELECT id, row FROM files').all()) {
    const id = Number(columns['id']);
    const { path, cwd = null, isSubAgent } = rowOf(columns);
    const kept = path === undefined ? 'nothing' : store.keeping.ofSession(path, cwd, isSubAgent);
    const isRight = kept !== 'nothing' && (hasTexts.get(id) !== undefined) === (kept === 'all');
    if (!isRight) ids.push(id);
  }
  return ids;
}

/** Rewrites the catalog without a trace of what was deleted: neither in its index, nor in unused parts of its file. */
function scrub({ db }: CatalogStore): void {
  try {
    db.exec("INSERT INTO words(words) VALUES('optimize'); INSERT INTO trigrams(trigrams) VALUES('optimize')");
    db.exec('VACUUM');
    const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {};
    if (busy === 0) prepare(db, "DELETE FROM meta WHERE key = 'scrub'").run();
  } catch (error) {
    // In use by another Bough, or no room for a copy: it is due again at the next start.
    if (!isPassing(error)) throw error;
  }
}

/**
 * When the rules are not those by which the catalog was filled: takes out of it what it may not hold any more, and what it
 * may now hold more of, to be read anew. Says whether they were others. Throws SQLite's own errors.
 */
export function applyKeeping(store: CatalogStore): boolean {
  const { key } = store.keeping;
  const isNew = (store.meta('keeping') ?? '') !== key;
  if (isNew) {
    inTransaction(store.db, 'IMMEDIATE', () => {
      const ids = misfits(store);
      const relatives = store.sessionIds(ids).filter((id) => id !== null);
      store.removeNow(ids);
      countCopiesOnce(store, relatives);
      store.setMeta('keeping', key);
      if (ids.length > 0) store.setMeta('scrub', 1);
    });
  }
  if (store.meta('scrub') !== undefined) scrub(store);
  return isNew;
}
