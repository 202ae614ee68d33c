import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { prepare } from '../session/history-database.ts';
import { searchForm, spacedForm } from './text-form.ts';

/** One text that can be found, and where it stands. */
export interface TextDoc {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  /** null: the session's title. */
  readonly entryId: string | null;
  readonly role: string;
  /** Epoch ms; undefined when the entry does not tell. */
  readonly timeMs: number | undefined;
  readonly text: string;
}

/** A statement that writes. The index has rows of its own with ids beyond what a number holds, and SQLite tells the last one. */
export function prepareWrite(db: DatabaseSync, sql: string): StatementSync {
  const statement = prepare(db, sql);
  statement.setReadBigInts(true);
  return statement;
}

/** Texts of one second. */
const IDS_PER_SECOND = 64;
const MAX_SECONDS = 2 ** 46;

/** The first id to try for a text of that time: ids grow with time, whatever the order in which files are read. */
function firstIdAt(timeMs: number | undefined): number {
  const seconds = Math.floor((timeMs ?? 0) / 1000);
  return Math.max(1, Math.min(seconds, MAX_SECONDS)) * IDS_PER_SECOND;
}

/**
 * Gives texts their ids. Many may bear one time, or none: ids that are known to be taken are passed over at once, since to try
 * them one by one would take ever longer.
 */
export class IdPlaces {
  readonly #firstFree: StatementSync;
  /** All from the first to before the second are taken. */
  #run: readonly [from: number, to: number] = [0, 0];

  constructor(db: DatabaseSync) {
    this.#firstFree = prepare(
      db,
      `SELECT id + 1 AS free FROM docs AS taken WHERE id >= ?
        AND NOT EXISTS (SELECT 1 FROM docs WHERE id = taken.id + 1) ORDER BY id LIMIT 1`,
    );
  }

  /** Gives the id, from a first one on, for which `insert` succeeds. */
  place(first: number, insert: (id: number) => boolean): number {
    const [from, to] = this.#run;
    const isInRun = first >= from && first <= to;
    let id = isInRun ? to : first;
    if (!insert(id)) {
      id = Number(this.#firstFree.get(id)?.['free']);
      insert(id);
    }
    this.#run = [isInRun ? from : first, id + 1];
    return id;
  }
}

/** Files up to this one have their trigrams too; 0 for none. */
export function trigramMark(db: DatabaseSync): number {
  return Number(prepare(db, "SELECT value FROM meta WHERE key = 'trigram_file'").get()?.['value'] ?? 0);
}

/** Adds the texts of some files. Within a transaction. */
export function insertDocs(db: DatabaseSync, docs: readonly { readonly file: number; readonly doc: TextDoc }[]): void {
  const insert = prepareWrite(
    db,
    'INSERT OR IGNORE INTO docs(id, file, line, offset, length, entry, role, time) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const places = new IdPlaces(db);
  const placed: { readonly id: number; readonly file: number; readonly text: string }[] = [];
  for (const { file, doc } of docs) {
    const { line, offset, length, entryId, role, timeMs } = doc;
    const id = places.place(
      firstIdAt(timeMs),
      (at) => insert.run(at, file, line, offset, length, entryId, role, timeMs ?? null).changes === 1n,
    );
    placed.push({ id, file, text: doc.text });
  }
  // In the order of ids the index takes them in one piece.
  placed.sort((a, b) => a.id - b.id);
  const addWords = prepareWrite(db, 'INSERT INTO words(rowid, text) VALUES (?, ?)');
  for (const { id, text } of placed) addWords.run(id, spacedForm(text));
  const mark = trigramMark(db);
  addTrigrams(
    db,
    placed.filter(({ file }) => file <= mark),
  );
}

/** Adds texts to the index of substrings, in the order of their ids. */
export function addTrigrams(db: DatabaseSync, docs: readonly { readonly id: number; readonly text: string }[]): void {
  const add = prepareWrite(db, 'INSERT INTO trigrams(rowid, text) VALUES (?, ?)');
  for (const { id, text } of docs) add.run(id, searchForm(text));
}

/** Takes out the texts of a file from an offset on. Within a transaction. */
export function removeDocs(db: DatabaseSync, file: number, fromOffset: number): void {
  const ids = prepare(db, 'SELECT id FROM docs WHERE file = ? AND offset >= ?').all(file, fromOffset);
  const hasTrigrams = file <= trigramMark(db);
  for (const { id } of ids) {
    prepareWrite(db, 'DELETE FROM words WHERE rowid = ?').run(Number(id));
    if (hasTrigrams) prepareWrite(db, 'DELETE FROM trigrams WHERE rowid = ?').run(Number(id));
  }
  prepareWrite(db, 'DELETE FROM docs WHERE file = ? AND offset >= ?').run(file, fromOffset);
}
