import type { CatalogChanges, LabelsFound, OutputsFound, RowBatch, TextHits } from '../catalog/catalog.ts';
import type { BranchWish } from './branch-dialog.ts';
import type { KeyPress } from './key-names.ts';
import type { Mode } from './keymap.ts';
import { layoutOf, type WindowSize } from './layout.ts';
import type { Overlay, ResumeAnswer, ResumeChoice } from './overlays.ts';
import { createPicker, type PickerState, type SearchAnswer } from './picker.ts';
import type { Loaded } from './preview.ts';
import type { Transcript } from './transcript-lines.ts';
import type { TreeExit } from './tree-screen-state.ts';

/** What the screens are started with. */
export interface AppOptions {
  /** Folders that count as this one: the working folder, its real path, the worktrees of its repository. The first is shown. */
  readonly here: readonly string[];
  readonly scope: 'here' | 'all';
  /** The home folder, drawn as `~`; '' for none. */
  readonly home: string;
  /** The agent folders that are read; none: the list says so, and offers the demo. */
  readonly agentDirs: readonly string[];
  /** Does Enter pick a session for the caller instead of resuming it? */
  readonly isPicking: boolean;
  readonly query: string;
  readonly isShowingHidden: boolean;
  /** What is wrong from the start, told until the first key. */
  readonly warning?: string | undefined;
}

/** How the screens ended. */
export type AppExit =
  | { readonly kind: 'resume'; readonly path: string; readonly choices: readonly ResumeChoice[] }
  | { readonly kind: 'picked'; readonly path: string }
  | { readonly kind: 'branch'; readonly wish: BranchWish }
  | { readonly kind: 'left' }
  /** Ctrl+C: exit status 130. */
  | { readonly kind: 'interrupted' };

/** One line that tells what was done, or why not; the next key takes it away. */
interface Notice {
  readonly text: string;
  readonly isWarning: boolean;
}

/** A session on its way to its agent. */
interface Asking {
  readonly seq: number;
  readonly path: string;
  readonly choices: readonly ResumeChoice[];
}

/** A tree that was opened from the list. */
interface OpenTree {
  readonly path: string;
  readonly title: string;
  /** The entry that is selected first; undefined for the leaf. */
  readonly entryId: string | undefined;
  /** What is searched for in it at once; [] for nothing. */
  readonly words: readonly string[];
  /** Keys that came before it was there to take them. */
  readonly firstKeys: readonly KeyPress[];
  /** Does it take the keys itself by now? */
  readonly isShown: boolean;
}

/** Everything that is on the screen. */
export interface AppState {
  readonly options: AppOptions;
  readonly size: WindowSize;
  readonly nowMs: number;
  readonly picker: PickerState;
  /** What lies over the list; the last one has the keys. */
  readonly overlays: readonly Overlay[];
  readonly preview: {
    readonly path: string | undefined;
    /** The entry at which the preview ends; undefined for the leaf. */
    readonly entryId: string | undefined;
    readonly seq: number;
    readonly version: string;
    readonly loaded: Loaded;
    /** Lines scrolled up from the end. */
    readonly scroll: number;
  };
  /** The session whose tree has the screen and the keys. */
  readonly tree: OpenTree | undefined;
  readonly notice: Notice | undefined;
  readonly asking: Asking | undefined;
  /** Keys that came while a search ran and must act on its hits. */
  readonly waiting: readonly KeyPress[];
  /** Which way to go to a hit as soon as one is found; 0 when that is not asked for. */
  readonly hitStep: 1 | 0 | -1;
  readonly exit: AppExit | undefined;
  /** The last number given to a question. */
  readonly seq: number;
}

/** What happens to the screens. */
export type AppEvent =
  | { readonly type: 'keys'; readonly keys: readonly KeyPress[] }
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'resized'; readonly size: WindowSize }
  | { readonly type: 'ticked'; readonly nowMs: number }
  | { readonly type: 'rowsRead'; readonly batch: RowBatch }
  | { readonly type: 'allRead' }
  | { readonly type: 'readingFailed'; readonly reason: string }
  | { readonly type: 'sessionsChanged'; readonly changes: CatalogChanges }
  | { readonly type: 'textsFound'; readonly seq: number; readonly found: TextHits }
  | { readonly type: 'outputsFound'; readonly seq: number; readonly found: OutputsFound }
  | { readonly type: 'searched'; readonly seq: number; readonly answer: SearchAnswer }
  | { readonly type: 'transcriptRead'; readonly seq: number; readonly transcript: Transcript }
  | { readonly type: 'transcriptFailed'; readonly seq: number; readonly reason: string }
  | { readonly type: 'resumeAnswered'; readonly seq: number; readonly answer: ResumeAnswer }
  | { readonly type: 'noticed'; readonly notice: Notice }
  | { readonly type: 'labelsFound'; readonly seq: number; readonly found: LabelsFound }
  /** The tree is there and takes the keys. */
  | { readonly type: 'treeShown' }
  /** The tree was left; by Ctrl+C, or to go on from an entry, everything was. */
  | { readonly type: 'treeLeft'; readonly exit: TreeExit }
  /** An item of the menu on top was chosen. */
  | { readonly type: 'chosen'; readonly index: number };

/** Work that leaves the model, as data. */
export type AppEffect =
  | { readonly type: 'search'; readonly search: NonNullable<PickerState['search']> }
  | { readonly type: 'searchTexts'; readonly search: NonNullable<PickerState['textSearch']> }
  | { readonly type: 'searchOutputs'; readonly search: NonNullable<PickerState['outputs']> }
  | { readonly type: 'stopOutputs' }
  | {
      readonly type: 'readTranscript';
      readonly path: string;
      /** The entry that must be in it; undefined for the end of the conversation. */
      readonly entryId: string | undefined;
      readonly seq: number;
      readonly use: 'preview' | 'screen';
    }
  | { readonly type: 'prepareResume'; readonly asking: Asking }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'copyCommand'; readonly path: string }
  | { readonly type: 'undo' }
  | { readonly type: 'readLabels'; readonly seq: number }
  | { readonly type: 'stopLabels' }
  | { readonly type: 'suspend' }
  | { readonly type: 'redraw' }
  | { readonly type: 'exit'; readonly exit: AppExit };

/** The screens before the first row came. */
export function createApp(options: AppOptions, size: WindowSize, nowMs: number): AppState {
  const { here, scope, query, isShowingHidden } = options;
  const height = layoutOf(size).listRows;
  return {
    options,
    size,
    nowMs,
    picker: createPicker({ here, scope, query, isShowingHidden, height, nowMs }),
    overlays: [],
    tree: undefined,
    preview: { path: undefined, entryId: undefined, seq: 0, version: '', loaded: { kind: 'loading' }, scroll: 0 },
    notice: options.warning === undefined ? undefined : { text: options.warning, isWarning: true },
    asking: undefined,
    waiting: [],
    hitStep: 0,
    exit: undefined,
    seq: 0,
  };
}

/** Where keys go now. */
export function modeOf(state: AppState): Mode {
  return state.overlays.at(-1)?.kind ?? 'picker';
}
