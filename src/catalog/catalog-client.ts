import type { Worker } from 'node:worker_threads';
import type { AgentRoot } from '../agents/agents.ts';
import { SessionError } from '../errors.ts';
import { startReadingThread } from '../reading-thread.ts';
import type { Transcript } from '../session/transcript.ts';
import type {
  Catalog,
  CatalogChanges,
  LabelsFound,
  OutputSearch,
  OutputsFound,
  RowBatch,
  TextHits,
} from './catalog.ts';
import type { KeepingRules } from './keeping.ts';
import { scanOutputs } from './output-client.ts';
import { type Pattern, type PatternAnswer, PatternMatcher } from './pattern-client.ts';
import type { CatalogPlace } from './sidecar.ts';
import type { TextSearch } from './text-search-service.ts';
import { openTree, type TreeLink, type TreeNews, type TreeReader } from './tree-client.ts';
import { errorOf, type Reply, type Request, type TreeRequest } from './wire.ts';

interface Waiting {
  /** Says whether more replies are to come. */
  readonly onReply: (reply: Reply) => 'more' | 'enough';
  readonly reject: (error: Error) => void;
}

class WorkerCatalog implements Catalog, TreeLink {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #workerUrl: URL;
  readonly #patterns: PatternMatcher;
  readonly #rules: KeepingRules | undefined;
  #stopScan: (() => void) | undefined;
  #seq = 0;
  #searchSeq = 0;

  constructor(workerUrl: URL, roots: readonly AgentRoot[], place: CatalogPlace) {
    this.#workerUrl = workerUrl;
    this.#patterns = new PatternMatcher(workerUrl);
    this.#rules = place.rules;
    this.#worker = startReadingThread(workerUrl, { roots, ...place });
    this.#worker.on('message', (reply: Reply) => {
      const waiting = this.#waiting.get(reply.seq);
      if (reply.type === 'failed') {
        this.#waiting.delete(reply.seq);
        waiting?.reject(errorOf(reply.failure));
      } else if (waiting?.onReply(reply) === 'enough') this.#waiting.delete(reply.seq);
    });
    this.#worker.on('error', (cause) => this.#abandon(`the reader of sessions failed: ${cause}`, cause));
    this.#worker.on('exit', () => this.#abandon('the reader of sessions ended', undefined));
    // A screen that leaves must not wait for a reading that nobody wants any more.
    this.#worker.unref();
  }

  list(onBatch: (batch: RowBatch) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const onReply = (reply: Reply): 'more' | 'enough' => {
        if (reply.type !== 'batch') {
          resolve();
          return 'enough';
        }
        onBatch(reply.batch);
        return 'more';
      };
      this.ask((seq) => ({ type: 'list', seq }), onReply, reject);
    });
  }

  watch(onChanges: (changes: CatalogChanges) => void): void {
    const onReply = (reply: Reply): 'more' => {
      if (reply.type === 'changes') onChanges(reply.changes);
      return 'more';
    };
    // Who watches learns of a failure from what he asks next.
    this.ask(
      (seq) => ({ type: 'watch', seq }),
      onReply,
      () => undefined,
    );
  }

  searchTexts(search: TextSearch, onHits: (hits: TextHits) => void): void {
    this.forget(this.#searchSeq);
    const onReply = (reply: Reply): 'more' | 'enough' => {
      if (reply.type !== 'textHits') return 'enough';
      onHits(reply.found);
      return reply.found.isDone ? 'enough' : 'more';
    };
    this.#searchSeq = this.ask(
      (seq) => ({ type: 'searchTexts', seq, search }),
      onReply,
      () => onHits({ hits: [], isDone: true }),
    );
  }

  matchPatterns(
    patterns: readonly Pattern[],
    texts: readonly string[],
    onAnswer: (answer: PatternAnswer) => void,
  ): void {
    this.#patterns.match(patterns, texts, onAnswer);
  }

  searchOutputs(search: OutputSearch, onFound: (found: OutputsFound) => void): () => void {
    this.#stopScan?.();
    this.#stopScan = scanOutputs(this.#workerUrl, this.#rules, search, onFound);
    return this.#stopScan;
  }

  transcript(path: string, limit: number, entryId?: string): Promise<Transcript> {
    return new Promise((resolve, reject) => {
      const onReply = (reply: Reply): 'enough' => {
        if (reply.type === 'transcript') resolve(reply.transcript);
        return 'enough';
      };
      this.ask((seq) => ({ type: 'transcript', seq, path, limit, entryId }), onReply, reject);
    });
  }

  tree(path: string, onNews: (news: TreeNews) => void): TreeReader {
    return openTree(this, path, onNews);
  }

  labels(onFound: (found: LabelsFound) => void): () => void {
    const seq = this.ask(
      (own) => ({ type: 'labels', seq: own }),
      (reply) => {
        if (reply.type !== 'labels') return 'enough';
        onFound(reply.found);
        return reply.found.isDone ? 'enough' : 'more';
      },
      (error) => onFound({ labels: [], problems: [error.message], isDone: true }),
    );
    return () => {
      this.forget(seq);
      this.tell({ type: 'stopLabels', seq });
    };
  }

  close(): void {
    this.#stopScan?.();
    this.#patterns.stop();
    this.#waiting.clear();
    void this.#worker.terminate();
  }

  ask(make: (seq: number) => Request, onReply: Waiting['onReply'], reject: Waiting['reject']): number {
    const seq = ++this.#seq;
    this.#waiting.set(seq, { onReply, reject });
    this.#worker.postMessage(make(seq));
    return seq;
  }

  tell(request: TreeRequest | Extract<Request, { type: 'stopLabels' }>): void {
    this.#worker.postMessage(request);
  }

  forget(seq: number): void {
    this.#waiting.delete(seq);
  }

  #abandon(message: string, cause: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(new SessionError('io', message, { cause }));
    this.#waiting.clear();
  }
}

/** A catalog that reads in a thread of its own, so that keys are never kept waiting. */
export function openCatalog(workerUrl: URL, roots: readonly AgentRoot[], place: CatalogPlace): Catalog {
  return new WorkerCatalog(workerUrl, roots, place);
}
