import type { PromptHistory } from '../src/history/prompt-history.ts';

/** What the screen of the prompt history needs from outside. */
export interface HistoryPorts {
  readonly history: PromptHistory;
  /** Epoch ms. */
  now(): number;
  /** Copies a text; gives what was done, such as `copied`, for the notice. */
  copy(text: string): Promise<string>;
}
