import type { MessagePort } from 'node:worker_threads';
import type { OutputSearch, OutputsFound } from './catalog.ts';
import { parseContentQuery } from './content-query.ts';
import { Keeping, type KeepingRules } from './keeping.ts';
import { searchOutputs } from './output-search.ts';

/** How often it is told how far the scan is. */
const TELL_MS = 50;

/**
 * Scans what tools gave back in some files and tells what it finds, as it is found. Never looks up from it: whoever wants no
 * more ends the thread.
 */
export function serveOutputs(port: MessagePort, search: OutputSearch, rules: KeepingRules | undefined): void {
  const keeping = new Keeping(rules);
  const totalBytes = search.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let doneBytes = 0;
  function* counted(): Generator<OutputSearch['files'][number]> {
    for (const file of search.files) {
      // What the user's settings keep out of the catalog is not searched here either.
      if (keeping.ofSession(file.path, file.cwd, file.isSubAgent) === 'all') yield file;
      doneBytes += file.sizeBytes;
    }
  }
  let hits: OutputsFound['hits'] = [];
  let left = search.limit;
  let toldMs = performance.now();
  const tell = (isDone: boolean): void => {
    port.postMessage({ hits, doneBytes, totalBytes, isDone } satisfies OutputsFound);
    hits = [];
    toldMs = performance.now();
  };
  for (const found of searchOutputs(counted(), parseContentQuery(search.text, search.without))) {
    hits = [...hits, ...found.slice(0, left)];
    left -= Math.min(left, found.length);
    if (left === 0) break;
    if (performance.now() - toldMs >= TELL_MS) tell(false);
  }
  tell(true);
}
