import { stripVTControlCharacters } from 'node:util';
import { cleanup, render } from 'ink-testing-library';
import { afterEach, vi } from 'vitest';
import { App, type AppOptions, type AppPorts } from '../../components/app.tsx';
import type { ChangePorts } from '../../hooks/ports.ts';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { listAhead } from '../../src/catalog/list-ahead.ts';
import type { SessionRow } from '../../src/catalog/session-row.ts';
import type { Transcript } from '../../src/session/transcript.ts';
import { keyBytes } from '../e2e/keys.ts';
import { batchOf, NOW_MS, options } from '../model/rows.ts';

afterEach(cleanup);

interface Setup {
  readonly columns: number;
  readonly rows: number;
  readonly sessions: readonly SessionRow[];
  readonly options?: Partial<AppOptions>;
  readonly ports?: Partial<AppPorts>;
  readonly transcript?: Transcript;
}

/** Ports that change nothing. */
export const noChanges: ChangePorts = {
  setLabel: async () => 'labelled',
  undo: async () => 'undone',
  planBranch: async () => {
    throw new Error('nothing is branched in these tests');
  },
};

/** A catalog of nothing. */
export const noCatalog: Catalog = {
  list: async () => {},
  transcript: async () => noTranscript,
  watch: () => {},
  searchTexts: () => {},
  searchOutputs: () => () => {},
  matchPatterns: () => {},
  labels: () => () => {},
  tree: () => {
    throw new Error('no tree in these tests');
  },
  close() {},
};

const noTranscript: Transcript = { items: [], omitted: 0, damagedLines: 0 };

/** The screens on a terminal of a given size, over sessions that are all there at once. */
export class FrameScreen {
  readonly #ink: ReturnType<typeof render>;
  #rows = 0;

  constructor({ columns, rows, sessions, ports, transcript = noTranscript, ...rest }: Setup) {
    const catalog: Catalog = { ...noCatalog, transcript: async () => transcript };
    const all: AppPorts = {
      catalog,
      list: listAhead(async (onBatch) => onBatch(batchOf(sessions))),
      ...noChanges,
      now: () => NOW_MS,
      prepareResume: async () => ({ kind: 'refused', reason: 'This is a test.' }),
      resumeCommand: async (path) => `xcsh --session '${path}'`,
      copy: async (text) => `copied ${text.length} characters`,
      ...ports,
    };
    this.#ink = render(<App options={{ ...options, ...rest.options }} ports={all} />);
    this.resize(columns, rows);
  }

  resize(columns: number, rows: number): this {
    this.#rows = rows;
    Object.defineProperty(this.#ink.stdout, 'columns', { value: columns, configurable: true });
    Object.defineProperty(this.#ink.stdout, 'rows', { value: rows, configurable: true });
    this.#ink.stdout.emit('resize');
    return this;
  }

  type(text: string): this {
    this.#ink.stdin.write(text);
    return this;
  }

  press(...chords: readonly string[]): this {
    return this.type(chords.map(keyBytes).join(''));
  }

  /** The last frame without colours, a line feed at its end. */
  frame(): string {
    return `${stripVTControlCharacters(this.rawFrame())}\n`;
  }

  /** The last frame with its colours. */
  rawFrame(): string {
    return this.#ink.lastFrame() ?? '';
  }

  /** Everything drawn so far. */
  frames(): readonly string[] {
    return this.#ink.frames;
  }

  /** Waits until the frame shows all the texts; gives the frame. */
  async until(...wanted: readonly string[]): Promise<string> {
    await vi.waitFor(
      () => {
        // Frames of the size before a resize are not meant.
        const isSized = this.frame().split('\n').length === this.#rows + 1;
        const isThere = wanted.every((text) => this.frame().includes(text));
        if (!isThere || !isSized) throw new Error(`never saw ${wanted.join(', ')} in\n${this.frame()}`);
      },
      { timeout: 10_000, interval: 5 },
    );
    return this.frame();
  }
}
