import { Text } from 'ink';
import { memo } from 'react';
import type { SessionRow as Row } from '../src/model/row-text.ts';
import { hitLine, type RowView, sessionLine } from '../src/model/session-line.ts';
import { span } from '../src/model/spans.ts';
import type { TextHit } from '../src/model/text-hits.ts';
import { useTheme } from './theme.ts';

interface Props {
  readonly row: Row;
  readonly view: RowView;
  readonly isSelected: boolean;
}

interface HitProps {
  readonly hit: TextHit;
  /** The session that it stands in. */
  readonly row: Row | undefined;
  readonly view: RowView;
  readonly isSelected: boolean;
}

/** One place in a session's text, one line. */
export const HitRow = memo(function HitRow({ hit, row, view, isSelected }: HitProps) {
  const theme = useTheme();
  const line = hitLine(hit, row, view);
  return (
    <Text wrap="truncate">{isSelected ? theme.select([span('❯ '), ...line]) : theme.paint([span('  '), ...line])}</Text>
  );
});

/** One session, one line. */
export const SessionRow = memo(function SessionRow({ row, view, isSelected }: Props) {
  const theme = useTheme();
  const line = sessionLine(row, view);
  return (
    <Text wrap="truncate">{isSelected ? theme.select([span('❯ '), ...line]) : theme.paint([span('  '), ...line])}</Text>
  );
});
