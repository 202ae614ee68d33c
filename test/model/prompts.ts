import type { PromptGroup, PromptNews } from '../../src/history/prompt-history.ts';
import type { HistoryOptions } from '../../src/model/history-state.ts';
import { HOUR_MS, NOW_MS } from './rows.ts';

/** A prompt; `n` tells prompts apart, the smaller the newer. */
export function promptGroup(n: number, change: Partial<PromptGroup> = {}): PromptGroup {
  return {
    id: `xcsh:${1_000 - n}`,
    prompt: `Prompt ${n}`,
    timeMs: NOW_MS - (n + 1) * HOUR_MS,
    cwd: '/home/u/src/lantern',
    count: 1,
    ...change,
  };
}

export function promptGroups(count: number): PromptGroup[] {
  return Array.from({ length: count }, (_, n) => promptGroup(n));
}

/** News of a search that is done. */
export function newsOf(groups: readonly PromptGroup[], change: Partial<PromptNews> = {}): PromptNews {
  return { groups, hasMore: false, isDone: true, databaseCount: 2, problems: [], ...change };
}

export const historyOptions: HistoryOptions = {
  here: ['/home/u/src/lantern'],
  scope: 'all',
  home: '/home/u',
  query: '',
  databases: ['/home/u/.xcsh/agent/history.db', '/home/u/.local/state/bough/history.db'],
};
