/** Who or what an item of a transcript comes from. */
export type TranscriptKind =
  | 'user'
  | 'assistant'
  | 'thinking'
  | 'tool'
  | 'execution'
  | 'compaction'
  | 'branch_summary'
  | 'custom'
  | 'state'
  | 'damage';

/** One piece of a conversation as a person reads it. Text is as on disk: neutralise it before it reaches a terminal. */
export interface TranscriptItem {
  /** The entry's id; several items may share it (an answer and its tool calls). */
  readonly entryId: string;
  readonly kind: TranscriptKind;
  /** For a tool: its call, such as `read: src/a.ts:1-40`. */
  readonly heading: string;
  /** For a tool: its result. Images stand as `[image png 34 KB]`. */
  readonly text: string;
  readonly isError: boolean;
  /** Epoch ms; undefined when the entry does not tell. */
  readonly timeMs: number | undefined;
  readonly label: string | undefined;
}

/** The conversation on the path to one entry, oldest first. */
export interface Transcript {
  readonly items: readonly TranscriptItem[];
  /** Items before the first of `items` that were left out to keep it small. */
  readonly omitted: number;
  readonly damagedLines: number;
}
