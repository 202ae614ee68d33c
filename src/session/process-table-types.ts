/** A process of this machine, as far as we may look at it. */
export interface RunningProcess {
  readonly pid: number;
  readonly uid: number;
  /** The command line on one line, at most 200 characters, from data: neutralise before drawing. */
  readonly command: string;
  /** The agent that it is (`xcsh`, …); undefined for any other program. */
  readonly agent?: string;
  readonly startedMs?: number;
  /** Keys (see `fileKeysOf`) of the session and lock files that it has open for writing; undefined: may not be seen. */
  readonly written?: readonly string[];
  /** Keys of the session files, or the session ids, that an agent got as arguments. */
  readonly named: readonly string[];
  /** Names of an agent's terminal, as breadcrumbs have them. */
  readonly terminals: readonly string[];
}

export interface ProcessTable {
  readonly processes: readonly RunningProcess[];
  /** Why nothing is known about open files at all. */
  readonly blindness?: string;
}
