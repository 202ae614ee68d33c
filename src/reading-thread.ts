import module from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Starts the thread that reads, with what it needs to know. */
export function startReadingThread(workerUrl: URL, data: Readonly<Record<string, unknown>>): Worker {
  // Kept for the process by the launcher, in a folder of its own below the one that was asked for.
  const codeDir = module.getCompileCacheDir?.();
  return new Worker(workerUrl, {
    workerData: { ...data, codeDir: codeDir && dirname(codeDir) },
    // Node 22 and early 24 would print their warning about node:sqlite across the screens. The process's own options are
    // not passed on: a thread takes only some of them, and refuses to start with any other.
    // It lives as long as the screen, and keeps what it once took: more does not make it faster.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
}
