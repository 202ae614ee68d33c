import { useApp, useWindowSize } from 'ink';
import { useEffect, useLayoutEffect, useMemo } from 'react';
import { updateHistory } from '../src/model/history.ts';
import {
  createHistory,
  type HistoryEffect,
  type HistoryEvent,
  type HistoryOptions,
  type HistoryState,
} from '../src/model/history-state.ts';
import type { HistoryPorts } from './history-ports.ts';
import { reasonOf } from './use-effects.ts';
import { useKeyboard } from './use-keyboard.ts';
import { useMachine } from './use-machine.ts';
import { useSuspend } from './use-suspend.ts';

// Ages are told by the minute.
const TICK_MS = 30_000;
const TRANSCRIPT_ITEMS = 2_000;

/** What does the work that the machine asks for. The only one that ends the screen. */
function useHistoryEffects(
  { history, copy }: HistoryPorts,
  send: (event: HistoryEvent) => void,
): (effect: HistoryEffect) => void {
  const { exit } = useApp();
  const suspend = useSuspend();
  return (effect) => {
    switch (effect.type) {
      case 'search': {
        const { seq, query, folders } = effect;
        history
          .search(query, folders, (news) => send({ type: 'found', seq, news }))
          .catch((error: unknown) => send({ type: 'searchFailed', seq, reason: reasonOf(error) }));
        return;
      }
      case 'findPlaces': {
        const { seq, prompt } = effect;
        history.places(prompt).then(
          (places) => send({ type: 'placesFound', seq, places }),
          (error: unknown) => send({ type: 'placesFailed', seq, reason: reasonOf(error) }),
        );
        return;
      }
      case 'readPlace': {
        const { seq, place } = effect;
        history.transcriptAt(place.path, place.entryId, TRANSCRIPT_ITEMS).then(
          (answer) => send({ type: 'transcriptRead', seq, answer }),
          (error: unknown) => send({ type: 'transcriptFailed', seq, reason: reasonOf(error) }),
        );
        return;
      }
      case 'copy':
        copy(effect.text).then(
          (text) => send({ type: 'noticed', notice: { text, isWarning: false } }),
          (error: unknown) => send({ type: 'noticed', notice: { text: reasonOf(error), isWarning: true } }),
        );
        return;
      case 'redraw':
      case 'suspend':
        suspend(effect.type);
        return;
      case 'exit':
        exit(effect.exit);
        return;
    }
  };
}

/** Joins machine, keyboard, effects and clock: the state to draw, and what to do when a menu's item is chosen. */
export function useHistory(
  options: HistoryOptions,
  ports: HistoryPorts,
): readonly [HistoryState, (index: number) => void] {
  const { columns, rows } = useWindowSize();
  const [state, machine] = useMachine(updateHistory, () => createHistory(options, { columns, rows }, ports.now()));
  const { send } = machine;
  const doEffect = useHistoryEffects(ports, send);
  // Before any event can come: those are sent by effects and keys.
  useLayoutEffect(() => {
    machine.onEffect = doEffect;
  });
  useKeyboard(
    (keys) => send({ type: 'keys', keys }),
    (text) => send({ type: 'paste', text }),
  );
  useEffect(() => send({ type: 'resized', size: { columns, rows } }), [columns, rows, send]);
  useEffect(() => send({ type: 'started' }), [send]);
  useEffect(() => {
    const timer = setInterval(() => send({ type: 'ticked', nowMs: ports.now() }), TICK_MS);
    return () => clearInterval(timer);
  }, [ports, send]);
  const choose = useMemo(() => (index: number) => send({ type: 'chosen', index }), [send]);
  return [state, choose];
}
