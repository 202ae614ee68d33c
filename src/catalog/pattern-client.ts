import type { Worker } from 'node:worker_threads';
import { startReadingThread } from '../reading-thread.ts';

/** A regular expression that compiles, and whether it must not be found. */
export interface Pattern {
  readonly source: string;
  readonly flags: string;
  readonly isNot: boolean;
}

/** What is asked of the thread. */
export interface PatternRequest {
  readonly seq: number;
  readonly patterns: readonly Pattern[];
  readonly texts: readonly string[];
}

/** What the thread answers: that it begins, then what passes. */
export type PatternReply =
  | { readonly type: 'begun'; readonly seq: number }
  | { readonly type: 'matched'; readonly seq: number; readonly passing: Uint8Array };

/** Which texts pass all patterns, 1 for each that does; or why that is not known, in one line. */
export type PatternAnswer =
  | { readonly kind: 'matched'; readonly passing: Uint8Array }
  | { readonly kind: 'failed'; readonly reason: string };

/** What a pattern may take, for all texts together. */
const LIMIT_MS = 500;

/**
 * Matches patterns in a thread of its own, which is ended when they take too long: some take for ever (`(a+)+$`), and nothing
 * else can stop them. One question at a time: a new one ends the one before it.
 */
export class PatternMatcher {
  readonly #workerUrl: URL;
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Answers to any other number are late. */
  #seq = 0;
  #onAnswer: ((answer: PatternAnswer) => void) | undefined;

  constructor(workerUrl: URL) {
    this.#workerUrl = workerUrl;
  }

  /** Asks which of some texts pass all patterns, line by line. */
  match(patterns: readonly Pattern[], texts: readonly string[], onAnswer: (answer: PatternAnswer) => void): void {
    // Whatever it is still at may never end.
    if (this.#onAnswer !== undefined) this.stop();
    this.#worker ??= this.#start();
    this.#onAnswer = onAnswer;
    this.#worker.postMessage({ seq: ++this.#seq, patterns, texts } satisfies PatternRequest);
  }

  /** Ends the thread. Nothing is answered after that. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#onAnswer = undefined;
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  #start(): Worker {
    const worker = startReadingThread(this.#workerUrl, { matchesPatterns: true });
    worker.on('message', (reply: PatternReply) => {
      if (this.#worker !== worker || reply.seq !== this.#seq) return;
      // The thread's own beginning does not count.
      if (reply.type === 'begun') this.#timer = setTimeout(() => this.#giveUp(), LIMIT_MS);
      else this.#answer({ kind: 'matched', passing: reply.passing });
    });
    worker.on('error', (cause) => {
      if (this.#worker !== worker) return;
      const answer = this.#onAnswer;
      this.stop();
      answer?.({ kind: 'failed', reason: `re: was not searched: ${cause}` });
    });
    worker.unref();
    return worker;
  }

  #giveUp(): void {
    const answer = this.#onAnswer;
    this.stop();
    answer?.({ kind: 'failed', reason: `re: took longer than ${LIMIT_MS / 1000} s; try a simpler pattern` });
  }

  #answer(answer: PatternAnswer): void {
    clearTimeout(this.#timer);
    const tell = this.#onAnswer;
    this.#onAnswer = undefined;
    tell?.(answer);
  }
}
