import type { Transcript } from '../session/transcript.ts';
import type { SessionRow } from './session-row.ts';
import type { TreeNews, TreeReader } from './tree-client.ts';

/** Rows that were just read, and how far the reading is. */
export interface RowBatch {
  readonly rows: readonly SessionRow[];
  /** Files looked at so far, of all files. */
  readonly done: number;
  readonly total: number;
  /** Folders that could not be listed, a line each. */
  readonly problems: readonly string[];
}

/** What the screens know of the sessions on disk. Nothing here blocks the thread that draws. */
export interface Catalog {
  /**
   * Reads every session of the agent folders; `onBatch` gets rows as they are read, newest files first, then the same rows
   * again with their figures. Settles when all is read.
   */
  list(onBatch: (batch: RowBatch) => void): Promise<void>;
  /** The conversation on the path to the leaf: its last `limit` items. Rejects with a `SessionError`. */
  transcript(path: string, limit: number): Promise<Transcript>;
  /** Opens a session's tree; `onNews` gets its skeleton as soon as it is read, and again when more is known. */
  tree(path: string, onNews: (news: TreeNews) => void): TreeReader;
  close(): void;
}
