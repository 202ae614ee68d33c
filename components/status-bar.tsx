import type { AppState } from '../src/model/app-state.ts';
import { statusLine } from '../src/model/frame.ts';
import { Styled } from './styled.tsx';

/** The bottom line: a notice, or the keys of this moment. */
export function StatusBar({ state }: { readonly state: AppState }) {
  return <Styled lines={[statusLine(state)]} />;
}
