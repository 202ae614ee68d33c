import type { TreeNews, TreeReader } from '../../src/catalog/tree-client.ts';
import { TreeSession } from '../../src/catalog/tree-session.ts';

/** An open tree that reads its file in this thread: what the worker does, without one. */
export function readTree(path: string, onNews: (news: TreeNews) => void): TreeReader {
  const session = new TreeSession(path);
  let version = 1;
  const finish = <T>(work: Generator<unknown, T>): T => {
    for (;;) {
      const { done, value } = work.next();
      if (done === true) return value;
    }
  };
  queueMicrotask(() => {
    onNews({ kind: 'tree', version, skeleton: session.glance(), stamp: session.stamp });
    const verified = finish(session.verify());
    if (verified !== undefined) onNews({ kind: 'tree', version: ++version, skeleton: verified, stamp: session.stamp });
  });
  return {
    lines: async (_version, ats, words) => session.lines(ats, words),
    path: async (_version, at, limit) => session.transcript(at, limit),
    text: async (_version, at) => session.text(at),
    context: async (_version, at) => finish(session.context(at)),
    compare: async (_version, a, b) => finish(session.compare(a, b)),
    search(_version, words, within, onHits) {
      const hits = [...session.search(words, within)].flat();
      queueMicrotask(() => onHits(Int32Array.from(hits), true));
      return () => {};
    },
    check() {
      if (session.hasChanged())
        onNews({ kind: 'tree', version: ++version, skeleton: session.glance(), stamp: session.stamp });
    },
    close() {},
  };
}
