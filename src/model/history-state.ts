import type { EntryTranscript, PromptGroup, PromptNews, SentPlace } from '../history/prompt-history.ts';
import type { KeyPress } from './key-names.ts';
import type { ActionOf, HistoryMode } from './keymap.ts';
import { layoutOf, type WindowSize } from './layout.ts';
import { type Line, lineOf } from './line-edit.ts';
import type { Menu } from './overlays.ts';

export type { PromptGroup } from '../history/prompt-history.ts';

/** What keys can do here. */
export type HistoryAction = ActionOf<HistoryMode | 'help' | 'menu'>;

/** What the screen of the prompt history is started with. */
export interface HistoryOptions {
  /** Folders that count as this one; the first is shown. */
  readonly here: readonly string[];
  readonly scope: 'here' | 'all';
  /** The home folder, drawn as `~`; '' for none. */
  readonly home: string;
  readonly query: string;
  /** Where prompts are looked for, for a screen that finds none. */
  readonly databases: readonly string[];
}

/** How the screen ended. */
export type HistoryExit =
  | { readonly kind: 'picked'; readonly prompt: string }
  | { readonly kind: 'left' }
  /** Ctrl+C: exit status 130. */
  | { readonly kind: 'interrupted' };

/** The session in which a prompt was sent, open at the prompt. */
export interface PlaceScreen {
  readonly kind: 'historyTranscript';
  readonly prompt: string;
  /** Never empty; newest first. */
  readonly places: readonly SentPlace[];
  readonly index: number;
  readonly seq: number;
  readonly loaded:
    | { readonly kind: 'loading' }
    | ({ readonly kind: 'loaded' } & EntryTranscript)
    | { readonly kind: 'failed'; readonly reason: string };
  /** The first line shown; `prompt` stays at the prompt whatever the width. */
  readonly top: number | 'prompt';
  readonly isFoldingTools: boolean;
  readonly isFoldingThinking: boolean;
}

/** What lies over the list. */
export type HistoryOverlay = Menu | PlaceScreen | { readonly kind: 'help'; readonly top: number };

/** A search under way: news of another `seq` are late. */
interface Search {
  readonly seq: number;
  readonly query: string;
  readonly folders: readonly string[] | undefined;
  /** Is there anything to show of it yet? */
  readonly isSettled: boolean;
}

/** Everything that is on the screen. */
export interface HistoryState {
  readonly options: HistoryOptions;
  readonly size: WindowSize;
  readonly nowMs: number;
  readonly line: Line;
  readonly scope: 'here' | 'all';
  /** What the list shows, newest first. */
  readonly groups: readonly PromptGroup[];
  /** The query that `groups` answer. */
  readonly shownQuery: string;
  readonly hasMore: boolean;
  readonly databaseCount: number;
  /** Databases that could not be read, a line each. */
  readonly problems: readonly string[];
  /** Position of the selected prompt; 0 in an empty list. */
  readonly index: number;
  readonly top: number;
  /** Lines that the preview is scrolled down. */
  readonly scroll: number;
  readonly search: Search | undefined;
  /** A prompt whose sessions are being looked for. */
  readonly asking: { readonly seq: number; readonly prompt: string } | undefined;
  /** The last one has the keys. */
  readonly overlays: readonly HistoryOverlay[];
  readonly notice: { readonly text: string; readonly isWarning: boolean } | undefined;
  /** Keys that came before a search had anything to show and must act on its hits. */
  readonly waiting: readonly KeyPress[];
  readonly exit: HistoryExit | undefined;
  /** The last number given to a question. */
  readonly seq: number;
}

/** What happens to the screen. */
export type HistoryEvent =
  | { readonly type: 'started' }
  | { readonly type: 'keys'; readonly keys: readonly KeyPress[] }
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'resized'; readonly size: WindowSize }
  | { readonly type: 'ticked'; readonly nowMs: number }
  | { readonly type: 'found'; readonly seq: number; readonly news: PromptNews }
  | { readonly type: 'searchFailed'; readonly seq: number; readonly reason: string }
  | { readonly type: 'placesFound'; readonly seq: number; readonly places: readonly SentPlace[] }
  | { readonly type: 'placesFailed'; readonly seq: number; readonly reason: string }
  | { readonly type: 'transcriptRead'; readonly seq: number; readonly answer: EntryTranscript }
  | { readonly type: 'transcriptFailed'; readonly seq: number; readonly reason: string }
  | { readonly type: 'noticed'; readonly notice: NonNullable<HistoryState['notice']> }
  /** An item of the menu on top was chosen. */
  | { readonly type: 'chosen'; readonly index: number };

/** Work that leaves the model, as data. */
export type HistoryEffect =
  | {
      readonly type: 'search';
      readonly seq: number;
      readonly query: string;
      readonly folders: readonly string[] | undefined;
    }
  | { readonly type: 'findPlaces'; readonly seq: number; readonly prompt: string }
  | { readonly type: 'readPlace'; readonly seq: number; readonly place: SentPlace }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'suspend' }
  | { readonly type: 'redraw' }
  | { readonly type: 'exit'; readonly exit: HistoryExit };

/** The screen before the first prompt came. */
export function createHistory(options: HistoryOptions, size: WindowSize, nowMs: number): HistoryState {
  return {
    options,
    size,
    nowMs,
    line: lineOf(options.query),
    scope: options.scope,
    groups: [],
    shownQuery: '',
    hasMore: false,
    databaseCount: 0,
    problems: [],
    index: 0,
    top: 0,
    scroll: 0,
    search: undefined,
    asking: undefined,
    overlays: [],
    notice: undefined,
    waiting: [],
    exit: undefined,
    seq: 0,
  };
}

/** Where keys go now. */
export function historyMode(state: HistoryState): HistoryMode | 'help' | 'menu' {
  const kind = state.overlays.at(-1)?.kind ?? 'history';
  return kind === 'dialog' ? 'menu' : kind;
}

/** The selected prompt; undefined when nothing is shown. */
export function selectedGroup(state: HistoryState): PromptGroup | undefined {
  return state.groups[state.index];
}

/** Lines of the list's window. */
export function listHeight(state: HistoryState): number {
  return layoutOf(state.size).listRows;
}
