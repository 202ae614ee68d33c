import { updateTreeScreen } from '../../src/model/tree-screen.ts';
import {
  createTreeScreen,
  type TreeScreenEffect,
  type TreeScreenEvent,
  type TreeScreenState,
} from '../../src/model/tree-screen-state.ts';
import type { TreeOptions } from '../../src/model/tree-state.ts';
import type { FileStamp } from '../../src/session/scan.ts';
import { skeletonOf, type TestEntry } from './trees.ts';

/** The file that the tree of these tests was read from. */
export const STAMP: FileStamp = { inode: 1, sizeBytes: 700, mtimeMs: 5 };

/** The machine of the tree's screen, with its session read. */
export class TreeScreenDriver {
  state: TreeScreenState;
  effects: TreeScreenEffect[] = [];

  constructor(entries: readonly TestEntry[], options: Partial<TreeOptions> = {}) {
    const all = { path: '/s/a.jsonl', title: '', startId: undefined, ...options };
    this.state = createTreeScreen(all, { columns: 80, rows: 24 }, 10_000_000);
    this.send({ type: 'treeRead', version: 1, skeleton: skeletonOf(entries), stamp: STAMP });
  }

  send(event: TreeScreenEvent): this {
    const [state, ...effects] = updateTreeScreen(this.state, event);
    this.state = state;
    this.effects.push(...effects);
    return this;
  }

  /** Keys by name; a printable one types itself. */
  press(...names: readonly string[]): this {
    return this.send({ type: 'keys', keys: names.map((name) => ({ name, text: name.length === 1 ? name : '' })) });
  }

  /** The last effect of a kind. */
  asked<T extends TreeScreenEffect['type']>(type: T): Extract<TreeScreenEffect, { type: T }> | undefined {
    return this.effects.findLast((effect): effect is Extract<TreeScreenEffect, { type: T }> => effect.type === type);
  }
}
