import { accessSync, constants } from 'node:fs';
import type { AgentRoot } from '../agents/agents.ts';
import { nodeCode, type SessionError } from '../errors.ts';
import { inTransaction } from '../session/history-database.ts';
import { hasTexts, isUnchanged, movedRow, scanFile } from './file-scan.ts';
import { countCopiesOnce } from './lineage.ts';
import { type FoundFile, findSessionFiles } from './session-files.ts';
import type { SessionRow } from './session-row.ts';
import type { CatalogStore, FileRecord, FileUpdate } from './store.ts';

/** Readings are kept together: a transaction for each would cost more than the reading. */
const SAVE_UNITS = 2 * 1024 * 1024;
const SAVE_FILES = 256;
/** Rows are shown when they are kept; texts in many small pieces would have to be merged again and again. */
const SAVE_AFTER_MS = { figures: 300, texts: 1_500 };

/** A step of a refresh: rows that were read or changed, and how far it is. */
export interface RefreshStep {
  readonly rows: readonly SessionRow[];
  /** Files done of those that were to be read. */
  readonly done: number;
  readonly total: number;
}

/** What a look at the folders found out, before any file is opened. */
export class Refresh {
  readonly #store: CatalogStore;
  readonly #records: Map<string, FileRecord>;
  /** Sessions of which a relative changed. */
  readonly #relatives = new Set<string>();
  /** All files, newest first. */
  readonly files: readonly FoundFile[];
  /** Paths that were known and are no more. */
  readonly gone: readonly string[];

