import { useWindowSize } from 'ink';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { TreeNews, TreeReader } from '../src/catalog/tree-client.ts';
import type { KeyPress } from '../src/model/key-names.ts';
import { updateTreeScreen } from '../src/model/tree-screen.ts';
import {
  createTreeScreen,
  type TreeExit,
  type TreeScreenEffect,
  type TreeScreenEvent,
  type TreeScreenState,
} from '../src/model/tree-screen-state.ts';
import type { Answer, TreeOptions } from '../src/model/tree-state.ts';
import type { AppPorts, ChangePorts } from './ports.ts';
import { reasonOf } from './use-effects.ts';
import { useKeyboard } from './use-keyboard.ts';
import { useMachine } from './use-machine.ts';
import { useSuspend } from './use-suspend.ts';

/** What the tree needs from outside. */
export type TreePorts = Pick<AppPorts, 'catalog' | 'now' | 'copy'> & ChangePorts;

/** Who opened the tree. */
export interface TreeListener {
  /** From now on the tree takes the keys. */
  onShown(): void;
  onExit(exit: TreeExit): void;
}

// The tree of a session that an agent works on grows before one's eyes.
const TICK_MS = 2_000;
// Who holds an arrow key down reads nothing on the way.
const PREVIEW_PAUSE_MS = 40;

type Send = (event: TreeScreenEvent) => void;

function eventOf(news: TreeNews): TreeScreenEvent {
  switch (news.kind) {
    case 'tree':
      return { type: 'treeRead', version: news.version, skeleton: news.skeleton, stamp: news.stamp };
    case 'verified':
      return { type: 'treeVerified', version: news.version };
    case 'failed':
      return { type: 'treeFailed', reason: reasonOf(news.error) };
  }
}

/** One open tree: reads what the machine asks for, and tells it what came, until it is closed. */
class TreeWorker {
  readonly #ports: TreePorts;
  readonly #send: Send;
  readonly #path: string;
  #reader: TreeReader | undefined;
  #stopSearch: (() => void) | undefined;
  #stopLabels: (() => void) | undefined;
  #panel = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: TreePorts, path: string, send: Send) {
    this.#ports = ports;
    this.#path = path;
    this.#send = (event) => {
      // Another tree may be shown by now; what became of a change is told all the same.
      if (this.#reader !== undefined || event.type === 'noticed') send(event);
    };
  }

  open(): void {
    this.#reader = this.#ports.catalog.tree(this.#path, (news) => this.#send(eventOf(news)));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#panel.abort();
    this.#stopSearch?.();
    this.#reader?.close();
    this.#reader = undefined;
  }

  /** Work on the tree; what belongs to the terminal is the screen's. */
  do(effect: Exclude<TreeScreenEffect, { type: 'openTree' | 'suspend' | 'redraw' | 'exit' }>): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    switch (effect.type) {
      case 'readLines': {
        const { version, ats, words } = effect;
        this.#ask(reader.lines(version, ats, words), (lines) => this.#send({ type: 'linesRead', version, lines }));
        return;
      }
      case 'searchTree': {
        const { seq, version, words, within } = effect;
        this.#stopSearch?.();
        this.#stopSearch = reader.search(version, words, within, (hits, isDone) =>
          this.#send({ type: 'hitsFound', seq, hits, isDone }),
        );
        return;
      }
      case 'stopSearch':
        this.#stopSearch?.();
        return;
      case 'readPath': {
        const { seq, version, at, limit, isMoving } = effect;
        clearTimeout(this.#timer);
        const read = (): void =>
          this.#answer(reader.path(version, at, limit), (answer) => this.#send({ type: 'pathRead', seq, answer }));
        this.#timer = setTimeout(read, isMoving ? PREVIEW_PAUSE_MS : 0);
        return;
      }
      case 'compareEntries': {
        const { seq, version, a, b } = effect;
        const question = reader.compare(version, a, b, this.#newPanel());
        this.#answer(question, (answer) => this.#send({ type: 'compared', seq, answer }));
        return;
      }
      case 'readContext': {
        const { seq, version, at } = effect;
        const question = reader.context(version, at, this.#newPanel());
        this.#answer(question, (answer) => this.#send({ type: 'contextRead', seq, answer }));
        return;
      }
      case 'stopPanel':
        this.#panel.abort();
        return;
      case 'copyEntry':
        this.#ask(reader.text(effect.version, effect.at), (text) => this.#notice(this.#ports.copy(text)));
        return;
      case 'checkTree':
        reader.check();
        return;
      case 'setLabel': {
        const { entryId, label, seen } = effect;
        this.#notice(this.#ports.setLabel(this.#path, entryId, label, seen));
        return;
      }
      case 'readLabels': {
        const { seq } = effect;
        this.#stopLabels = this.#ports.catalog.labels((found) => this.#send({ type: 'labelsFound', seq, found }));
        return;
      }
      case 'stopLabels':
        this.#stopLabels?.();
        return;
      case 'undo':
        this.#notice(this.#ports.undo());
        return;
      case 'planBranch': {
        const { seq, point } = effect;
        this.#ports.planBranch(point).then((answer) => this.#send({ type: 'branchPlanned', seq, answer }));
        return;
      }
      case 'copyFirst':
        this.#ports.copy(effect.text).then(
          (said) => this.#send({ type: 'copied', said }),
          (error: unknown) => this.#send({ type: 'copied', said: `the text was not copied: ${reasonOf(error)}` }),
        );
        return;
    }
  }

  /** What is asked for a panel ends what was asked for another one. */
  #newPanel(): AbortSignal {
    this.#panel.abort();
    this.#panel = new AbortController();
    return this.#panel.signal;
  }

  /** Tells what was done, or why not; the file may be another one now. */
  #notice(work: Promise<string>): void {
    const tell = (text: string, isWarning: boolean): void => {
      this.#send({ type: 'noticed', notice: { text, isWarning } });
      this.#reader?.check();
    };
    work.then(
      (said) => tell(said, false),
      (error: unknown) => tell(reasonOf(error), true),
    );
  }

  /** Hands an answer on. Without one the file has changed, and a newer tree comes. */
  #ask<T>(question: Promise<T | undefined>, use: (value: T) => void): void {
    question.then(
      (value) => {
        if (value === undefined) this.#reader?.check();
        else use(value);
      },
      (error: unknown) => this.#send({ type: 'noticed', notice: { text: reasonOf(error), isWarning: true } }),
    );
  }

  #answer<T>(question: Promise<T | undefined>, use: (answer: Answer<T>) => void): void {
    question.then(
      (value) => {
        if (value !== undefined) use({ kind: 'loaded', value });
        else {
          use({ kind: 'failed', reason: 'the file has just changed' });
          this.#reader?.check();
        }
      },
      (error: unknown) => use({ kind: 'failed', reason: reasonOf(error) }),
    );
  }
}

