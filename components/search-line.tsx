import { useCursor } from 'ink';
import type { AppState } from '../src/model/app-state.ts';
import { searchLine } from '../src/model/frame.ts';
import { Styled } from './styled.tsx';

interface Props {
  readonly state: AppState;
  /** The row of the window where it stands. */
  readonly y: number;
}

/** The search line with the terminal's own cursor in it, where input methods draw what is being composed. */
export function SearchLine({ state, y }: Props) {
  const { setCursorPosition } = useCursor();
  const { line, cursor } = searchLine(state);
  setCursorPosition({ x: cursor, y });
  return <Styled lines={[line]} />;
}
