import type { Catalog, RowBatch } from './catalog.ts';

/** Begins to list at once. Gives a `list` that hands over what came meanwhile, then the rest as it comes. */
export function listAhead(catalog: Catalog): Catalog['list'] {
  const held: RowBatch[] = [];
  let listener = (batch: RowBatch): void => void held.push(batch);
  const done = catalog.list((batch) => listener(batch));
  // Told to whoever listens, however late.
  done.catch(() => undefined);
  return (onBatch) => {
    listener = onBatch;
    held.splice(0).forEach(onBatch);
    return done;
  };
}
