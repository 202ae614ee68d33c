import type { ContextView } from '../catalog/tree-session.ts';
import type { Comparison } from '../session/branch-figures.ts';
import type { EntryLine } from '../session/entry-line.ts';
import type { FileStamp } from '../session/scan.ts';
import type { Skeleton } from '../session/skeleton.ts';
import type { WindowSize } from './layout.ts';
import { type Line, type LineAction, lineOf } from './line-edit.ts';
import type { Transcript } from './transcript-lines.ts';
import type { TreeFilter, TreeModel } from './tree-model.ts';
import type { TreeRows } from './tree-rows.ts';

export type { EntryLine } from '../session/entry-line.ts';

/** What the keys of the tree do, as named in the table of keys. */
export type TreeAction =
  | LineAction
  | 'previous'
  | 'next'
  | 'pageUp'
  | 'pageDown'
  | 'first'
  | 'last'
  | 'previousTurn'
  | 'nextTurn'
  | 'previousBranch'
  | 'nextBranch'
  | 'previousLabel'
  | 'nextLabel'
  | 'previousHit'
  | 'nextHit'
  | 'parent'
  | 'child'
  | 'activeEntry'
  | 'fold'
  | 'unfold'
  | 'foldOthers'
  | 'unfoldAll'
  | 'nextFilter'
  | 'previousFilter'
  | 'filterDefault'
  | 'filterNoTools'
  | 'filterUser'
  | 'filterLabelled'
  | 'filterAll'
  | 'labelTimes'
  | 'previewUp'
  | 'previewDown'
  | 'mark'
  | 'compare'
  | 'context'
  | 'copyEntry';

/** A search of the tree: the last one that was asked for. */
export interface TreeSearch {
  readonly seq: number;
  /** In lower case; all must be in an entry. */
  readonly words: readonly string[];
  /** 1 for each entry found so far. */
  readonly hits: Uint8Array;
  readonly count: number;
  readonly isDone: boolean;
}

/** An answer that is waited for, is there, or will not come. */
export type Answer<T> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'loaded'; readonly value: T }
  | { readonly kind: 'failed'; readonly reason: string };

/** What lies over the tree: two branches side by side, or what the model would see. */
export type TreePanel =
  | {
      readonly kind: 'compare';
      readonly seq: number;
      readonly a: number;
      readonly b: number;
      readonly top: number;
      readonly answer: Answer<Comparison>;
    }
  | {
      readonly kind: 'context';
      readonly seq: number;
      readonly at: number;
      readonly top: number;
      readonly answer: Answer<ContextView>;
    };

/** The path to the selected entry, as far as it was read. */
interface PathPreview {
  readonly at: number;
  readonly seq: number;
  /** How many of the last entries on the path were asked for. */
  readonly limit: number;
  readonly answer: Answer<Transcript>;
  readonly isWaiting: boolean;
  /** Lines scrolled up from the end. */
  readonly scroll: number;
}

/** The tree of one session. Entries are named by their position in the file, which no append changes. */
export interface TreeViewState {
  readonly path: string;
  /** What the session is called, until its file tells. */
  readonly title: string;
  /** The entry that is selected first; undefined for the leaf. */
  readonly startId: string | undefined;
  /** What is searched for first, while the line is empty; [] for nothing, and as soon as it was found. */
  readonly startWords: readonly string[];
  readonly size: WindowSize;
  readonly nowMs: number;
  /** undefined: being read, or not readable for this reason. */
  readonly model: TreeModel | undefined;
  readonly problem: string | undefined;
  /** Of the skeleton: questions name it. */
  readonly version: number;
  /** The file as it was read: a change to any other is refused. */
  readonly stamp: FileStamp | undefined;
  /** Was everything read, so that no damage can turn up any more? */
  readonly isVerified: boolean;
  readonly filter: TreeFilter;
  readonly folds: ReadonlySet<number>;
  readonly rows: TreeRows | undefined;
  /** How many entries the filter hides, and how many hits it does. */
  readonly hiddenByFilter: number;
  readonly hiddenHits: number;
  /** The entry that the user chose; it keeps the selection while a filter, a fold or a search hides its row. */
  readonly anchor: number;
  /** The selected row; −1 when there are none. */
  readonly index: number;
  readonly top: number;
  readonly line: Line;
  /** The search of the line, or the last one there was. */
  readonly search: TreeSearch | undefined;
  /** The search whose hits are awaited; its first ones replace those of `search`. */
  readonly pending: TreeSearch | undefined;
  readonly isShowingLabelTimes: boolean;
  /** Texts of rows by position. */
  readonly lines: ReadonlyMap<number, EntryLine>;
  readonly asked: ReadonlySet<number>;
  readonly preview: PathPreview | undefined;
  /** The entry to compare with. */
  readonly marked: number | undefined;
  readonly panel: TreePanel | undefined;
  readonly notice: { readonly text: string; readonly isWarning: boolean } | undefined;
  /** The last number given to a question. */
  readonly seq: number;
}

