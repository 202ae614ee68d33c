import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AgentRoot } from '../agents/agents.ts';
import { type ProcessSnapshot, snapshotProcesses } from '../session/open-files.ts';
import type { CatalogChanges, RowBatch } from './catalog.ts';
import { FolderWatch } from './folder-watch.ts';
import { LeftOutFiles } from './keeping.ts';
import { glanceAtRow, isLive } from './read-row.ts';
import { Refresh, type RefreshStep } from './refresh.ts';
import { type FoundFile, guessNewestFiles } from './session-files.ts';
import type { SessionRow } from './session-row.ts';
import type { Sidecar } from './sidecar.ts';
import type { CatalogStore } from './store.ts';
import { isStoreFailure } from './store-file.ts';
import { buildSubstringIndex } from './substring-index.ts';

/** A screenful, so that the first frame has rows. */
const FIRST_BATCH_ROWS = 60;
/** How long rows are gathered before they are sent, and before other requests get their turn. */
const SLICE_MS = 25;
/** So little is read once, for figures and texts together; of more the figures come first. */
const READ_AT_ONCE_BYTES = 32 * 1024 * 1024;

/** Does a long work in slices, other requests between them. */
async function inSlices<Step>(work: Iterable<Step>, onStep: (step: Step) => void): Promise<void> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (const step of work) {
    onStep(step);
    if (performance.now() < sliceEnd) continue;
    await nextTurn();
    sliceEnd = performance.now() + SLICE_MS;
  }
}

/** Rows on their way, a slice's worth at a time. */
class RowStream {
  readonly #send: (batch: RowBatch) => void;
  #rows: SessionRow[] = [];
  #sentMs = performance.now();
  /** Rows so far. */
  count = 0;
  done = 0;
  total = 0;

  constructor(send: (batch: RowBatch) => void) {
    this.#send = send;
  }

  add(rows: readonly SessionRow[]): void {
    for (const row of rows) {
      this.#rows.push(row);
      if (++this.count === FIRST_BATCH_ROWS) this.flush();
    }
    if (performance.now() - this.#sentMs >= SLICE_MS) this.flush();
  }

  flush(gone: readonly string[] = [], problems: readonly string[] = []): void {
    const { done, total } = this;
    this.#send({ rows: this.#rows, done, total, problems, gone });
    this.#rows = [];
    this.#sentMs = performance.now();
  }
}

/** Lists the sessions of some agent folders from the catalog, and keeps catalog and listeners up to date. */
export class SessionsService {
  readonly #roots: readonly AgentRoot[];
  readonly #sidecar: Sidecar;
  readonly #folders: readonly string[];
  #processes: ProcessSnapshot | undefined;
  #onChanges: ((changes: CatalogChanges) => void) | undefined;
  #watch: FolderWatch | undefined;
  readonly #leftOut = new LeftOutFiles();
  /** Works that read files follow each other. */
  #queue: Promise<void> = Promise.resolve();

  constructor(roots: readonly AgentRoot[], sidecar: Sidecar) {
    this.#roots = roots;
    this.#sidecar = sidecar;
    this.#folders = roots.map(({ folders }) => folders.sessionsDir);
  }

  /** Sends what is known, then what is new; settles when all figures are exact. */
  list(send: (batch: RowBatch) => void): Promise<void> {
    return this.#inTurn(async () => {
      const stream = new RowStream(send);
      // To make a catalog takes longer than to look at some files.
      if (!this.#sidecar.isThere) this.#guess(stream);
      await this.#sidecar.run((store) => this.#list(store, stream));
    });
  }

  /** Tells of sessions that appear, grow and go, and of the text index, until the thread ends. */
  watch(onChanges: (changes: CatalogChanges) => void): void {
    this.#onChanges = onChanges;
    const catchUp = (): Promise<void> => this.#inTurn(() => this.#sidecar.run((store) => this.#catchUp(store)));
    const look = async (): Promise<void> => {
      try {
        await catchUp();
      } catch (error) {
        // Such as a full disk: the next look tries again, and the list is right all the same.
        if (!isStoreFailure(error)) throw error;
      }
    };
    void look();
    this.#watch ??= new FolderWatch(this.#folders, look);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** A first screenful where little is known. */
  #guess(stream: RowStream): void {
    stream.add(guessNewestFiles(this.#roots, FIRST_BATCH_ROWS).map(glanceAtRow));
    stream.flush();
  }

  async #list(store: CatalogStore, stream: RowStream): Promise<void> {
    await inSlices(store.rows(this.#folders, FIRST_BATCH_ROWS), (rows) => stream.add(rows));
    if (stream.count === 0) this.#guess(stream);
    await nextTurn();
    const processes = snapshotProcesses();
    const problems: string[] = [];
    const refresh = new Refresh(store, this.#roots, (problem) => problems.push(problem.message));
    stream.total = refresh.files.length;
    const moved = refresh.settle();
    stream.add(moved);
    stream.flush(refresh.gone, problems);
    const { stale } = refresh;
    const { leftOut } = refresh;
    this.#leftOut.look(leftOut);
    await inSlices([...stale, ...leftOut], (file) => {
      stream.add([glanceAtRow(file)]);
      stream.done++;
    });
    this.#processes = await processes;
    await this.#sendHeld(store, refresh, stream);
    const staleBytes = stale.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    stream.done = refresh.files.length - stale.length;
    const fresh = stream.done;
    await inSlices(refresh.read(stale, staleBytes <= READ_AT_ONCE_BYTES), (step) => {
      stream.done = fresh + step.done;
      stream.add(this.#withLive(step.rows));
    });
    stream.flush();
  }

  /** Rows that were sent before it was known who has their files open. */
  async #sendHeld(store: CatalogStore, refresh: Refresh, stream: RowStream): Promise<void> {
    await inSlices(refresh.files, (file) => {
      const { path } = file;
      if (this.#processes?.holderOf(path).state !== 'held') return;
      stream.add(this.#withLive([store.row(path) ?? glanceAtRow(file)]));
    });
  }

  #withLive(rows: readonly SessionRow[]): readonly SessionRow[] {
    return rows.map((row) => ({ ...row, live: isLive(row, this.#processes) }));
  }

  /** Brings figures and texts up to date. */
  async #catchUp(store: CatalogStore): Promise<void> {
    const refresh = new Refresh(store, this.#roots, () => undefined);
    const moved = refresh.settle();
    const { changed, gone } = this.#leftOut.look(refresh.leftOut);
    const rows = [...moved, ...changed.map(glanceAtRow)];
    if (refresh.gone.length + gone.length + rows.length > 0) this.#tell(rows, [...refresh.gone, ...gone], undefined);
    const files: readonly FoundFile[] = refresh.unindexed;
    if (files.length > 0) {
      this.#processes = await snapshotProcesses();
      let toldMs = 0;
      await inSlices(refresh.read(files, true), ({ rows }: RefreshStep) => {
        if (rows.length === 0 && performance.now() - toldMs < 250) return;
        toldMs = performance.now();
        this.#tell(rows, [], refresh.progress);
      });
    }
    await inSlices(buildSubstringIndex(store), () => undefined);
    this.#sidecar.giveBack();
    if (files.length > 0) this.#tell([], [], undefined);
  }

  #tell(rows: readonly SessionRow[], gone: readonly string[], indexing: CatalogChanges['indexing']): void {
    this.#onChanges?.({ rows: this.#withLive(rows), gone, indexing });
  }
}
