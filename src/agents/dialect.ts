import type { Opening } from '../session/opening.ts';
import type { TitleCandidates } from '../session/summary.ts';

/** The agents of the family, each with its dialect. */
export type AgentName = 'xcsh' | 'omp' | 'pi';

export interface Title {
  readonly text: string;
  /** `user` when a person gave it, `auto` when an agent did. */
  readonly source: string | null;
}

/** All that one agent does differently. */
export interface Dialect {
  readonly name: AgentName;
  /** The program, looked up on PATH. */
  readonly command: string;
  /** Does the agent keep the prompts sent to it in a database of its own? */
  readonly keepsPrompts: boolean;
  /** The session's title among what the file offers; undefined when it has none. */
  readonly titleOf: (candidates: TitleCandidates) => Title | undefined;
  /**
   * Why this agent would replace the file or fail on it if it were told to open it; undefined when it opens it as a
   * session (family 3.6, "Data loss by cross-launch").
   */
  readonly refusalOf: (opening: Opening) => string | undefined;
  /** Why Bough writes nothing into such a file of this agent's; undefined when it may. */
  readonly changeRefusalOf: (opening: Opening) => string | undefined;
  /** Does it keep large images outside of its lines (contract, rule 6)? */
  readonly keepsBlobs: boolean;
  /** The fields of the entry that names a session; undefined where its header does. */
  readonly titleEntry: ((title: string) => { readonly type: string }) | undefined;
  /** The arguments that open a session, as an array for the operating system. */
  readonly resumeArguments: (sessionPath: string, cwd: string, home: string) => readonly string[];
}

/** A title of some text, or undefined when the text is missing or blank. */
export function titleFrom(text: unknown, source: unknown): Title | undefined {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return { text, source: typeof source === 'string' ? source : null };
}
