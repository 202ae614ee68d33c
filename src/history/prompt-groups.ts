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
  /** The newest included. */
  readonly rows: FoundRow[];
}

/** The id by which a row is named to a person and to other programs. */
export function rowId({ source, row }: FoundRow): string {
  return `${source}:${row.id}`;
}

/** The newest first; of one second the one that was stored later, and a fixed order between databases. */
function byAge(a: FoundRow, b: FoundRow): number {
  return b.row.created_at - a.row.created_at || b.row.id - a.row.id || (a.source < b.source ? -1 : 1);
}

/** Gathers rows of several databases by their text. The same row may be added again, with more known of it. */
export class PromptGroups {
  readonly #groups = new Map<string, Gathered>();
  /** The ids that were added, of each database. */
  readonly #known = new Map<string, Set<number>>();

  add(source: string, rows: readonly FoundRow['row'][]): void {
    const known = this.#known.get(source) ?? new Set();
    this.#known.set(source, known);
    for (const row of rows) {
      const found = { source, row };
      const group = this.#groups.get(row.prompt);
      if (group === undefined) this.#groups.set(row.prompt, { newest: found, rows: [found] });
      else {
        const at = known.has(row.id) ? group.rows.findIndex((other) => rowId(other) === rowId(found)) : -1;
        if (at < 0) group.rows.push(found);
        else group.rows[at] = found;
        if (byAge(found, group.newest) < 0) group.newest = found;
      }
      known.add(row.id);
    }
  }

  /** Every sending of a prompt that was added. */
  rowsOf(prompt: string): readonly FoundRow[] {
    return this.#groups.get(prompt)?.rows ?? [];
  }

  /** The groups, newest first. */
  list(): PromptGroup[] {
    return [...this.#groups.values()]
      .sort((a, b) => byAge(a.newest, b.newest))
      .map(({ newest, rows }) => {
        const { created_at: seconds, cwd, prompt } = newest.row;
        const count = rows.reduce((sum, { row }) => sum + (row.uses ?? 1), 0);
        return { id: rowId(newest), prompt, timeMs: seconds * 1000, cwd: cwd ?? null, count };
      });
  }
}
