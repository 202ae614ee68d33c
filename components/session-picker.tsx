import { Box, Text } from 'ink';
import { useMemo } from 'react';
import type { AppState } from '../src/model/app-state.ts';
import { emptyLines, folderColumn } from '../src/model/frame.ts';
import type { Layout } from '../src/model/layout.ts';
import { selectedRow } from '../src/model/picker.ts';
import { headingLine, rowColumns } from '../src/model/session-line.ts';
import { span } from '../src/model/spans.ts';
import { Preview } from './preview.tsx';
import { SessionLines } from './session-lines.tsx';
import { Styled } from './styled.tsx';

interface Props {
  readonly state: AppState;
  readonly layout: Layout;
}

/** The list, and the preview beside or below it. */
export function SessionPicker({ state, layout }: Props) {
  const { picker, nowMs, options, preview } = state;
  const { listColumns, listRows, hasHeadings } = layout;
  const { words } = picker.query;
  const folder = folderColumn(picker);
  const { home } = options;
  const view = useMemo(
    () => ({ columns: rowColumns(listColumns, folder), folder, home, words, nowMs }),
    [listColumns, folder, home, words, nowMs],
  );
  const rows = picker.shown.slice(picker.top, picker.top + listRows);
  const firstHit = Math.max(0, picker.top - picker.shown.length);
  const hits = picker.shownTexts.slice(firstHit, firstHit + listRows - rows.length);
  const list = (
    <Box flexDirection="column" width={listColumns} height={listRows + (hasHeadings ? 1 : 0)}>
      {hasHeadings && <Styled lines={[[span(headingLine(view.columns, folder), 'faint')]]} />}
      {rows.length + hits.length > 0 && (
        <SessionLines
          rows={rows}
          hits={hits}
          rowOf={({ path }) => picker.rows.get(path)}
          view={view}
          selected={picker.selected}
        />
      )}
      {rows.length === 0 && hits.length === 0 && <Styled lines={emptyLines(state, listColumns).slice(0, listRows)} />}
    </Box>
  );
  const place = layout.preview;
  if (place === undefined) return list;
  const side = (
    <Preview
      row={selectedRow(picker)}
      loaded={preview.loaded}
      place={place.place}
      columns={place.columns}
      rows={place.rows}
      home={home}
      nowMs={nowMs}
      scroll={preview.scroll}
    />
  );
  if (place.place === 'right') {
    return (
      <Box>
        {list}
        {side}
      </Box>
    );
  }
  return (
    <Box flexDirection="column">
      {list}
      <Text wrap="truncate" dimColor>
        {'─'.repeat(listColumns)}
      </Text>
      {side}
    </Box>
  );
}
