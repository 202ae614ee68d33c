import type { Catalog, RowBatch } from './catalog.ts';

/** A listing that began before anybody looked. */
export interface ListAhead {
  /** Settles with the first batch, or with the end. */
  readonly begun: Promise<unknown>;
  /** What it has given so far. */
  readonly held: readonly RowBatch[];
  /** Hands over what follows the first `seen` batches, then the rest as it comes; settles as `Catalog.list` does. */
  listen(onBatch: (batch: RowBatch) => void, seen: number): Promise<void>;
}

/** Begins to list at once, so that the first picture may have rows. */
export function listAhead(list: Catalog['list']): ListAhead {
  const held: RowBatch[] = [];
  let listener: ((batch: RowBatch) => void) | undefined;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const done = list((batch) => {
    begin();
    if (listener === undefined) held.push(batch);
    else listener(batch);
  });
  // Told to whoever listens, however late.
  done.catch(() => undefined).finally(begin);
  return {
    begun,
    held,
    listen(onBatch, seen) {
      listener = onBatch;
      held.slice(seen).forEach(onBatch);
      return done;
    },
  };
}
