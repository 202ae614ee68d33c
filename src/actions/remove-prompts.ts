import { SessionError } from '../errors.ts';
import type { HistorySource } from '../history/databases.ts';
import type { FoundRow } from '../history/prompt-groups.ts';
import { ensureOwnFolder } from '../own-folders.ts';
import { removePrompts } from '../session/history-removal.ts';
import { RemovedPrompts } from './removed-prompts.ts';

/** What was done to one database. */
export interface RemovedFrom {
  readonly source: HistorySource;
  readonly rowCount: number;
  /** Does another process keep bytes of the text in the database's log until it ends? */
  readonly isLogBusy: boolean;
  /** Why nothing, or not all, was removed here. */
  readonly problem: SessionError | undefined;
}

/**
 * Removes rows of prompts from the databases that hold them, text index and file included; no import brings them back.
 * A database that fails is told in its result, and costs itself alone. Throws when the list of removed prompts cannot be
 * written; then nothing was removed.
 */
export function removeRows(
  rows: readonly FoundRow[],
  sources: readonly HistorySource[],
  stateDir: string,
): readonly RemovedFrom[] {
  // First of all: what is gone but not on the list would come back.
  new RemovedPrompts(ensureOwnFolder(stateDir)).add([...new Set(rows.map(({ row }) => row.prompt))]);
  return sources.flatMap((source): RemovedFrom[] => {
    const ids = rows.filter(({ source: name }) => name === source.name).map(({ row }) => row.id);
    if (ids.length === 0) return [];
    try {
      const { removedIds, isLogEmptied } = removePrompts(source.path, ids);
      return [{ source, rowCount: removedIds.length, isLogBusy: !isLogEmptied, problem: undefined }];
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      return [{ source, rowCount: 0, isLogBusy: false, problem: error }];
    }
  });
}