  constructor(store: CatalogStore, roots: readonly AgentRoot[], onProblem: (error: SessionError) => void) {
    this.#store = store;
    this.#records = store.records(roots.map(({ folders }) => folders.sessionsDir));
    let isComplete = true;
    this.files = findSessionFiles(roots, (error) => {
      isComplete = false;
      onProblem(error);
    });
    const found = new Set(this.files.map(({ path }) => path));
    const missing = [...this.#records.values()].filter(({ path }) => !found.has(path));
    // What lies in a folder that cannot be listed now is not gone.
    this.gone = isComplete ? missing.map(({ path }) => path) : [];
  }

  /** Files whose figures are not those of the file as it is now. */
  get stale(): readonly FoundFile[] {
    return this.files.filter((file) => !this.#isFresh(file) && this.#mayRead(file));
  }

  /** Files whose texts cannot all be found yet. */
  get unindexed(): readonly FoundFile[] {
    return this.files.filter((file) => {
      const record = this.#records.get(file.path);
      const isDue = !this.#isFresh(file) || record === undefined || !hasTexts(record);
      return isDue && this.#mayRead(file);
    });
  }

  /** Files whose texts may not be kept, so that they are not searched. */
  get unsearched(): readonly FoundFile[] {
    return this.files.filter((file) => this.#store.keeping.ofFile(file) !== 'all');
  }

  /** Files of which nothing may be kept. */
  get leftOut(): readonly FoundFile[] {
    return this.files.filter((file) => !this.#mayRead(file));
  }

  /** What is known of a file may have to be forgotten: that is a reading too. */
  #mayRead(file: FoundFile): boolean {
    return this.#records.has(file.path) || this.#store.keeping.ofFile(file) !== 'nothing';
  }

  /** Bytes of all files, and those whose texts can be found. */
  get progress(): { readonly doneBytes: number; readonly totalBytes: number } {
    let [doneBytes, totalBytes] = [0, 0];
    for (const file of this.files) {
      if (!this.#mayRead(file)) continue;
      totalBytes += file.sizeBytes;
      const record = this.#records.get(file.path);
      if (record === undefined) continue;
      const isDone = this.#isFresh(file) && hasTexts(record);
      doneBytes += isDone ? file.sizeBytes : Math.min(file.sizeBytes, record.textOffset);
    }
    return { doneBytes, totalBytes };
  }

  #isFresh(file: FoundFile): boolean {
    const record = this.#records.get(file.path);
    if (record === undefined || !isUnchanged(file, record)) return false;
    // A file that could not be read has no seam: it may have become readable without another sign.
    return record.seam !== '' || !isReadable(file.path);
  }

  /** Forgets files that are gone, but for those that only moved. Gives the rows of the latter. */
  settle(): readonly SessionRow[] {
    const vanished = this.gone.flatMap((path) => this.#records.get(path) ?? []);
    const moved: SessionRow[] = [];
    for (const file of vanished.length === 0 ? [] : this.files) {
      if (this.#records.has(file.path)) continue;
      const at = vanished.findIndex((record) => isUnchanged(file, record) && record.offset === file.sizeBytes);
      const record = vanished[at];
      const row = record && movedRow(file, record, this.#store);
      if (record === undefined || row === undefined) continue;
      vanished.splice(at, 1);
      this.#store.move(record.id, file.path, file.root.folders.sessionsDir, row);
      this.#records.set(file.path, { ...record, path: file.path });
      moved.push(row);
    }
    const ids = vanished.map(({ id }) => id);
    for (const sessionId of [...this.#store.sessionIds(ids), ...moved.map(({ id }) => id)]) {
      if (sessionId !== null) this.#relatives.add(sessionId);
    }
    this.#store.remove(ids);
    for (const path of this.gone) this.#records.delete(path);
    return moved;
  }

  /** Reads what is new in some files and keeps it, in steps short enough to let others work in between. */
  *read(files: readonly FoundFile[], withTexts: boolean): Generator<RefreshStep> {
    const saveAfterMs = withTexts ? SAVE_AFTER_MS.texts : SAVE_AFTER_MS.figures;
    const saver = new Saver(this.#store, this.#records, saveAfterMs);
    let done = 0;
    for (const file of files) {
      const kept = this.#store.keeping.ofFile(file);
      if (kept === 'nothing') this.#forget(file);
      const record = this.#records.get(file.path);
      for (const update of kept === 'nothing' ? [] : scanFile(file, record, { store: this.#store, withTexts })) {
        if (update !== undefined) saver.add(kept === 'all' ? update : { ...update, docs: [] });
        if (saver.isDue) yield { rows: this.#keep(saver), done, total: files.length };
        else if (update === undefined) yield { rows: [], done, total: files.length };
      }
      done++;
      yield { rows: [], done, total: files.length };
    }
    const rows = this.#keep(saver);
    const recounted = inTransaction(this.#store.db, 'IMMEDIATE', () => countCopiesOnce(this.#store, this.#relatives));
    this.#relatives.clear();
    yield { rows: [...rows, ...recounted], done, total: files.length };
  }

  #forget({ path }: FoundFile): void {
    const record = this.#records.get(path);
    if (record === undefined) return;
    for (const id of this.#store.sessionIds([record.id])) if (id !== null) this.#relatives.add(id);
    this.#store.remove([record.id]);
    this.#store.setMeta('scrub', 1);
    this.#records.delete(path);
  }

  #keep(saver: Saver): readonly SessionRow[] {
    const rows = saver.save();
    for (const { id } of rows) if (id !== null) this.#relatives.add(id);
    return rows;
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    if (nodeCode(error) === undefined) throw error;
    return false;
  }
}

/** Gathers readings until they are worth a transaction. */
class Saver {
  readonly #store: CatalogStore;
  readonly #records: Map<string, FileRecord>;
  readonly #saveAfterMs: number;
  #updates: FileUpdate[] = [];
  #units = 0;
  #since = performance.now();

  constructor(store: CatalogStore, records: Map<string, FileRecord>, saveAfterMs: number) {
    this.#store = store;
    this.#records = records;
    this.#saveAfterMs = saveAfterMs;
  }

  add(update: FileUpdate): void {
    this.#updates.push(update);
    for (const { text } of update.docs) this.#units += text.length;
  }

  get isDue(): boolean {
    if (this.#updates.length === 0) return false;
    const isLarge = this.#units >= SAVE_UNITS || this.#updates.length >= SAVE_FILES;
    return isLarge || performance.now() - this.#since > this.#saveAfterMs;
  }

  /** Keeps what was gathered; gives the rows that are new. */
  save(): SessionRow[] {
    const updates = this.#updates;
    this.#updates = [];
    this.#units = 0;
    this.#store.save(updates);
    this.#since = performance.now();
    for (const { path } of updates) {
      const record = this.#store.record(path);
      if (record !== undefined) this.#records.set(path, record);
    }
    return updates.flatMap(({ figures }) => (figures === undefined ? [] : [figures.row]));
  }
}
