import { Box } from 'ink';
import { labelHeading, labelSearchLine, labelWindow, noLabels } from '../src/model/label-frame.ts';
import type { LabelList } from '../src/model/label-list.ts';
import type { WindowSize } from '../src/model/layout.ts';
import { SearchLine } from './search-line.tsx';
import { Styled } from './styled.tsx';
import { TreeRow } from './tree-row.tsx';

interface Props {
  readonly list: LabelList;
  readonly size: WindowSize;
  readonly nowMs: number;
}

/** The labels of all sessions on the whole screen. */
export function LabelListScreen({ list, size, nowMs }: Props) {
  const rows = labelWindow(list, size, nowMs);
  return (
    <Box flexDirection="column" height={size.rows - 1}>
      <Styled lines={[labelHeading(list, size)]} />
      <SearchLine {...labelSearchLine(list, size)} y={1} />
      {rows.map(({ key, line, isSelected }) => (
        <TreeRow key={key} line={line} isSelected={isSelected} />
      ))}
      {rows.length === 0 && <Styled lines={noLabels(list, size)} />}
    </Box>
  );
}
