import type { AgentName } from '../agents/dialect.ts';
import type { LastTurn, TokenCounts } from '../session/summary.ts';

/**
 * One session at a glance. null means not known (yet): a first look reads head and tail of a file alone, the figures come
 * with a full reading. Strings are as on disk: neutralise them before they reach a terminal.
 */
export interface SessionRow {
  /** Absolute; what identifies a row. */
  readonly path: string;
  /** null when the file has no session header. */
  readonly id: string | null;
  /** null when no dialect is known for sure. */
  readonly agent: AgentName | null;
  /** The agent folder that holds the file; null outside any. */
  readonly agentDir: string | null;
  readonly cwd: string | null;
  readonly title: string | null;
  readonly titleSource: string | null;
  /** The first prompt, at most 2,000 characters of it. */
  readonly firstMessage: string | null;
  readonly createdMs: number | null;
  /** Of the last real entry, not of the file. */
  readonly modifiedMs: number | null;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly entryCount: number | null;
  readonly messageCount: number | null;
  readonly branchCount: number | null;
  readonly labelCount: number | null;
  /** Texts of its labels. */
  readonly labels: readonly string[] | null;
  readonly hasImages: boolean | null;
  readonly parentSession: string | null;
  readonly models: readonly string[] | null;
  readonly tokens: TokenCounts | null;
  /** Dollars. */
  readonly cost: number | null;
  readonly damagedLines: number | null;
  /** Does a process have it open? null: cannot be told. */
  readonly live: boolean | null;
  readonly lastTurn: LastTurn | null;
  /** Inside another session's artifact folder. */
  readonly isSubAgent: boolean;
  /** A session without a user's turn. */
  readonly isStub: boolean;
  /** Why the file could not be read at all (`no_permission`, …), in one line. */
  readonly problem: string | null;
}

/** When a session was last worked on, with the file's own time as the last resort (field report M01). */
export function activityMs(row: SessionRow): number {
  return row.modifiedMs ?? row.createdMs ?? row.mtimeMs;
}

/**
 * Is a row shown without asking for hidden ones? Sub-agents and stubs are not, unless a user named them; what is damaged or
 * cannot be identified always is.
 */
export function isShownByDefault(row: SessionRow): boolean {
  if (row.isSubAgent) return false;
  if (row.id === null || row.problem !== null || (row.damagedLines ?? 0) > 0) return true;
  return !row.isStub || (row.title !== null && row.titleSource === 'user');
}
