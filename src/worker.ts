import { parentPort, workerData } from 'node:worker_threads';
import type { AgentRoot } from './agents/agents.ts';
import type { KeepingRules } from './catalog/keeping.ts';
import type { HistoryData } from './history/wire.ts';

/** What the thread is started with. */
interface WorkerData {
  readonly roots: readonly AgentRoot[];
  /** Where the catalog lies; present in its thread. */
  readonly cacheDir?: string;
  /** What it may hold; absent where it may not be kept. */
  readonly rules?: KeepingRules;
  /** Present in the thread of the prompt history. */
  readonly history?: HistoryData;
}

if (parentPort !== null) {
  const { roots, cacheDir = '', rules, history } = workerData as WorkerData;
  if (history === undefined) {
    (await import('./catalog/catalog-service.ts')).serveCatalog(parentPort, roots, { cacheDir, rules });
  } else (await import('./history/history-service.ts')).serveHistory(parentPort, roots, history);
}
