import type { Transcript } from '../session/transcript.ts';
import type { ContentHit } from './content-search.ts';
import type { LabelledEntry } from './label-entry.ts';
import type { PatternMatcher } from './pattern-client.ts';
import type { SessionRow } from './session-row.ts';
import type { TextSearch } from './text-search-service.ts';
import type { TreeNews, TreeReader } from './tree-client.ts';

/** Rows that were just read, and how far the reading is. */
export interface RowBatch {
  readonly rows: readonly SessionRow[];
  /** Files looked at so far, of all files. */
  readonly done: number;
  readonly total: number;
  /** Folders that could not be listed, a line each. */
  readonly problems: readonly string[];
  /** Paths of sessions that were known and are no more. */
  readonly gone?: readonly string[];
}

/** What changed on disk since the list was read. */
export interface CatalogChanges {
  readonly rows: readonly SessionRow[];
  readonly gone: readonly string[];
  /** How far the index of texts is while it is being built. */
  readonly indexing: { readonly doneBytes: number; readonly totalBytes: number } | undefined;
}

/** Texts that were found, newest first; the last part of an answer is marked. */
export interface TextHits {
  readonly hits: readonly ContentHit[];
  readonly isDone: boolean;
}

/** What to look for in what tools gave back, and where: files in the order in which they are read. */
export interface OutputSearch {
  readonly text: string;
  /** What must not stand in it. */
  readonly without: readonly string[];
  /** At most so many hits. */
  readonly limit: number;
  readonly files: readonly Pick<SessionRow, 'path' | 'id' | 'cwd' | 'isSubAgent' | 'sizeBytes'>[];
}

/** Tool output that was found, and how far the scan is; the last part of an answer is marked. */
export interface OutputsFound {
  readonly hits: readonly ContentHit[];
  readonly doneBytes: number;
  readonly totalBytes: number;
  readonly isDone: boolean;
  /** Why not everything was scanned. */
  readonly problem?: string;
}

/** Labels that were found, session by session; the last part of an answer is marked. */
export interface LabelsFound {
  readonly labels: readonly LabelledEntry[];
  /** What could not be read, a line each. */
  readonly problems: readonly string[];
  readonly isDone: boolean;
}

/** What the screens know of the sessions on disk. Nothing here blocks the thread that draws. */
export interface Catalog {
  /**
   * Reads every session of the agent folders; `onBatch` gets rows as they are read, newest files first, then the same rows
   * again with their figures. Settles when all is read.
   */
  list(onBatch: (batch: RowBatch) => void): Promise<void>;
  /** From now on, tells of sessions that appear, grow and go, and keeps what is searched up to date. */
  watch(onChanges: (changes: CatalogChanges) => void): void;
  /** Finds the texts that hold all words and phrases of a line. A new search ends the one before it. */
  searchTexts(search: TextSearch, onHits: (hits: TextHits) => void): void;
  /** Tells which texts pass all patterns, or that it takes too long. A new question ends the one before it. */
  matchPatterns: PatternMatcher['match'];
  /** Finds what tools gave back, by a scan of files. Gives the way to stop it, at once. */
  searchOutputs(search: OutputSearch, onFound: (found: OutputsFound) => void): () => void;
  /**
   * The conversation on the path to the leaf: its last `limit` items; with an entry's id, the path that leads through that
   * entry, and the items around it. Rejects with a `SessionError`.
   */
  transcript(path: string, limit: number, entryId?: string): Promise<Transcript>;
  /** Opens a session's tree; `onNews` gets its skeleton as soon as it is read, and again when more is known. */
  tree(path: string, onNews: (news: TreeNews) => void): TreeReader;
  /** Finds the labels of all sessions, the file that was changed last first. Gives the way to stop it. */
  labels(onFound: (found: LabelsFound) => void): () => void;
  close(): void;
}
