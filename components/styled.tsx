import { Text } from 'ink';
import { memo } from 'react';
import type { Spans } from '../src/model/spans.ts';
import { useTheme } from './theme.ts';

/** Lines as one text of ready styles: by far the cheapest that Ink can draw. They are cut to size already. */
export const Styled = memo(function Styled({ lines }: { readonly lines: readonly Spans[] }) {
  const theme = useTheme();
  // An empty text would take no line.
  return <Text wrap="truncate">{lines.map((line) => theme.paint(line) || ' ').join('\n')}</Text>;
});
