import type { AgentRoot } from '../agents/agents.ts';
import type { SessionError } from '../errors.ts';
import { glanceAtRow } from './read-row.ts';
import { type FoundFile, findSessionFiles } from './session-files.ts';
import { activityMs, type SessionRow } from './session-row.ts';

/** Newest activity first; equal times by path, so that the order never wavers. */
export function byActivity(a: SessionRow, b: SessionRow): number {
  return activityMs(b) - activityMs(a) || (a.path < b.path ? -1 : 1);
}

/** All sessions of some agent folders at a glance, step by step so that a caller can pause between. */
export class Listing {
  readonly files: readonly FoundFile[];

  constructor(roots: readonly AgentRoot[], onProblem: (error: SessionError) => void) {
    this.files = findSessionFiles(roots, onProblem);
  }

  /** A row for each file, newest file first. */
  *glance(): Generator<SessionRow> {
    for (const file of this.files) yield glanceAtRow(file);
  }
}