/** What happens to a tree. */
export type TreeEvent =
  | { readonly type: 'acted'; readonly does: TreeAction }
  | { readonly type: 'typed'; readonly text: string }
  /** Esc: gives undefined when there is nothing left to close or clear. */
  | { readonly type: 'cleared' }
  /** Puts the cursor on an entry. */
  | { readonly type: 'sought'; readonly entryId: string }
  | { readonly type: 'panelScrolled'; readonly by: 'line' | 'page' | 'end'; readonly down: boolean }
  | { readonly type: 'treeResized'; readonly size: WindowSize }
  | { readonly type: 'treeTicked'; readonly nowMs: number }
  | {
      readonly type: 'treeRead';
      readonly version: number;
      readonly skeleton: Skeleton;
      readonly stamp: FileStamp | undefined;
    }
  | { readonly type: 'treeVerified'; readonly version: number }
  | { readonly type: 'treeFailed'; readonly reason: string }
  | { readonly type: 'linesRead'; readonly version: number; readonly lines: readonly EntryLine[] }
  | { readonly type: 'hitsFound'; readonly seq: number; readonly hits: Int32Array; readonly isDone: boolean }
  | { readonly type: 'pathRead'; readonly seq: number; readonly answer: Answer<Transcript> }
  | { readonly type: 'compared'; readonly seq: number; readonly answer: Answer<Comparison> }
  | { readonly type: 'contextRead'; readonly seq: number; readonly answer: Answer<ContextView> };

/** Work that the tree asks for. */
export type TreeEffect =
  | {
      readonly type: 'readLines';
      readonly version: number;
      readonly ats: readonly number[];
      readonly words: readonly string[];
    }
  | {
      readonly type: 'searchTree';
      readonly seq: number;
      readonly version: number;
      readonly words: readonly string[];
      readonly within: Int32Array | undefined;
    }
  | { readonly type: 'stopSearch' }
  | {
      readonly type: 'readPath';
      readonly seq: number;
      readonly version: number;
      readonly at: number;
      readonly limit: number;
      readonly isMoving: boolean;
    }
  | {
      readonly type: 'compareEntries';
      readonly seq: number;
      readonly version: number;
      readonly a: number;
      readonly b: number;
    }
  /** Nobody waits for the comparison or the context any more. */
  | { readonly type: 'stopPanel' }
  | { readonly type: 'readContext'; readonly seq: number; readonly version: number; readonly at: number }
  | { readonly type: 'copyEntry'; readonly version: number; readonly at: number }
  /** Look whether the file has changed. */
  | { readonly type: 'checkTree' };

/** Which tree is shown. */
export interface TreeOptions {
  readonly path: string;
  /** What the session is called; '' to take it from the file. */
  readonly title: string;
  /** The entry that is selected first; undefined for the leaf. */
  readonly startId: string | undefined;
  /** Words to search for at once, so that one can go from hit to hit; in lower case. */
  readonly words?: readonly string[];
  /** Is a session only picked for a caller, so that no agent can be started? */
  readonly isPicking?: boolean;
}

/** A tree that is about to be read. */
export function createTreeView(
  { path, title, startId, words = [] }: TreeOptions,
  size: WindowSize,
  nowMs: number,
): TreeViewState {
  return {
    path,
    title,
    startId,
    startWords: words,
    size,
    nowMs,
    model: undefined,
    problem: undefined,
    version: 0,
    stamp: undefined,
    isVerified: false,
    filter: 'default',
    folds: new Set(),
    rows: undefined,
    hiddenByFilter: 0,
    hiddenHits: 0,
    anchor: -1,
    index: -1,
    top: 0,
    line: lineOf(),
    search: undefined,
    pending: undefined,
    isShowingLabelTimes: false,
    lines: new Map(),
    asked: new Set(),
    preview: undefined,
    marked: undefined,
    panel: undefined,
    notice: undefined,
    seq: 0,
  };
}

/** The position of the selected entry; −1 when there is no row. */
export function selectedAt({ rows, index }: TreeViewState): number {
  return rows?.at[index] ?? -1;
}

/** The words that rows are narrowed to and marked by: none while the line is empty. */
export function shownWords({ line, search }: TreeViewState): readonly string[] {
  return line.text.trim() === '' ? [] : (search?.words ?? []);
}
