import { startReadingThread } from '../reading-thread.ts';
import type { OutputSearch, OutputsFound } from './catalog.ts';
import type { KeepingRules } from './keeping.ts';

/**
 * Scans what tools gave back in a thread of its own, which ends with the scan. Gives the way to stop it: nothing is told
 * after that, and the thread is ended wherever it is.
 */
export function scanOutputs(
  workerUrl: URL,
  rules: KeepingRules | undefined,
  search: OutputSearch,
  onFound: (found: OutputsFound) => void,
): () => void {
  const worker = startReadingThread(workerUrl, { outputs: search, rules });
  let isWanted = true;
  const stop = (): void => {
    isWanted = false;
    void worker.terminate();
  };
  const take = (found: OutputsFound): void => {
    if (!isWanted) return;
    if (found.isDone) stop();
    onFound(found);
  };
  const { files } = search;
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  worker.on('message', take);
  worker.on('error', (cause) => {
    take({ hits: [], doneBytes: 0, totalBytes, isDone: true, problem: `tool output was not searched: ${cause}` });
  });
  worker.unref();
  return stop;
}
