import type { CatalogChanges } from '../catalog/catalog.ts';
import { sizeText } from './row-text.ts';

const BAR_CELLS = 10;
/** A narrower window has no room for a bar beside the rest of its top line. */
const MIN_COLUMNS = 80;

/** A work over files, in bytes. */
type Progress = NonNullable<CatalogChanges['indexing']>;

function partOf({ doneBytes, totalBytes }: Progress): number {
  return totalBytes === 0 ? 1 : Math.min(1, doneBytes / totalBytes);
}

/** How much of a work is done: `93%`. */
export function percent(progress: Progress): string {
  return `${Math.floor(partOf(progress) * 100)}%`;
}

/** How far the index of texts is: a bar with what is left, or a percentage where there is little room. */
export function indexingText(progress: Progress, columns: number): string {
  if (columns < MIN_COLUMNS) return `indexing ${percent(progress)}`;
  const full = Math.floor(partOf(progress) * BAR_CELLS);
  const bar = '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
  return `indexing ${bar} ${sizeText(Math.max(0, progress.totalBytes - progress.doneBytes))} left`;
}
