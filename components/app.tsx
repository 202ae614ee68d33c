import { Box, Text } from 'ink';
import { useState } from 'react';
import type { AppPorts } from '../hooks/ports.ts';
import { useBough } from '../hooks/use-app.ts';
import type { AppOptions, AppState } from '../src/model/app-state.ts';
import { headerLine, searchLine, tinyLines } from '../src/model/frame.ts';
import { layoutOf } from '../src/model/layout.ts';
import { overlayLines } from '../src/model/overlay-text.ts';
import { isMenu } from '../src/model/overlays.ts';
import { ActionMenu } from './action-menu.tsx';
import { LabelListScreen } from './label-list.tsx';
import { ScrollScreen } from './scroll-screen.tsx';
import { SearchLine } from './search-line.tsx';
import { SessionPicker } from './session-picker.tsx';
import { StatusBar } from './status-bar.tsx';
import { Styled } from './styled.tsx';
import { chooseTheme, ThemeContext } from './theme.ts';
import { TreeScreen } from './tree-screen.tsx';

export type { AppPorts } from '../hooks/ports.ts';
export type { AppExit, AppOptions } from '../src/model/app-state.ts';

interface Props {
  /** Read once, when the screens open. */
  readonly options: AppOptions;
  /** The same object all the time. */
  readonly ports: AppPorts;
}

/** The screens. They end through Ink's exit, whose value is an `AppExit`; Ink must leave Ctrl+C alone. */
export function App({ options, ports }: Props) {
  const [theme] = useState(() => chooseTheme(process.env));
  const [state, choose, treeListener] = useBough(options, ports);
  const { columns, rows } = state.size;
  return (
    <ThemeContext value={theme}>
      <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
        {state.tree === undefined ? (
          <Screen state={state} onChoose={choose} />
        ) : (
          <TreeScreen
            key={state.tree.path}
            options={{
              path: state.tree.path,
              title: state.tree.title,
              startId: state.tree.entryId,
              words: state.tree.words,
              isPicking: options.isPicking,
            }}
            ports={ports}
            listener={treeListener}
            firstKeys={state.tree.firstKeys}
          />
        )}
      </Box>
    </ThemeContext>
  );
}

function Screen({ state, onChoose }: { readonly state: AppState; readonly onChoose: (index: number) => void }) {
  const layout = layoutOf(state.size);
  if (layout.isTiny) return <Text>{tinyLines(state.size).join('\n')}</Text>;
  return (
    <>
      <Body state={state} onChoose={onChoose} />
      <StatusBar state={state} />
    </>
  );
}

function Body({ state, onChoose }: { readonly state: AppState; readonly onChoose: (index: number) => void }) {
  const overlay = state.overlays.at(-1);
  const layout = layoutOf(state.size);
  if (isMenu(overlay)) {
    return <ActionMenu menu={overlay} size={state.size} onChoose={onChoose} />;
  }
  if (overlay?.kind === 'labels') return <LabelListScreen list={overlay} size={state.size} nowMs={state.nowMs} />;
  if (overlay !== undefined) {
    const { heading, lines, rows } = overlayLines(state, overlay);
    return <ScrollScreen heading={heading} lines={lines} rows={rows} />;
  }
  return (
    <Box flexDirection="column" height={state.size.rows - 1}>
      {layout.hasHeader && <Styled lines={[headerLine(state)]} />}
      <SearchLine {...searchLine(state)} y={layout.hasHeader ? 1 : 0} />
      <SessionPicker state={state} layout={layout} />
    </Box>
  );
}
