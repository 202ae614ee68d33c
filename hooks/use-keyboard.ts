import type { EventEmitter } from 'node:events';
import { useInput, usePaste, useStdin } from 'ink';
import { useEffect, useRef } from 'react';
import { type KeyPress, keyPresses } from '../src/model/key-names.ts';

/** What is pressed and pasted, while it is used. The only reader of keys but for the short menus. */
export function useKeyboard(onKeys: (keys: readonly KeyPress[]) => void, onPaste: (text: string) => void): void {
  // Ink reports F1, F2 and F3 all alike, as nothing; what the terminal sent tells them apart. This listener is registered
  // before that of useInput, so the sequence is always that of the key at hand.
  const sequence = useRef('');
  const { internal_eventEmitter: keys } = useStdin() as { readonly internal_eventEmitter?: EventEmitter };
  useEffect(() => {
    const remember = (data: unknown): void => {
      sequence.current = typeof data === 'string' ? data : '';
    };
    keys?.on('input', remember);
    return () => {
      keys?.off('input', remember);
    };
  }, [keys]);
  useInput((input, key) => {
    const presses = keyPresses(input, key, sequence.current);
    if (presses.length > 0) onKeys(presses);
  });
  usePaste(onPaste);
}
