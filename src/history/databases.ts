import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { AgentRoot } from '../agents/agents.ts';
import { SessionError } from '../errors.ts';
import { openReadOnly, readState } from '../session/history-database.ts';

/** A database of prompts, and the name that the ids of its rows begin with. */
export interface HistorySource {
  /** The agent's name, with a number behind it where several folders have the same; `bough` for Bough's own. */
  readonly name: string;
  readonly path: string;
}

/** Name of Bough's own database among the sources. */
const OWN_SOURCE = 'bough';

/** Bough's own prompt history, in its state folder. */
export function ownHistoryPath(stateDir: string): string {
  return join(stateDir, 'history.db');
}

/** The databases of all agent folders and Bough's own, whether they exist or not. */
export function historySources(roots: readonly AgentRoot[], stateDir: string): readonly HistorySource[] {
  const taken = new Map<string, number>();
  const sources = roots.map(({ agent, folders }): HistorySource => {
    const name = agent ?? 'agent';
    const number = (taken.get(name) ?? 0) + 1;
    taken.set(name, number);
    return { name: number === 1 ? name : `${name}${number}`, path: folders.historyPath };
  });
  return [...sources, { name: OWN_SOURCE, path: ownHistoryPath(stateDir) }];
}

/** A database that is open for reading. */
export interface OpenHistory {
  readonly source: HistorySource;
  readonly db: DatabaseSync;
}

interface Held {
  readonly db: DatabaseSync;
  /** The state of the file when it was opened. */
  readonly state: string;
}

/** How long a database that failed is left alone, so that a lock is not waited for at every key. */
const PAUSE_MS = 2_000;

/** Keeps databases open between searches. One that is locked, damaged or gone costs itself alone. */
export class HistoryDatabases implements Disposable {
  readonly sources: readonly HistorySource[];
  readonly #held = new Map<string, Held>();
  readonly #problems = new Map<string, { readonly message: string; readonly atMs: number }>();

  constructor(sources: readonly HistorySource[]) {
    this.sources = sources;
  }

  /** Why databases that exist could not be read when they were last tried, a line each. */
  get problems(): readonly string[] {
    return [...this.#problems.values()].map(({ message }) => message);
  }

  /** The databases that can be read, those first that are sure to be: what is locked is waited for last. */
  *open(): Generator<OpenHistory> {
    const isDoubtful = ({ path }: HistorySource): boolean => this.#problems.has(path);
    const sources = [...this.sources].sort((a, b) => Number(isDoubtful(a)) - Number(isDoubtful(b)));
    for (const source of sources) {
      const db = this.#open(source.path);
      if (db !== undefined) yield { source, db };
    }
  }

  /** Notes that a database failed while it was read; anything else than its own failure is thrown on. */
  fail({ source }: OpenHistory, error: unknown): void {
    this.#note(source.path, error);
    this.#release(source.path);
  }

  [Symbol.dispose](): void {
    for (const path of [...this.#held.keys()]) this.#release(path);
  }

  #open(path: string): DatabaseSync | undefined {
    const state = readState(path);
    const held = this.#held.get(path);
    if (held !== undefined && held.state === state) return held.db;
    this.#release(path);
    // An agent that keeps no history, or has none yet, is no problem.
    if (state === undefined) {
      this.#problems.delete(path);
      return undefined;
    }
    const problem = this.#problems.get(path);
    if (problem !== undefined && performance.now() - problem.atMs < PAUSE_MS) return undefined;
    try {
      const db = openReadOnly(path);
      this.#held.set(path, { db, state });
      this.#problems.delete(path);
      return db;
    } catch (error) {
      this.#note(path, error);
      return undefined;
    }
  }

  #note(path: string, error: unknown): void {
    if (!(error instanceof SessionError)) throw error;
    this.#problems.set(path, { message: error.message, atMs: performance.now() });
  }

  #release(path: string): void {
    this.#held.get(path)?.db.close();
    this.#held.delete(path);
  }
}
