import { useWindowSize } from 'ink';
import { useEffect, useLayoutEffect, useMemo, useState } from 'react';
import type { RowBatch } from '../src/catalog/catalog.ts';
import { updateApp } from '../src/model/app.ts';
import { type AppEvent, type AppOptions, type AppState, createApp } from '../src/model/app-state.ts';
import type { AppPorts } from './ports.ts';
import { reasonOf, useEffects } from './use-effects.ts';
import { useKeyboard } from './use-keyboard.ts';
import { useMachine } from './use-machine.ts';
import type { TreeListener } from './use-tree.ts';

// Ages are told by the minute.
const TICK_MS = 30_000;
// Each batch redraws the list: gather those that come close together.
const GATHER_MS = 40;

/** Hands batches on, those within `GATHER_MS` as one; the first one with rows at once. */
class BatchGatherer {
  #rows: RowBatch['rows'] = [];
  #problems: RowBatch['problems'] = [];
  #gone: readonly string[] = [];
  #last: RowBatch | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasRows = false;
  readonly #send: (batch: RowBatch) => void;

  constructor(send: (batch: RowBatch) => void) {
    this.#send = send;
  }

  readonly add = (batch: RowBatch): void => {
    this.#rows = [...this.#rows, ...batch.rows];
    this.#problems = [...this.#problems, ...batch.problems];
    this.#gone = [...this.#gone, ...(batch.gone ?? [])];
    this.#last = batch;
    if (this.#hasRows || batch.rows.length === 0) this.#timer ??= setTimeout(() => this.flush(), GATHER_MS);
    else this.flush();
    this.#hasRows ||= batch.rows.length > 0;
  };

  flush(): void {
    this.stop();
    const last = this.#last;
    if (last === undefined) return;
    const batch = { ...last, rows: this.#rows, problems: this.#problems, gone: this.#gone };
    this.#rows = [];
    this.#problems = [];
    this.#gone = [];
    this.#last = undefined;
    this.#send(batch);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

type Choose = (index: number) => void;

/**
 * Joins machine, keyboard, effects, clock and catalog: the state to draw, what to do when a menu's item is chosen, and who
 * hears of an open tree.
 */
export function useBough(options: AppOptions, ports: AppPorts): readonly [AppState, Choose, TreeListener] {
  const size = useWindowSize();
  const { columns, rows } = size;
  const [seen] = useState(() => ports.list.held.length);
  const [state, machine] = useMachine(
    updateApp,
    () => createApp(options, { columns, rows }, ports.now()),
    (): AppEvent[] => ports.list.held.slice(0, seen).map((batch) => ({ type: 'rowsRead', batch })),
  );
  const { send } = machine;
  const doEffect = useEffects(ports, send);
  // Before any event can come: those are sent by effects and keys.
  useLayoutEffect(() => {
    machine.onEffect = doEffect;
  });
  useKeyboard(
    (keys) => send({ type: 'keys', keys }),
    (text) => send({ type: 'paste', text }),
  );
  useEffect(() => send({ type: 'resized', size: { columns, rows } }), [columns, rows, send]);
  useEffect(() => {
    const timer = setInterval(() => send({ type: 'ticked', nowMs: ports.now() }), TICK_MS);
    return () => clearInterval(timer);
  }, [ports, send]);
  useEffect(() => {
    const gatherer = new BatchGatherer((batch) => send({ type: 'rowsRead', batch }));
    ports.list.listen(gatherer.add, seen).then(
      () => {
        gatherer.flush();
        send({ type: 'allRead' });
        ports.catalog.watch((changes) => send({ type: 'sessionsChanged', changes }));
      },
      (error: unknown) => send({ type: 'readingFailed', reason: reasonOf(error) }),
    );
    return () => gatherer.stop();
  }, [ports, send, seen]);
  const choose = useMemo(() => (index: number) => send({ type: 'chosen', index }), [send]);
  const treeListener = useMemo(
    (): TreeListener => ({
      onShown: () => send({ type: 'treeShown' }),
      onExit: (exit) => send({ type: 'treeLeft', exit }),
    }),
    [send],
  );
  return [state, choose, treeListener];
}
