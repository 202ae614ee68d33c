import { parentPort, workerData } from 'node:worker_threads';
import type { AgentRoot } from './agents/agents.ts';
import { serveCatalog } from './catalog/catalog-service.ts';

/** What the thread is started with. */
interface WorkerData {
  readonly roots: readonly AgentRoot[];
}

if (parentPort !== null) serveCatalog(parentPort, (workerData as WorkerData).roots);
