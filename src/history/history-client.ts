import type { Worker } from 'node:worker_threads';
import type { AgentRoot } from '../agents/agents.ts';
import { errorOf } from '../catalog/wire.ts';
import { SessionError } from '../errors.ts';
import { startReadingThread } from '../reading-thread.ts';
import type { EntryTranscript, PromptHistory, PromptNews, SentPlace } from './prompt-history.ts';
import type { HistoryReply, HistoryRequest } from './wire.ts';

interface Waiting {
  /** Says whether more replies are to come. */
  readonly onReply: (reply: HistoryReply) => 'more' | 'enough';
  readonly reject: (error: Error) => void;
}

class WorkerHistory implements PromptHistory {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #seq = 0;
  #searchSeq = 0;

  constructor(workerUrl: URL, roots: readonly AgentRoot[], stateDir: string) {
    this.#worker = startReadingThread(workerUrl, { roots, history: { stateDir } });
    this.#worker.on('message', (reply: HistoryReply) => {
      const waiting = this.#waiting.get(reply.seq);
      if (reply.type === 'failed') {
        this.#waiting.delete(reply.seq);
        waiting?.reject(errorOf(reply.failure));
      } else if (waiting?.onReply(reply) === 'enough') this.#waiting.delete(reply.seq);
    });
    this.#worker.on('error', (cause) => this.#abandon(`the reader of prompts failed: ${cause}`, cause));
    this.#worker.on('exit', () => this.#abandon('the reader of prompts ended', undefined));
    this.#worker.unref();
  }

  search(query: string, folders: readonly string[] | undefined, onNews: (news: PromptNews) => void): Promise<void> {
    this.#waiting.delete(this.#searchSeq);
    return new Promise((resolve, reject) => {
      const onReply = (reply: HistoryReply): 'more' | 'enough' => {
        if (reply.type !== 'news') return 'enough';
        onNews(reply.news);
        if (!reply.news.isDone) return 'more';
        resolve();
        return 'enough';
      };
      this.#searchSeq = this.#ask((seq) => ({ type: 'search', seq, query, folders }), onReply, reject);
    });
  }

  places(prompt: string): Promise<readonly SentPlace[]> {
    return new Promise((resolve, reject) => {
      const onReply = (reply: HistoryReply): 'enough' => {
        if (reply.type === 'places') resolve(reply.places);
        return 'enough';
      };
      this.#ask((seq) => ({ type: 'places', seq, prompt }), onReply, reject);
    });
  }

  transcriptAt(path: string, entryId: string, limit: number): Promise<EntryTranscript> {
    return new Promise((resolve, reject) => {
      const onReply = (reply: HistoryReply): 'enough' => {
        if (reply.type === 'transcript') resolve(reply.answer);
        return 'enough';
      };
      this.#ask((seq) => ({ type: 'transcript', seq, path, entryId, limit }), onReply, reject);
    });
  }

  close(): void {
    this.#waiting.clear();
    void this.#worker.terminate();
  }

  #ask(make: (seq: number) => HistoryRequest, onReply: Waiting['onReply'], reject: Waiting['reject']): number {
    const seq = ++this.#seq;
    this.#waiting.set(seq, { onReply, reject });
    this.#worker.postMessage(make(seq));
    return seq;
  }

  #abandon(message: string, cause: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(new SessionError('io', message, { cause }));
    this.#waiting.clear();
  }
}

/** The prompt histories of some agent folders and of Bough's state folder, read in a thread of their own. */
export function openPromptHistory(workerUrl: URL, roots: readonly AgentRoot[], stateDir: string): PromptHistory {
  return new WorkerHistory(workerUrl, roots, stateDir);
}
