import { Box, Text } from 'ink';
import { memo, useMemo } from 'react';
import { historyEmptyLines } from '../src/model/history-frame.ts';
import { type PromptRowView, promptColumns, promptHeading, promptRow } from '../src/model/history-line.ts';
import { promptPreview } from '../src/model/history-preview.ts';
import { type HistoryState, type PromptGroup, selectedGroup } from '../src/model/history-state.ts';
import type { Layout } from '../src/model/layout.ts';
import { span } from '../src/model/spans.ts';
import { Styled } from './styled.tsx';
import { useTheme } from './theme.ts';

interface RowProps {
  readonly group: PromptGroup;
  readonly view: PromptRowView;
  readonly isSelected: boolean;
}

const Row = memo(function Row({ group, view, isSelected }: RowProps) {
  const theme = useTheme();
  const line = promptRow(group, view);
  return (
    <Text wrap="truncate">{isSelected ? theme.select([span('❯ '), ...line]) : theme.paint([span('  '), ...line])}</Text>
  );
});

interface Props {
  readonly state: HistoryState;
  readonly layout: Layout;
}

function Preview({ state, layout }: Props) {
  const group = selectedGroup(state);
  const { preview: place } = layout;
  if (place === undefined) return null;
  const { columns: cells, rows } = place;
  const { nowMs, options, shownQuery: query, scroll } = state;
  const view = { cells, rows, home: options.home, nowMs, query, scroll };
  const lines = group === undefined ? [] : promptPreview(group, view).lines;
  const filled = Array.from({ length: rows }, (_, index) => lines[index] ?? []);
  if (place.place === 'below') return <Styled lines={filled} />;
  return (
    <Box width={cells + 3}>
      <Styled lines={filled.map((line) => [span(' │ ', 'faint'), ...line])} />
    </Box>
  );
}

/** The prompts, and the whole of the selected one beside the list or below it. */
export function HistoryList({ state, layout }: Props) {
  const { groups, top, index, nowMs, scope, shownQuery: query } = state;
  const { listColumns, listRows, hasHeadings, preview } = layout;
  const view = useMemo(
    () => ({ columns: promptColumns(listColumns, scope === 'all'), query, nowMs }),
    [listColumns, scope, query, nowMs],
  );
  const list = (
    <Box flexDirection="column" width={listColumns} height={listRows + (hasHeadings ? 1 : 0)}>
      {hasHeadings && <Styled lines={[[span(promptHeading(view.columns), 'faint')]]} />}
      {groups.slice(top, top + listRows).map((group, row) => (
        <Row key={group.id} group={group} view={view} isSelected={top + row === index} />
      ))}
      {groups.length === 0 && <Styled lines={historyEmptyLines(state, listColumns).slice(0, listRows)} />}
    </Box>
  );
  if (preview?.place === 'right') {
    return (
      <Box>
        {list}
        <Preview state={state} layout={layout} />
      </Box>
    );
  }
  return (
    <Box flexDirection="column">
      {list}
      {preview !== undefined && <Styled lines={[[span('─'.repeat(listColumns), 'faint')]]} />}
      <Preview state={state} layout={layout} />
    </Box>
  );
}
