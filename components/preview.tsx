import { Box } from 'ink';
import { memo } from 'react';
import { type Loaded, previewLines } from '../src/model/preview.ts';
import type { SessionRow } from '../src/model/row-text.ts';
import { span } from '../src/model/spans.ts';
import { Styled } from './styled.tsx';

interface Props {
  readonly row: SessionRow | undefined;
  readonly loaded: Loaded;
  readonly place: 'right' | 'below';
  readonly columns: number;
  readonly rows: number;
  readonly home: string;
  readonly nowMs: number;
  readonly scroll: number;
}

/** What the selected session is about, beside the list or below it. */
export const Preview = memo(function Preview({ row, loaded, place, columns, rows, home, nowMs, scroll }: Props) {
  const lines = row === undefined ? [] : previewLines(row, loaded, { cells: columns, rows, home, nowMs, scroll }).lines;
  const filled = Array.from({ length: rows }, (_, index) => lines[index] ?? []);
  if (place === 'below') return <Styled lines={filled} />;
  return (
    <Box width={columns + 3}>
      <Styled lines={filled.map((line) => [span(' │ ', 'faint'), ...line])} />
    </Box>
  );
});
