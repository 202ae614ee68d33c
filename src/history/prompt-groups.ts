import type { HistoryEntry } from '../session/history-query.ts';
import type { HistoryRow } from '../session/history-rows.ts';
import type { PromptGroup } from './prompt-history.ts';

/** One sending of a prompt, with the database that tells of it. */
export interface FoundRow {
  readonly source: string;
  readonly row: HistoryEntry & Partial<Pick<HistoryRow, 'uses' | 'sessionId'>>;
}

interface Gathered {
  newest: FoundRow;
  readonly rows: Map<string, FoundRow>;
}

/** The id by which a row is named to a person and to other programs. */
export function rowId({ source, row }: FoundRow): string {
  return `${source}:${row.id}`;
}

function isNewer(a: FoundRow, b: FoundRow): boolean {
  return a.row.created_at > b.row.created_at || (a.row.created_at === b.row.created_at && a.row.id > b.row.id);
}

/** Gathers rows of several databases by their text. The same row may be added again, with more known of it. */
export class PromptGroups {
  readonly #groups = new Map<string, Gathered>();

  get size(): number {
    return this.#groups.size;
  }

  add(source: string, rows: readonly FoundRow['row'][]): void {
    for (const row of rows) {
      const found = { source, row };
      const group = this.#groups.get(row.prompt);
      if (group === undefined) {
        this.#groups.set(row.prompt, { newest: found, rows: new Map([[rowId(found), found]]) });
        continue;
      }
      group.rows.set(rowId(found), found);
      if (isNewer(found, group.newest)) group.newest = found;
    }
  }

  /** Every sending of a prompt that was added. */
  rowsOf(prompt: string): readonly FoundRow[] {
    return [...(this.#groups.get(prompt)?.rows.values() ?? [])];
  }

  /** The groups, newest first; equal times in a fixed order. */
  list(): PromptGroup[] {
    const sorted = [...this.#groups.entries()].sort(([, a], [, b]) => {
      if (isNewer(a.newest, b.newest)) return -1;
      return isNewer(b.newest, a.newest) ? 1 : rowId(a.newest) < rowId(b.newest) ? -1 : 1;
    });
    return sorted.map(([prompt, { newest, rows }]) => {
      let count = 0;
      for (const { row } of rows.values()) count += row.uses ?? 1;
      const { created_at: seconds, cwd } = newest.row;
      return { id: rowId(newest), prompt, timeMs: seconds * 1000, cwd: cwd ?? null, count };
    });
  }
}
