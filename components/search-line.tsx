import { useCursor } from 'ink';
import type { Spans } from '../src/model/spans.ts';
import { Styled } from './styled.tsx';

interface Props {
  readonly line: Spans;
  /** The column of the cursor. */
  readonly cursor: number;
  /** The row of the window where it stands. */
  readonly y: number;
}

/** The search line with the terminal's own cursor in it, where input methods draw what is being composed. */
export function SearchLine({ line, cursor, y }: Props) {
  const { setCursorPosition } = useCursor();
  setCursorPosition({ x: cursor, y });
  return <Styled lines={[line]} />;
}
