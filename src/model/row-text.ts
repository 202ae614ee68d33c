import type { SessionRow } from '../catalog/session-row.ts';
import { neutraliseLine } from './neutralise.ts';

export type { SessionRow } from '../catalog/session-row.ts';

/** What a session is called: its title, else its first prompt, else what there is to tell it by. Neutralised. */
export function rowTitle(row: SessionRow): string {
  const title = neutraliseLine(row.title ?? '');
  if (title !== '') return title;
  const first = neutraliseLine((row.firstMessage ?? '').slice(0, 400));
  if (first !== '') return first;
  const name = neutraliseLine(row.path.slice(row.path.lastIndexOf('/') + 1));
  return row.problem === null ? `(no prompt) ${name}` : name;
}

/** Is the session called by a title of its own? */
export function isNamed(row: SessionRow): boolean {
  return neutraliseLine(row.title ?? '') !== '';
}

/** A folder as people write it: `~` for the home folder. Neutralised; '' when not known. */
export function folderText(cwd: string | null, home: string): string {
  if (cwd === null) return '';
  const isInHome = home !== '' && home !== '/' && (cwd === home || cwd.startsWith(`${home}/`));
  return neutraliseLine(isInHome ? `~${cwd.slice(home.length)}` : cwd);
}

/** The last name of a folder: which project it is. */
export function projectText(cwd: string | null): string {
  if (cwd === null) return '';
  return neutraliseLine(cwd.slice(cwd.replace(/\/+$/, '').lastIndexOf('/') + 1)) || '/';
}

/** Dollars in at most six cells; '' when not known. */
export function costText(cost: number | null): string {
  if (cost === null || !Number.isFinite(cost)) return '';
  if (cost === 0) return '-';
  if (cost < 0.005) return '<$.01';
  return cost < 100 ? `$${cost.toFixed(2)}` : `$${Math.round(cost)}`;
}

/** A count in at most five cells: `948`, `12.4k`, `3.1M`; '' when not known. */
export function countText(count: number | null): string {
  if (count === null) return '';
  if (count < 1_000) return String(count);
  if (count < 999_950) return `${(count / 1_000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** Bytes as `812 B`, `34 KB`, `1.2 MB`. */
export function sizeText(sizeBytes: number): string {
  if (sizeBytes < 1_000) return `${sizeBytes} B`;
  if (sizeBytes < 999_500) return `${Math.round(sizeBytes / 1_000)} KB`;
  if (sizeBytes < 999_950_000) return `${(sizeBytes / 1_000_000).toFixed(1)} MB`;
  return `${(sizeBytes / 1_000_000_000).toFixed(1)} GB`;
}
