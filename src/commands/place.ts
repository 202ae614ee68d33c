import type { AgentRoot } from '../agents/agents.ts';
import type { Env } from '../session/paths.ts';
import type { Settings } from '../settings.ts';

/** Where and when a command runs: everything that it takes from outside. */
export interface Place {
  readonly roots: readonly AgentRoot[];
  /** The working directory, as the shell names it where that is the same folder. */
  readonly cwd: string;
  readonly home: string;
  readonly env: Env;
  readonly nowMs: number;
  readonly settings: Settings;
}
