import { Text } from 'ink';
import { memo } from 'react';
import { type Spans, span } from '../src/model/spans.ts';
import { useTheme } from './theme.ts';

interface Props {
  readonly line: Spans;
  readonly isSelected: boolean;
}

/** One entry, one line. */
export const TreeRow = memo(function TreeRow({ line, isSelected }: Props) {
  const theme = useTheme();
  return (
    <Text wrap="truncate">{isSelected ? theme.select([span('› '), ...line]) : theme.paint([span('  '), ...line])}</Text>
  );
});
