import { activityMs, type SessionRow } from '../catalog/session-row.ts';

/** `relevance` orders by the query; without one it is `recent`. */
export type Sort = 'relevance' | 'recent' | 'created' | 'cost' | 'size';

function sortKey(row: SessionRow, sort: Sort): number {
  switch (sort) {
    case 'relevance':
    case 'recent':
      return activityMs(row);
    case 'created':
      return row.createdMs ?? Number.NEGATIVE_INFINITY;
    case 'cost':
      return row.cost ?? Number.NEGATIVE_INFINITY;
    case 'size':
      return row.sizeBytes;
  }
}

/** The greatest first; equal ones by time, then by path, so that no order of arrival shows. */
export function sortRows(rows: readonly SessionRow[], sort: Sort): SessionRow[] {
  return rows
    .map((row) => ({ row, key: sortKey(row, sort) }))
    .sort((a, b) => {
      if (a.key !== b.key) return a.key < b.key ? 1 : -1;
      const byTime = activityMs(b.row) - activityMs(a.row);
      return byTime !== 0 ? byTime : a.row.path < b.row.path ? -1 : 1;
    })
    .map(({ row }) => row);
}