/** The one tree that is open at a time. */
class OpenTree {
  readonly #ports: TreePorts;
  readonly #send: Send;
  #worker: TreeWorker | undefined;

  constructor(ports: TreePorts, send: Send) {
    this.#ports = ports;
    this.#send = send;
  }

  open(path: string): void {
    this.close();
    this.#worker = new TreeWorker(this.#ports, path, this.#send);
    this.#worker.open();
  }

  close(): void {
    this.#worker?.close();
  }

  do(effect: Exclude<TreeScreenEffect, { type: 'suspend' | 'redraw' | 'exit' }>): void {
    if (effect.type === 'openTree') this.open(effect.path);
    else this.#worker?.do(effect);
  }
}

/** Joins machine, keyboard, clock and the open tree: the state to draw, and what to do when a menu's item is chosen. */
export function useTree(
  options: TreeOptions,
  ports: TreePorts,
  listener: TreeListener,
  firstKeys: readonly KeyPress[],
): readonly [TreeScreenState, (index: number) => void] {
  const { columns, rows } = useWindowSize();
  const [state, machine] = useMachine(updateTreeScreen, () =>
    createTreeScreen(options, { columns, rows }, ports.now()),
  );
  const { send } = machine;
  const suspend = useSuspend();
  const tree = useMemo(() => new OpenTree(ports, send), [ports, send]);
  // Before any event can come: those are sent by effects and keys.
  useLayoutEffect(() => {
    machine.onEffect = (effect) => {
      if (effect.type === 'exit') listener.onExit(effect.exit);
      else if (effect.type === 'suspend' || effect.type === 'redraw') suspend(effect.type);
      else tree.do(effect);
    };
  });
  useKeyboard(
    (keys) => send({ type: 'keys', keys }),
    (text) => send({ type: 'paste', text }),
  );
  useEffect(() => {
    tree.open(options.path);
    return () => tree.close();
  }, [tree, options.path]);
  useEffect(() => listener.onShown(), [listener]);
  const sentKeys = useRef(0);
  useEffect(() => {
    const keys = firstKeys.slice(sentKeys.current);
    sentKeys.current = firstKeys.length;
    if (keys.length > 0) send({ type: 'keys', keys });
  }, [firstKeys, send]);
  useEffect(() => send({ type: 'treeResized', size: { columns, rows } }), [columns, rows, send]);
  useEffect(() => {
    const timer = setInterval(() => send({ type: 'treeTicked', nowMs: ports.now() }), TICK_MS);
    return () => clearInterval(timer);
  }, [ports, send]);
  const choose = useMemo(() => (index: number) => send({ type: 'chosen', index }), [send]);
  return [state, choose];
}
