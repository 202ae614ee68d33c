import type { LabelsFound } from '../catalog/catalog.ts';
import type { BranchAnswer, BranchDialog, BranchPoint, BranchWay, BranchWish, TreeChoice } from './branch-dialog.ts';
import type { KeyPress } from './key-names.ts';
import type { TreeMode } from './keymap.ts';
import type { LabelList } from './label-list.ts';
import type { WindowSize } from './layout.ts';
import type { Line } from './line-edit.ts';
import type { Menu } from './overlays.ts';
import { createTreeView, type TreeEffect, type TreeEvent, type TreeOptions, type TreeViewState } from './tree-state.ts';

/** How the screen ended. */
export type TreeExit =
  | { readonly kind: 'left' }
  | { readonly kind: 'interrupted' }
  /** The session is to go on from an entry. */
  | { readonly kind: 'branch'; readonly wish: BranchWish };

/** A line of text that is asked for, in the place of the search line: an entry's label, or a summary. */
export type TextField = { readonly kind: 'field'; readonly line: Line } & (
  | { readonly use: 'label'; readonly entryId: string }
  | { readonly use: 'summary'; readonly dialog: BranchDialog; readonly way: BranchWay }
);

/** What lies over the tree. */
export type TreeOverlay =
  | (Menu<TreeChoice> & { readonly kind: 'menu' })
  | BranchDialog
  | TextField
  | LabelList
  | { readonly kind: 'help'; readonly top: number };

/** The tree with what lies over it. */
export interface TreeScreenState {
  readonly view: TreeViewState;
  readonly isPicking: boolean;
  /** The last one has the keys. */
  readonly overlays: readonly TreeOverlay[];
  /** The entry at which branching is looked into. */
  readonly asking: (BranchPoint & { readonly seq: number }) | undefined;
  /** What the screen ends with as soon as a text was copied. */
  readonly leavingWith: BranchWish | undefined;
  /** Keys that came before a search found anything and must act on its hits. */
  readonly waiting: readonly KeyPress[];
  readonly exit: TreeExit | undefined;
  /** The tree that one came from, as it was left. */
  readonly behind: TreeScreenState | undefined;
  /** The last number given to a question about branching or labels. */
  readonly seq: number;
}

/** What happens to the screen. */
export type TreeScreenEvent =
  | TreeEvent
  | { readonly type: 'keys'; readonly keys: readonly KeyPress[] }
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'noticed'; readonly notice: NonNullable<TreeViewState['notice']> }
  | { readonly type: 'labelsFound'; readonly seq: number; readonly found: LabelsFound }
  | { readonly type: 'branchPlanned'; readonly seq: number; readonly answer: BranchAnswer }
  /** The text of the message was copied, or could not be: what to say of it. */
  | { readonly type: 'copied'; readonly said: string }
  /** An item of the menu on top was chosen. */
  | { readonly type: 'chosen'; readonly index: number };

/** Work that leaves the model, as data. */
export type TreeScreenEffect =
  | TreeEffect
  /** An empty label clears. */
  | { readonly type: 'setLabel'; readonly entryId: string; readonly label: string; readonly seen: BranchPoint['seen'] }
  | { readonly type: 'planBranch'; readonly seq: number; readonly point: BranchPoint }
  /** Copies, and tells when that is done. */
  | { readonly type: 'copyFirst'; readonly text: string }
  | { readonly type: 'undo' }
  /** From now on another tree is read, and what was asked of the one before is nobody's. */
  | { readonly type: 'openTree'; readonly path: string }
  | { readonly type: 'readLabels'; readonly seq: number }
  | { readonly type: 'stopLabels' }
  | { readonly type: 'suspend' }
  | { readonly type: 'redraw' }
  | { readonly type: 'exit'; readonly exit: TreeExit };

/** The screen before its session was read. */
export function createTreeScreen(options: TreeOptions, size: WindowSize, nowMs: number): TreeScreenState {
  return {
    view: createTreeView(options, size, nowMs),
    isPicking: options.isPicking === true,
    overlays: [],
    asking: undefined,
    leavingWith: undefined,
    waiting: [],
    exit: undefined,
    behind: undefined,
    seq: 0,
  };
}

/** Where keys go now. */
export function treeMode({ view, overlays }: TreeScreenState): TreeMode | TreeOverlay['kind'] {
  return overlays.at(-1)?.kind ?? (view.panel === undefined ? 'tree' : 'treePanel');
}
