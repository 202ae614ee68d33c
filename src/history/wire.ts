import type { Failure } from '../catalog/wire.ts';
import type { EntryTranscript, PromptNews, SentPlace } from './prompt-history.ts';

/** What the thread of the prompt history is started with, beside the agent folders. */
export interface HistoryData {
  readonly stateDir: string;
}

/** What the drawing thread asks. `seq` ties answers to it. */
export type HistoryRequest =
  | {
      readonly type: 'search';
      readonly seq: number;
      readonly query: string;
      readonly folders: readonly string[] | undefined;
    }
  | { readonly type: 'places'; readonly seq: number; readonly prompt: string }
  | {
      readonly type: 'transcript';
      readonly seq: number;
      readonly path: string;
      readonly entryId: string;
      readonly limit: number;
    };

/** What it is told: news of a search until they are done, or one answer, or a failure. */
export type HistoryReply =
  | { readonly type: 'news'; readonly seq: number; readonly news: PromptNews }
  | { readonly type: 'places'; readonly seq: number; readonly places: readonly SentPlace[] }
  | { readonly type: 'transcript'; readonly seq: number; readonly answer: EntryTranscript }
  | { readonly type: 'failed'; readonly seq: number; readonly failure: Failure };
