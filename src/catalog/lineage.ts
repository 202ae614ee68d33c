import { prepare } from '../session/history-database.ts';
import { type CallUsage, sumUsage } from '../session/summary.ts';
import { readCalls } from './file-scan.ts';
import type { SessionRow } from './session-row.ts';
import { type CatalogStore, parentIdOf, rowOf } from './store.ts';

interface Member {
  readonly id: number;
  readonly row: SessionRow;
}

/** The sessions that a fork, its origin, their copies and other forks make together: those that may share entries. */
function lineageOf(store: CatalogStore, sessionId: string): Member[] {
  const members = new Map<number, Member>();
  const open = [sessionId];
  const seen = new Set(open);
  const follow = (id: unknown): void => {
    if (typeof id !== 'string' || seen.has(id)) return;
    seen.add(id);
    open.push(id);
  };
  const select = prepare(
    store.db,
    'SELECT id, row, session_id, parent_id FROM files WHERE session_id = ?1 UNION SELECT id, row, session_id, parent_id FROM files WHERE parent_id = ?1',
  );
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const columns of select.all(next)) {
      members.set(Number(columns['id']), { id: Number(columns['id']), row: rowOf(columns) });
      follow(columns['session_id']);
      follow(columns['parent_id']);
    }
  }
  return [...members.values()];
}

/** Some sessions and, among all, those that may share entries with them. */
export function relativesOf(some: readonly SessionRow[], all: readonly SessionRow[]): readonly SessionRow[] {
  const names = ({ id, parentSession }: SessionRow): string[] =>
    [id, parentIdOf(parentSession)].filter((name) => name !== null);
  const named = new Map<string, SessionRow[]>();
  for (const row of all) {
    for (const name of names(row)) {
      const known = named.get(name);
      if (known === undefined) named.set(name, [row]);
      else known.push(row);
    }
  }
  const found = new Set(some);
  for (const row of found) for (const name of names(row)) for (const other of named.get(name) ?? []) found.add(other);
  return [...found];
}

function byAge(a: Member, b: Member): number {
  const [at, bt] = [a.row.createdMs ?? 0, b.row.createdMs ?? 0];
  return at - bt || (a.row.path < b.row.path ? -1 : 1);
}

/**
 * Counts what forks copied once: a call belongs to the oldest session that has it (by id and timestamp), so that the rows
 * of a lineage add up to what was paid. Gives the rows that changed.
 */
export function countCopiesOnce(store: CatalogStore, sessionIds: Iterable<string>): SessionRow[] {
  const changed: SessionRow[] = [];
  const done = new Set<string>();
  for (const sessionId of sessionIds) {
    if (done.has(sessionId)) continue;
    const members = lineageOf(store, sessionId).sort(byAge);
    for (const { row } of members) if (row.id !== null) done.add(row.id);
    done.add(sessionId);
    if (members.length < 2) continue;
    const paid = new Set<string>();
    for (const { id, row } of members) {
      const stored = store.stateOf(id);
      if (stored === undefined) continue;
      const own: CallUsage[] = [];
      for (const [key, call] of readCalls(stored.calls)) {
        // Without an id of its own a call cannot be told from another session's.
        if (key.startsWith('#') || !paid.has(key)) own.push(call);
        paid.add(key);
      }
      const { tokens, cost } = sumUsage(own);
      const isSame = row.cost === cost && JSON.stringify(row.tokens) === JSON.stringify(tokens);
      if (isSame) continue;
      const counted = { ...row, tokens, cost };
      store.putRow(id, counted);
      changed.push(counted);
    }
  }
  return changed;
}
