import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, prepare } from '../session/history-database.ts';
import type { FileStamp } from '../session/scan.ts';
import { Keeping } from './keeping.ts';
import { activityMs, type SessionRow } from './session-row.ts';
import { DamagedCatalog } from './store-file.ts';
import { insertDocs, prepareWrite, removeDocs, type TextDoc } from './text-index.ts';

/** How far a file has been read: the figures to `offset`, the texts to `textOffset`, both ends of whole lines. */
export interface ReadState {
  readonly stamp: FileStamp;
  readonly line: number;
  readonly offset: number;
  /** Tells whether the bytes before `offset` are still the ones that were read. */
  readonly seam: string;
  readonly textLine: number;
  readonly textOffset: number;
  /** Entries before `textOffset`. */
  readonly textEntries: number;
}

/** What the catalog knows of a file, but for its row. */
export interface FileRecord extends ReadState {
  readonly id: number;
  readonly path: string;
}

/** A newer reading of a file, to be kept. */
export interface FileUpdate {
  readonly path: string;
  /** The sessions folder that it was found in. */
  readonly root: string;
  /** What this reading went on from; undefined for a file that was not known. */
  readonly since: ReadState | undefined;
  readonly read: ReadState;
  /** undefined: the figures stay as they are. */
  readonly figures: { readonly row: SessionRow; readonly state: Uint8Array; readonly calls: Uint8Array } | undefined;
  /** Texts from this offset on are replaced by `docs`; undefined: they stay as they are. */
  readonly textFrom: number | undefined;
  readonly docs: readonly TextDoc[];
}

type Columns = Readonly<Record<string, unknown>>;

function recordOf(columns: Columns): FileRecord {
  const number = (name: string): number => Number(columns[name]);
  return {
    id: number('id'),
    path: String(columns['path']),
    stamp: { sizeBytes: number('size'), mtimeMs: number('mtime'), inode: number('inode') },
    line: number('line'),
    offset: number('offset'),
    seam: String(columns['seam']),
    textLine: number('text_line'),
    textOffset: number('text_offset'),
    textEntries: number('text_entries'),
  };
}

/** The row among a file's columns. Throws `DamagedCatalog`. */
export function rowOf(columns: Columns): SessionRow {
  try {
    return JSON.parse(String(columns['row']));
  } catch (error) {
    throw new DamagedCatalog('a row of the catalog is damaged', { cause: error });
  }
}

const RECORD = 'id, path, size, mtime, inode, line, offset, seam, text_line, text_offset, text_entries';

/** Do two readings stand at the same place of the same file? */
function isSameRead(a: ReadState | undefined, b: ReadState | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.stamp.sizeBytes === b.stamp.sizeBytes &&
    a.stamp.mtimeMs === b.stamp.mtimeMs &&
    a.stamp.inode === b.stamp.inode &&
    a.offset === b.offset &&
    a.seam === b.seam &&
    a.textOffset === b.textOffset
  );
}

/** The id that a `parentSession` names: itself, or that in a path's file name. */
export function parentIdOf(parentSession: string | null): string | null {
  if (parentSession === null) return null;
  const file = parentSession.slice(Math.max(parentSession.lastIndexOf('/'), parentSession.lastIndexOf('\\')) + 1);
  return file === parentSession ? file : file.replace(/\.jsonl$/, '').replace(/^.*_/, '');
}

/** The catalog's tables. Every change is one transaction; throws SQLite's own errors. */
export class CatalogStore implements Disposable {
  readonly db: DatabaseSync;
  /** What it may hold. */
  readonly keeping: Keeping;

  constructor(db: DatabaseSync, keeping: Keeping = new Keeping()) {
    this.db = db;
    this.keeping = keeping;
  }

  [Symbol.dispose](): void {
    this.db.close();
  }

  /** Every known file of some sessions folders by its path. */
  records(roots: readonly string[]): Map<string, FileRecord> {
    const records = new Map<string, FileRecord>();
    for (const root of roots) {
      for (const columns of prepare(this.db, `SELECT ${RECORD} FROM files WHERE root = ?`).all(root)) {
        const record = recordOf(columns);
        records.set(record.path, record);
      }
    }
    return records;
  }

  record(path: string): FileRecord | undefined {
    const columns = prepare(this.db, `SELECT ${RECORD} FROM files WHERE path = ?`).get(path);
    return columns === undefined ? undefined : recordOf(columns);
  }

  /** The rows of some sessions folders, newest activity first, a page at a time. */
  *rows(roots: readonly string[], pageRows: number): Generator<SessionRow[]> {
    const marks = roots.map(() => '?').join(',');
    const sql = `SELECT row, activity, id FROM files INDEXED BY files_activity WHERE root IN (${marks}) AND (activity, id) < (?, ?)
      ORDER BY activity DESC, id DESC LIMIT ?`;
    let [activity, id] = [Number.MAX_VALUE, Number.MAX_SAFE_INTEGER];
    for (;;) {
      const page = prepare(this.db, sql).all(...roots, activity, id, pageRows);
      const last = page.at(-1);
      if (last === undefined) return;
      [activity, id] = [Number(last['activity']), Number(last['id'])];
      yield page.map(rowOf);
    }
  }

