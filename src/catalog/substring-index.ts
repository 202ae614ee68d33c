import { inTransaction, prepare } from '../session/history-database.ts';
import { TextReader } from './content-search.ts';
import type { CatalogStore } from './store.ts';
import { addTrigrams, trigramMark } from './text-index.ts';

const BATCH_UNITS = 1024 * 1024;
const DOCS_PER_STEP = 64;

/** Is the index of substrings wanted? It is, until somebody switches it off. */
export function wantsSubstrings(store: CatalogStore): boolean {
  return store.meta('substrings') !== 'off';
}

/** Switches the index of substrings on or off; off, its room is given back to the catalog. */
export function switchSubstrings(store: CatalogStore, isOn: boolean): void {
  inTransaction(store.db, 'IMMEDIATE', () => {
    store.setMeta('substrings', isOn ? 'on' : 'off');
    if (isOn) return;
    store.setMeta('trigram_file', 0);
    store.db.exec("INSERT INTO trigrams(trigrams) VALUES('delete-all')");
  });
}

interface Batch {
  /** The last file of it. */
  readonly mark: number;
  readonly docs: readonly { readonly id: number; readonly text: string }[];
  /** How far the texts of its files went when they were read. */
  readonly read: string;
}

function reachOf(store: CatalogStore, from: number, to: number): string {
  const sql = 'SELECT id, text_offset, seam FROM files WHERE id > ? AND id <= ? ORDER BY id';
  return JSON.stringify(prepare(store.db, sql).all(from, to));
}

function* readBatch(store: CatalogStore, from: number, reader: TextReader): Generator<undefined, Batch | undefined> {
  const nextFile = prepare(store.db, 'SELECT id, path FROM files WHERE id > ? ORDER BY id LIMIT 1');
  const docsOf = prepare(store.db, 'SELECT id, line, offset, length, role FROM docs WHERE file = ? ORDER BY offset');
  const docs: { id: number; text: string }[] = [];
  let [mark, units, read] = [from, 0, '[]'];
  for (let file = nextFile.get(mark); file !== undefined && units < BATCH_UNITS; file = nextFile.get(mark)) {
    const [id, path] = [Number(file['id']), String(file['path'])];
    read = reachOf(store, from, id);
    let steps = 0;
    for (const columns of docsOf.all(id)) {
      const [line, offset, length] = [Number(columns['line']), Number(columns['offset']), Number(columns['length'])];
      const text = reader.textOf({ path, line, offset, length, role: String(columns['role']) })?.text;
      if (text !== undefined) docs.push({ id: Number(columns['id']), text });
      units += text?.length ?? 0;
      if (++steps % DOCS_PER_STEP === 0) yield;
    }
    mark = id;
    yield;
  }
  return mark === from ? undefined : { mark, docs: docs.sort((a, b) => a.id - b.id), read };
}

/**
 * Builds the index of substrings behind that of words, file by file, each batch kept as it is done; nothing when it is
 * switched off or whole. Yields the number of files that remain.
 */
export function* buildSubstringIndex(store: CatalogStore): Generator<number> {
  if (!wantsSubstrings(store)) return;
  const remaining = prepare(store.db, 'SELECT count(*) AS n FROM files WHERE id > ?');
  using reader = new TextReader();
  for (;;) {
    const from = trigramMark(store.db);
    const left = Number(remaining.get(from)?.['n']);
    const reading = readBatch(store, from, reader);
    let step = reading.next();
    for (; step.done !== true; step = reading.next()) yield left;
    const batch = step.value;
    if (batch === undefined) return;
    let isKept = true;
    inTransaction(store.db, 'IMMEDIATE', () => {
      // Another Bough may have added texts, or built this part, since they were read here.
      isKept = trigramMark(store.db) === from && reachOf(store, from, batch.mark) === batch.read;
      if (!isKept) return;
      addTrigrams(store.db, batch.docs);
      store.setMeta('trigram_file', batch.mark);
    });
    yield left;
  }
}
