import type { Catalog } from '../src/catalog/catalog.ts';
import type { ListAhead } from '../src/catalog/list-ahead.ts';
import type { BranchAnswer, BranchPoint } from '../src/model/branch-dialog.ts';
import type { ResumeAnswer, ResumeChoice } from '../src/model/overlays.ts';
import type { FileStamp } from '../src/session/scan.ts';

/** Changes to sessions, and what they would be. What they give to be told is one line. */
export interface ChangePorts {
  /** Labels an entry; an empty label clears. `seen` is the file as it was shown: any other is left alone. */
  setLabel(path: string, entryId: string, label: string, seen: FileStamp | undefined): Promise<string>;
  /** Undoes the last change that stands, to whichever session. */
  undo(): Promise<string>;
  /** What branching would do, whatever stands in the way; never fails. */
  planBranch(point: BranchPoint): Promise<BranchAnswer>;
}

/** What the screens need from outside. All of it answers later or fails with an error whose message is one line. */
export interface AppPorts extends ChangePorts {
  readonly catalog: Catalog;
  /** The sessions, read since before the screens loaded. */
  readonly list: ListAhead;
  /** Epoch ms. */
  now(): number;
  /** Can this session be handed to its agent, given what the user agreed to so far? Starts nothing. */
  prepareResume(path: string, choices: readonly ResumeChoice[]): Promise<ResumeAnswer>;
  /** The command that resumes a session, quoted for a shell. */
  resumeCommand(path: string): Promise<string>;
  /** Copies a text; gives what was done, such as `copied`, for the notice. */
  copy(text: string): Promise<string>;
}
