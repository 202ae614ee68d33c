import { closeTop } from './tree-changes.ts';
import { createTreeScreen, type TreeScreenEffect, type TreeScreenState } from './tree-screen-state.ts';
import { updateTree } from './tree-view.ts';

/** Goes to the tree of another session, at an entry, from a list over this one; this one waits behind it as it is. */
export function visitTree(
  state: TreeScreenState,
  path: string,
  entryId: string,
  effects: TreeScreenEffect[],
): TreeScreenState {
  const { isPicking, view } = state;
  effects.push({ type: 'openTree', path });
  return {
    ...createTreeScreen({ path, title: '', startId: entryId, isPicking }, view.size, view.nowMs),
    behind: { ...closeTop(state), asking: undefined },
    seq: state.seq,
  };
}

/** Goes back to the tree that one came from. It is read again, since it may have changed meanwhile. */
export function returnToTree(
  { view, seq }: TreeScreenState,
  behind: TreeScreenState,
  effects: TreeScreenEffect[],
): TreeScreenState {
  const { path } = behind.view;
  effects.push({ type: 'openTree', path });
  const { nowMs, size } = view;
  const [resized, ...asked] = updateTree({ ...behind.view, nowMs }, { type: 'treeResized', size });
  effects.push(...asked);
  return { ...behind, view: resized, seq };
}
