import { Box, Text } from 'ink';
import { useState } from 'react';
import type { HistoryPorts } from '../hooks/history-ports.ts';
import { useHistory } from '../hooks/use-history.ts';
import { tinyLines } from '../src/model/frame.ts';
import { historyHeader, historyOverlayLines, historySearchLine, historyStatus } from '../src/model/history-frame.ts';
import type { HistoryOptions, HistoryState } from '../src/model/history-state.ts';
import { layoutOf } from '../src/model/layout.ts';
import { isMenu } from '../src/model/overlays.ts';
import { ActionMenu } from './action-menu.tsx';
import { HistoryList } from './history-list.tsx';
import { ScrollScreen } from './scroll-screen.tsx';
import { SearchLine } from './search-line.tsx';
import { Styled } from './styled.tsx';
import { chooseTheme, ThemeContext } from './theme.ts';

export type { HistoryPorts } from '../hooks/history-ports.ts';
export type { HistoryExit, HistoryOptions } from '../src/model/history-state.ts';

interface Props {
  /** Read once, when the screen opens. */
  readonly options: HistoryOptions;
  /** The same object all the time. */
  readonly ports: HistoryPorts;
}

/** The prompt history. It ends through Ink's exit, whose value is a `HistoryExit`; Ink must leave Ctrl+C alone. */
export function HistoryApp({ options, ports }: Props) {
  const [theme] = useState(() => chooseTheme(process.env));
  const [state, choose] = useHistory(options, ports);
  const { columns, rows } = state.size;
  const layout = layoutOf(state.size);
  return (
    <ThemeContext value={theme}>
      <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
        {layout.isTiny ? (
          <Text>{tinyLines(state.size).join('\n')}</Text>
        ) : (
          <>
            <Body state={state} onChoose={choose} />
            <Styled lines={[historyStatus(state)]} />
          </>
        )}
      </Box>
    </ThemeContext>
  );
}

function Body({ state, onChoose }: { readonly state: HistoryState; readonly onChoose: (index: number) => void }) {
  const overlay = state.overlays.at(-1);
  const layout = layoutOf(state.size);
  if (isMenu(overlay)) return <ActionMenu menu={overlay} size={state.size} onChoose={onChoose} />;
  if (overlay !== undefined) return <ScrollScreen {...historyOverlayLines(state, overlay)} />;
  return (
    <Box flexDirection="column" height={state.size.rows - 1}>
      {layout.hasHeader && <Styled lines={[historyHeader(state)]} />}
      <SearchLine {...historySearchLine(state)} y={layout.hasHeader ? 1 : 0} />
      <HistoryList state={state} layout={layout} />
    </Box>
  );
}
