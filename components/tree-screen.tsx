import { Box, Text } from 'ink';
import { type TreeListener, type TreePorts, useTree } from '../hooks/use-tree.ts';
import { tinyLines } from '../src/model/frame.ts';
import type { KeyPress } from '../src/model/key-names.ts';
import { layoutOf } from '../src/model/layout.ts';
import { isMenu } from '../src/model/overlays.ts';
import { coverOf, treeInputLine, treeStatus } from '../src/model/tree-frame.ts';
import type { TreeScreenState } from '../src/model/tree-screen-state.ts';
import type { TreeOptions } from '../src/model/tree-state.ts';
import { treeHeader } from '../src/model/tree-text.ts';
import { ActionMenu } from './action-menu.tsx';
import { LabelListScreen } from './label-list.tsx';
import { ScrollScreen } from './scroll-screen.tsx';
import { SearchLine } from './search-line.tsx';
import { SessionTree } from './session-tree.tsx';
import { Styled } from './styled.tsx';

export type { TreeListener, TreePorts } from '../hooks/use-tree.ts';
export type { TreeExit } from '../src/model/tree-screen-state.ts';
export type { TreeOptions } from '../src/model/tree-state.ts';

interface Props {
  /** Read once, when the screen opens. */
  readonly options: TreeOptions;
  /** The same object all the time. */
  readonly ports: TreePorts;
  /** The same object all the time. */
  readonly listener: TreeListener;
  /** Keys that were pressed before it was there, and are meant for it; it may grow until `onShown`. */
  readonly firstKeys: readonly KeyPress[];
}

/** A session's tree on the whole screen. */
export function TreeScreen({ options, ports, listener, firstKeys }: Props) {
  const [state, choose] = useTree(options, ports, listener, firstKeys);
  const { size } = state.view;
  if (layoutOf(size).isTiny) return <Text>{tinyLines(size).join('\n')}</Text>;
  return (
    <>
      <Body state={state} onChoose={choose} />
      <Styled lines={[treeStatus(state)]} />
    </>
  );
}

function Body({ state, onChoose }: { readonly state: TreeScreenState; readonly onChoose: (index: number) => void }) {
  const { view, overlays } = state;
  const overlay = overlays.at(-1);
  if (isMenu(overlay)) return <ActionMenu menu={overlay} size={view.size} onChoose={onChoose} />;
  const cover = coverOf(state);
  if (cover !== undefined) return <ScrollScreen {...cover} />;
  if (overlay?.kind === 'labels') return <LabelListScreen list={overlay} size={view.size} nowMs={view.nowMs} />;
  const { hasHeader } = layoutOf(view.size);
  return (
    <Box flexDirection="column" height={view.size.rows - 1}>
      {hasHeader && <Styled lines={[treeHeader(view)]} />}
      <SearchLine {...treeInputLine(state)} y={hasHeader ? 1 : 0} />
      <SessionTree view={view} />
    </Box>
  );
}
