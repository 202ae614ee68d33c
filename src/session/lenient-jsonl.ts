import type { FileEntry } from './entries.ts';
import { JsonlReader } from './jsonl.ts';

/**
 * Every JSON value in a text, whatever its kind (contract 0, "Lenient JSONL"): lines that cannot be read are skipped, two
 * values on one line are both read, a value may span lines. Never throws; [] for empty text.
 */
export function parseJsonlLenient(text: string): unknown[] {
  const values: unknown[] = [];
  const reader = new JsonlReader();
  const bytes = Buffer.from(text);
  for (const records of [reader.push(bytes), reader.end()]) {
    for (const record of records) if (record.kind === 'value') values.push(record.value);
  }
  return values;
}

/** The values of a session file's text, unchecked; see `loadEntriesFromFile` for those of a file. */
export function parseSessionEntries(text: string): FileEntry[] {
  return parseJsonlLenient(text) as FileEntry[];
}

/** The compaction that comes last in an array of entries; null when there is none. */
export function getLatestCompactionEntry<T extends { readonly type: string }>(
  entries: readonly T[],
): Extract<T, { type: 'compaction' }> | null {
  const found = entries.findLast((entry) => entry.type === 'compaction');
  return (found as Extract<T, { type: 'compaction' }> | undefined) ?? null;
}
