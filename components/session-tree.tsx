import { Box, Text } from 'ink';
import { span } from '../src/model/spans.ts';
import { treeWindow } from '../src/model/tree-frame.ts';
import { treeLayoutOf } from '../src/model/tree-layout.ts';
import type { TreeViewState } from '../src/model/tree-state.ts';
import { emptyTree, previewRoom } from '../src/model/tree-text.ts';
import { Styled } from './styled.tsx';
import { TreeRow } from './tree-row.tsx';

/** The rows of the window, and the path to the selected one beside or below them. */
export function SessionTree({ view }: { readonly view: TreeViewState }) {
  const { listColumns, listRows, preview: place } = treeLayoutOf(view.size);
  const rows = treeWindow(view);
  const list = (
    <Box flexDirection="column" width={listColumns} height={listRows}>
      {rows.map(({ at, line, isSelected }) => (
        <TreeRow key={at} line={line} isSelected={isSelected} />
      ))}
      {rows.length === 0 && <Styled lines={emptyTree(view).slice(0, listRows)} />}
    </Box>
  );
  if (place === undefined) return list;
  const { lines } = previewRoom(view);
  const filled = Array.from({ length: place.rows }, (_, index) => lines[index] ?? []);
  if (place.place === 'right') {
    return (
      <Box>
        {list}
        <Box width={place.columns + 3}>
          <Styled lines={filled.map((line) => [span(' │ ', 'faint'), ...line])} />
        </Box>
      </Box>
    );
  }
  return (
    <Box flexDirection="column">
      {list}
      <Text wrap="truncate" dimColor>
        {'─'.repeat(listColumns)}
      </Text>
      <Styled lines={filled} />
    </Box>
  );
}
