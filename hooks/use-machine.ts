import { useState, useSyncExternalStore } from 'react';

/** A pure update: the state after an event, and the work that it asks for. */
type Update<State, Event, Effect> = (state: State, event: Event) => readonly [State, ...Effect[]];

/** Holds a state, feeds it events one at a time, and hands its effects on. */
class Machine<State, Event, Effect> {
  state: State;
  readonly #update: Update<State, Event, Effect>;
  readonly #listeners = new Set<() => void>();
  readonly #events: Event[] = [];
  #isBusy = false;
  /** Does the work; set before the first event that has any. */
  onEffect: (effect: Effect) => void = () => {};

  constructor(state: State, update: Update<State, Event, Effect>) {
    this.state = state;
    this.#update = update;
  }

  /** An event that an effect sends at once waits until the one before it is done. */
  readonly send = (event: Event): void => {
    this.#events.push(event);
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
        const [state, ...effects] = this.#update(this.state, next);
        this.state = state;
        for (const effect of effects) this.onEffect(effect);
      }
    } finally {
      this.#isBusy = false;
    }
    for (const listener of this.#listeners) listener();
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly read = (): State => this.state;
}

export type { Machine };

/** A pure update as React state: the state, and the machine to send events to, which never changes. */
export function useMachine<State, Event, Effect>(
  update: Update<State, Event, Effect>,
  create: () => State,
): readonly [State, Machine<State, Event, Effect>] {
  const [machine] = useState(() => new Machine(create(), update));
  return [useSyncExternalStore(machine.subscribe, machine.read), machine];
}
