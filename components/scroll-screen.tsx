import { Box } from 'ink';
import type { Spans } from '../src/model/spans.ts';
import { Styled } from './styled.tsx';

interface Props {
  readonly heading: Spans;
  /** The lines in sight. */
  readonly lines: readonly Spans[];
  readonly rows: number;
}

/** A screen of text under a heading: the transcript, the help. */
export function ScrollScreen({ heading, lines, rows }: Props) {
  return (
    <Box flexDirection="column" height={rows + 1}>
      <Styled lines={[heading, ...lines]} />
    </Box>
  );
}
