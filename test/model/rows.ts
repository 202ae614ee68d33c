import type { RowBatch } from '../../src/catalog/catalog.ts';
import type { SessionRow } from '../../src/catalog/session-row.ts';
import type { AppOptions } from '../../src/model/app-state.ts';

/** The moment at which every test of the screens plays. */
export const NOW_MS = Date.parse('2026-03-02T17:00:00Z');
export const HOUR_MS = 3_600_000;

/** A row with every figure known; `n` tells rows apart, the smaller the newer. */
export function sessionRow(n: number, change: Partial<SessionRow> = {}): SessionRow {
  return {
    path: `/home/u/.xcsh/agent/sessions/p/${n}.jsonl`,
    id: `19c2be117d20e9${String(n).padStart(2, '0')}`,
    agent: 'xcsh',
    agentDir: '/home/u/.xcsh/agent',
    cwd: '/home/u/src/lantern',
    title: `Session ${n}`,
    titleSource: 'user',
    firstMessage: `Prompt ${n}`,
    createdMs: NOW_MS - (n + 2) * HOUR_MS,
    modifiedMs: NOW_MS - (n + 1) * HOUR_MS,
    sizeBytes: 1_000 * (n + 1),
    mtimeMs: NOW_MS,
    entryCount: 8,
    messageCount: 6,
    branchCount: 0,
    labelCount: 0,
    labels: [],
    hasImages: false,
    parentSession: null,
    models: ['claude-opus-5'],
    tokens: { input: 1_000, output: 200, cacheRead: 0, cacheWrite: 0 },
    cost: 0.25,
    damagedLines: 0,
    live: false,
    lastTurn: 'done',
    isSubAgent: false,
    isStub: false,
    problem: null,
    ...change,
  };
}

/** Rows as the catalog hands them on. */
export function batchOf(rows: readonly SessionRow[], total = rows.length): RowBatch {
  return { rows, done: total, total, problems: [] };
}

/** So many rows, the newest first. */
export function sessionRows(count: number): SessionRow[] {
  return Array.from({ length: count }, (_, n) => sessionRow(n));
}

export const options: AppOptions = {
  here: ['/home/u/src/lantern'],
  scope: 'here',
  home: '/home/u',
  agentDirs: ['/home/u/.xcsh/agent'],
  isPicking: false,
  query: '',
  isShowingHidden: false,
};
