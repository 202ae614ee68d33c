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
  #onEffect: ((effect: Effect) => void) | undefined;
  /** Work from before there was anyone to do it. */
  readonly #waiting: Effect[] = [];

  constructor(state: State, update: Update<State, Event, Effect>, before: readonly Event[]) {
    this.state = state;
    this.#update = update;
    before.forEach(this.send);
  }

  /** From now on, `onEffect` does the work. */
  set onEffect(onEffect: (effect: Effect) => void) {
    this.#onEffect = onEffect;
    this.#waiting.splice(0).forEach(onEffect);
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
        for (const effect of effects) {
          if (this.#onEffect === undefined) this.#waiting.push(effect);
          else this.#onEffect(effect);
        }
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

/**
 * A pure update as React state: the state, and the machine to send events to, which never changes. `before` are events from
 * before the first picture, which shows them already.
 */
export function useMachine<State, Event, Effect>(
  update: Update<State, Event, Effect>,
  create: () => State,
  before: () => readonly Event[] = () => [],
): readonly [State, Machine<State, Event, Effect>] {
  const [machine] = useState(() => new Machine(create(), update, before()));
  return [useSyncExternalStore(machine.subscribe, machine.read), machine];
}