  /** The row of a file; undefined when it is not known. */
  row(path: string): SessionRow | undefined {
    const columns = prepare(this.db, 'SELECT row FROM files WHERE path = ?').get(path);
    return columns === undefined ? undefined : rowOf(columns);
  }

  /** What the figures of a file were made of; undefined when it is not known. */
  stateOf(id: number): { readonly state: Uint8Array; readonly calls: Uint8Array } | undefined {
    const found = prepare(this.db, 'SELECT state, calls FROM files WHERE id = ?').get(id);
    const [state, calls] = [found?.['state'], found?.['calls']];
    return state instanceof Uint8Array && calls instanceof Uint8Array ? { state, calls } : undefined;
  }

  /**
   * Keeps some readings; one whose file another Bough has read further meanwhile is dropped, and all are when one with other
   * rules has been here: what it took out stays out.
   */
  save(updates: readonly FileUpdate[]): void {
    inTransaction(this.db, 'IMMEDIATE', () => {
      if ((this.meta('keeping') ?? '') !== this.keeping.key) return;
      const docs: { readonly file: number; readonly doc: TextDoc }[] = [];
      for (const update of updates) {
        const known = this.record(update.path);
        if (!isSameRead(known, update.since)) continue;
        const file = this.#put(update, known);
        if (update.textFrom !== undefined && known !== undefined) removeDocs(this.db, file, update.textFrom);
        for (const doc of update.docs) docs.push({ file, doc });
      }
      insertDocs(this.db, docs);
    });
  }

  #put({ path, root, read, figures }: FileUpdate, known: FileRecord | undefined): number {
    const { stamp, line, offset, seam, textLine, textOffset, textEntries } = read;
    const columns = [
      stamp.sizeBytes,
      stamp.mtimeMs,
      stamp.inode,
      line,
      offset,
      seam,
      textLine,
      textOffset,
      textEntries,
    ];
    let id = known?.id;
    if (id === undefined) {
      const insert = `INSERT INTO files(path, root, activity, row, size, mtime, inode, line, offset, seam, text_line,
        text_offset, text_entries) VALUES (?, ?, 0, '{}', ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
      id = Number(prepareWrite(this.db, insert).run(path, root, ...columns).lastInsertRowid);
    } else {
      const change = `UPDATE files SET size = ?, mtime = ?, inode = ?, line = ?, offset = ?, seam = ?, text_line = ?,
        text_offset = ?, text_entries = ? WHERE id = ?`;
      prepareWrite(this.db, change).run(...columns, id);
    }
    if (figures !== undefined) {
      this.putRow(id, figures.row);
      prepareWrite(this.db, 'UPDATE files SET state = ?, calls = ? WHERE id = ?').run(figures.state, figures.calls, id);
    }
    return id;
  }

  putRow(id: number, row: SessionRow): void {
    prepareWrite(this.db, 'UPDATE files SET row = ?, activity = ?, session_id = ?, parent_id = ? WHERE id = ?').run(
      JSON.stringify(row),
      activityMs(row),
      row.id,
      parentIdOf(row.parentSession),
      id,
    );
  }

  /** The sessions that some files and their origins are. */
  sessionIds(ids: readonly number[]): (string | null)[] {
    const select = prepare(this.db, 'SELECT session_id, parent_id FROM files WHERE id = ?');
    return ids.flatMap((id) => {
      const { session_id: own, parent_id: parent } = select.get(id) ?? {};
      return [own, parent].map((value) => (typeof value === 'string' ? value : null));
    });
  }

  /** A file that now lies elsewhere. */
  move(id: number, path: string, root: string, row: SessionRow): void {
    inTransaction(this.db, 'IMMEDIATE', () => {
      prepareWrite(this.db, 'UPDATE OR IGNORE files SET path = ?, root = ? WHERE id = ?').run(path, root, id);
      this.putRow(id, row);
    });
  }

  /** Files that are gone, with their texts. */
  remove(ids: readonly number[]): void {
    inTransaction(this.db, 'IMMEDIATE', () => this.removeNow(ids));
  }

  /** `remove` within a transaction. */
  removeNow(ids: readonly number[]): void {
    for (const id of ids) {
      removeDocs(this.db, id, 0);
      prepareWrite(this.db, 'DELETE FROM files WHERE id = ?').run(id);
    }
  }

  meta(key: string): unknown {
    return prepare(this.db, 'SELECT value FROM meta WHERE key = ?').get(key)?.['value'];
  }

  setMeta(key: string, value: string | number): void {
    prepareWrite(this.db, 'INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)').run(key, value);
  }
}
