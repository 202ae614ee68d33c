import module from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { AgentRoot } from './agents/agents.ts';
import type { OutputSearch } from './catalog/catalog.ts';
import type { KeepingRules } from './catalog/keeping.ts';
import type { Place } from './commands/place.ts';
import type { HistoryData } from './history/wire.ts';

/** What the thread is started with. */
interface WorkerData {
  /** Where compiled code is kept. */
  readonly codeDir?: string | undefined;
  readonly roots: readonly AgentRoot[];
  /** Where the catalog lies; present in its thread. */
  readonly cacheDir?: string;
  /** What it may hold; absent where it may not be kept. */
  readonly rules?: KeepingRules;
  /** Present in a thread that scans tool output. */
  readonly outputs?: OutputSearch;
  /** Is it the thread that matches patterns? */
  readonly matchesPatterns?: true;
  /** Where and when changes are made; present in the thread that makes them. */
  readonly changes?: Place;
  /** Present in the thread of the prompt history. */
  readonly history?: HistoryData;
}

/** Compiled code is kept for this thread as for the one that started it, whose folder for it does not pass on by itself. */
function keepCompiledCode(folder: string | undefined): void {
  if (folder !== undefined) module.enableCompileCache?.(folder);
}

if (parentPort !== null) {
  const { roots, cacheDir = '', rules, outputs, matchesPatterns, changes, history, codeDir } = workerData as WorkerData;
  keepCompiledCode(codeDir);
  if (outputs !== undefined) {
    (await import('./catalog/output-service.ts')).serveOutputs(parentPort, outputs, rules);
  } else if (matchesPatterns === true) {
    (await import('./catalog/pattern-service.ts')).servePatterns(parentPort);
  } else if (changes !== undefined) {
    (await import('./commands/change-service.ts')).serveChanges(parentPort, changes);
  } else if (history === undefined) {
    (await import('./catalog/catalog-service.ts')).serveCatalog(parentPort, roots, { cacheDir, rules });
  } else (await import('./history/history-service.ts')).serveHistory(parentPort, roots, history);
}
