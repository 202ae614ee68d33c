import type { Catalog } from '../src/catalog/catalog.ts';
import type { ResumeAnswer, ResumeChoice } from '../src/model/overlays.ts';

/** What the screens need from outside. All of it answers later or fails with an error whose message is one line. */
export interface AppPorts {
  readonly catalog: Catalog;
  /** Epoch ms. */
  now(): number;
  /** Can this session be handed to its agent, given what the user agreed to so far? Starts nothing. */
  prepareResume(path: string, choices: readonly ResumeChoice[]): Promise<ResumeAnswer>;
  /** The command that resumes a session, quoted for a shell. */
  resumeCommand(path: string): Promise<string>;
  /** Copies a text; gives what was done, such as `copied`, for the notice. */
  copy(text: string): Promise<string>;
}
