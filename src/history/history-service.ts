import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import type { AgentRoot } from '../agents/agents.ts';
import { failureOf } from '../catalog/wire.ts';
import { HistoryDatabases, historySources } from './databases.ts';
import { readTranscriptAt } from './entry-transcript.ts';
import { findPlaces } from './places.ts';
import type { SentPlace } from './prompt-history.ts';
import { PromptSearch, rowsOfPrompt } from './prompt-search.ts';
import type { HistoryData, HistoryReply, HistoryRequest } from './wire.ts';

/** How long hits are gathered before they are sent: each message is the whole list. */
const GATHER_MS = 30;

/** Takes steps until the work is done, others in between; undefined when it was stopped. */
async function finish<T>(work: Generator<unknown, T>, isStopped: () => boolean): Promise<T | undefined> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    await nextTurn();
    if (isStopped()) return undefined;
  }
}

class HistoryService {
  readonly #port: MessagePort;
  readonly #roots: readonly AgentRoot[];
  readonly #databases: HistoryDatabases;
  /** The last search asked for: the ones before it are over. */
  #searchSeq = 0;
  #placesSeq = 0;

  constructor(port: MessagePort, roots: readonly AgentRoot[], { stateDir }: HistoryData) {
    this.#port = port;
    this.#roots = roots;
    this.#databases = new HistoryDatabases(historySources(roots, stateDir));
  }

  async answer(request: HistoryRequest): Promise<void> {
    const { seq } = request;
    try {
      switch (request.type) {
        case 'search':
          this.#searchSeq = seq;
          await this.#search(request);
          return;
        case 'places':
          this.#placesSeq = seq;
          await this.#findPlaces(request);
          return;
        case 'transcript': {
          const { path, entryId, limit } = request;
          this.#send({ type: 'transcript', seq, answer: readTranscriptAt(path, entryId, limit) });
          return;
        }
      }
    } catch (error) {
      this.#send({ type: 'failed', seq, failure: failureOf(error) });
    }
  }

  async #search({ seq, query, folders }: Extract<HistoryRequest, { type: 'search' }>): Promise<void> {
    const search = new PromptSearch(this.#databases, { query, folders });
    let isFresh = false;
    // The first hits go out at once.
    let sentMs = Number.NEGATIVE_INFINITY;
    for (const step of search.steps()) {
      isFresh ||= step === 'news';
      if (isFresh && performance.now() - sentMs >= GATHER_MS) {
        this.#send({ type: 'news', seq, news: search.news() });
        isFresh = false;
        sentMs = performance.now();
      }
      await nextTurn();
      if (this.#searchSeq !== seq) return;
    }
    this.#send({ type: 'news', seq, news: search.news() });
  }

  async #findPlaces({ seq, prompt }: Extract<HistoryRequest, { type: 'places' }>): Promise<void> {
    const isStopped = (): boolean => this.#placesSeq !== seq;
    const groups = await finish(rowsOfPrompt(this.#databases, prompt), isStopped);
    if (groups === undefined) return;
    const wanted = [{ prompt, rows: groups.rowsOf(prompt) }];
    const found = await finish(findPlaces(wanted, this.#roots), isStopped);
    if (found === undefined) return;
    const places: readonly SentPlace[] = found.get(prompt) ?? [];
    this.#send({ type: 'places', seq, places });
  }

  #send(reply: HistoryReply): void {
    this.#port.postMessage(reply);
  }
}

/** Answers a drawing thread's requests about the prompt histories of some agent folders and Bough's own. */
export function serveHistory(port: MessagePort, roots: readonly AgentRoot[], data: HistoryData): void {
  const service = new HistoryService(port, roots, data);
  port.on('message', (request: HistoryRequest) => void service.answer(request));
}
