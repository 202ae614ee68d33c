import { Worker } from 'node:worker_threads';
import type { AgentRoot } from '../agents/agents.ts';
import { SessionError } from '../errors.ts';
import type { Transcript } from '../session/transcript.ts';
import type { Catalog, RowBatch } from './catalog.ts';
import { errorOf, type Reply, type Request } from './wire.ts';

interface Waiting {
  readonly onReply: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

class WorkerCatalog implements Catalog {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #seq = 0;

  constructor(workerUrl: URL, roots: readonly AgentRoot[]) {
    this.#worker = new Worker(workerUrl, { workerData: { roots } });
    this.#worker.on('message', (reply: Reply) => {
      const waiting = this.#waiting.get(reply.seq);
      if (reply.type !== 'batch') this.#waiting.delete(reply.seq);
      if (reply.type === 'failed') waiting?.reject(errorOf(reply.failure));
      else waiting?.onReply(reply);
    });
    this.#worker.on('error', (cause) => this.#abandon(`the reader of sessions failed: ${cause}`, cause));
    this.#worker.on('exit', () => this.#abandon('the reader of sessions ended', undefined));
    // A screen that leaves must not wait for a reading that nobody wants any more.
    this.#worker.unref();
  }

  list(onBatch: (batch: RowBatch) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const onReply = (reply: Reply): void => {
        if (reply.type === 'batch') onBatch(reply.batch);
        else resolve();
      };
      this.#ask({ type: 'list', seq: ++this.#seq }, { onReply, reject });
    });
  }

  transcript(path: string, limit: number): Promise<Transcript> {
    return new Promise((resolve, reject) => {
      const onReply = (reply: Reply): void => {
        if (reply.type === 'transcript') resolve(reply.transcript);
      };
      this.#ask({ type: 'transcript', seq: ++this.#seq, path, limit }, { onReply, reject });
    });
  }

  close(): void {
    this.#waiting.clear();
    void this.#worker.terminate();
  }

  #ask(request: Request, waiting: Waiting): void {
    this.#waiting.set(request.seq, waiting);
    this.#worker.postMessage(request);
  }

  #abandon(message: string, cause: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(new SessionError('io', message, { cause }));
    this.#waiting.clear();
  }
}

/** A catalog that reads in a thread of its own, so that keys are never kept waiting. */
export function openCatalog(workerUrl: URL, roots: readonly AgentRoot[]): Catalog {
  return new WorkerCatalog(workerUrl, roots);
}
