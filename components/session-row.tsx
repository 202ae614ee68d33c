import { Text } from 'ink';
import { memo } from 'react';
import type { SessionRow as Row } from '../src/model/row-text.ts';
import { type RowView, sessionLine } from '../src/model/session-line.ts';
import { span } from '../src/model/spans.ts';
import { useTheme } from './theme.ts';

interface Props {
  readonly row: Row;
  readonly view: RowView;
  readonly isSelected: boolean;
}

/** One session, one line. */
export const SessionRow = memo(function SessionRow({ row, view, isSelected }: Props) {
  const theme = useTheme();
  const line = sessionLine(row, view);
  return (
    <Text wrap="truncate">{isSelected ? theme.select([span('❯ '), ...line]) : theme.paint([span('  '), ...line])}</Text>
  );
});
