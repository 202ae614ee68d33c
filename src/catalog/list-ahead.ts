import type { Catalog, RowBatch } from './catalog.ts';

/** A listing that began before anybody looked. */
export interface ListAhead {
  /** What it has given so far. */
  readonly held: readonly RowBatch[];
  /** Hands over what follows the first `seen` batches, then the rest as it comes; settles as `Catalog.list` does. */
  listen(onBatch: (batch: RowBatch) => void, seen: number): Promise<void>;
}

/** Begins to list at once, so that the first picture may have rows. */
export function listAhead(list: Catalog['list']): ListAhead {
  const held: RowBatch[] = [];
  let listener: ((batch: RowBatch) => void) | undefined;
  const done = list((batch) => {
    if (listener === undefined) held.push(batch);
    else listener(batch);
  });
  // Told to whoever listens, however late.
  done.catch(() => undefined);
  return {
    held,
    listen(onBatch, seen) {
      listener = onBatch;
      held.slice(seen).forEach(onBatch);
      return done;
    },
  };
}
