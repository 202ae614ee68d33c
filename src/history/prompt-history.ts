import type { Transcript } from '../session/transcript.ts';

/** Equal prompts of all databases together. Strings are as stored: neutralise them before they reach a terminal. */
export interface PromptGroup {
  /** `<database>:<number>` of the newest of them; `history rm` takes it. */
  readonly id: string;
  readonly prompt: string;
  /** When it was sent last, epoch ms. */
  readonly timeMs: number;
  /** The folder in which it was sent last; null when not known. */
  readonly cwd: string | null;
  /** How often it was sent, as far as is counted. */
  readonly count: number;
}

/** What a search has found so far: the whole list each time, newest first. */
export interface PromptNews {
  readonly groups: readonly PromptGroup[];
  /** Older ones match too: the list ends where it is long enough. */
  readonly hasMore: boolean;
  readonly isDone: boolean;
  /** Databases that were read. */
  readonly databaseCount: number;
  /** Databases that could not be read, a line each. */
  readonly problems: readonly string[];
}

/** A place in a session where a prompt was sent. */
export interface SentPlace {
  readonly path: string;
  /** The session's id; null when its file has no header. */
  readonly id: string | null;
  readonly entryId: string;
  /** Epoch ms; null when the entry does not tell. */
  readonly timeMs: number | null;
}

/** The conversation around an entry. */
export interface EntryTranscript {
  /** What the session is called: its title, else its first prompt; null without both. */
  readonly title: string | null;
  readonly transcript: Transcript;
  /** Which of its items is the entry's first. */
  readonly at: number;
}

/** The prompt histories of all agents as the screen sees them. Nothing here blocks the thread that draws. */
export interface PromptHistory {
  /** Searches; `onNews` hears of more until `isDone`. A later search ends this one, which then says nothing more. */
  search(query: string, folders: readonly string[] | undefined, onNews: (news: PromptNews) => void): Promise<void>;
  /** Where a prompt was sent, the newest place first; [] when no session holds it. */
  places(prompt: string): Promise<readonly SentPlace[]>;
  /** The conversation on the path through an entry. Rejects with a `SessionError`. */
  transcriptAt(path: string, entryId: string, limit: number): Promise<EntryTranscript>;
  close(): void;
}
