import type { Worker } from 'node:worker_threads';
import { errorOf } from '../catalog/wire.ts';
import { SessionError } from '../errors.ts';
import type { BranchAnswer } from '../model/branch-dialog.ts';
import { startReadingThread } from '../reading-thread.ts';
import type { ChangeReply, ChangeRequest } from './change-service.ts';
import type { Place } from './place.ts';
import type { ChangeWork } from './tree-changes.ts';

/** The thread in which sessions are read and changed for the screens. */
export interface Changes extends ChangeWork {
  /** Settles when all that was asked for so far and changes something is done, or has failed. */
  settled(): Promise<void>;
  /** The same, and ends the thread. */
  close(): Promise<void>;
}

interface Waiting {
  readonly isChange: boolean;
  readonly done: Promise<unknown>;
  readonly settle: (reply: ChangeReply) => void;
  readonly reject: (error: Error) => void;
}

type Work<Name extends keyof ChangeWork> = (
  ...args: Parameters<ChangeWork[Name]>
) => Promise<Awaited<ReturnType<ChangeWork[Name]>>>;

/** What cannot be found out is not offered. */
function refusedAnswer(error: Error): BranchAnswer {
  const refused = { kind: 'refused', reason: error.message } as const;
  return { inPlace: refused, newFile: refused, text: undefined, resume: refused };
}

class ChangeThread {
  readonly #workerUrl: URL;
  readonly #place: Place;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #seq = 0;

  constructor(workerUrl: URL, place: Place) {
    this.#workerUrl = workerUrl;
    this.#place = place;
  }

  /** The way to have a work of this name done; is it one that changes something? */
  work<Name extends keyof ChangeWork>(name: Name, isChange: boolean): Work<Name> {
    return (...args) => {
      const seq = ++this.#seq;
      const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<ChangeWork[Name]>>>();
      const settle = (reply: ChangeReply): void => {
        if ('failure' in reply) reject(errorOf(reply.failure));
        // What a work gives is settled by its name, here and in the service.
        else resolve(reply.value as Awaited<ReturnType<ChangeWork[Name]>>);
      };
      this.#waiting.set(seq, { isChange, done: promise, settle, reject });
      this.#thread().postMessage({ seq, name, args } as ChangeRequest);
      return promise;
    };
  }

  /** Started when there is work for the first time: most visits change nothing. */
  #thread(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = startReadingThread(this.#workerUrl, { changes: this.#place });
    this.#worker = worker;
    worker.on('message', (reply: ChangeReply) => {
      this.#waiting.get(reply.seq)?.settle(reply);
      this.#waiting.delete(reply.seq);
    });
    worker.on('error', (cause) => this.#abandon(worker, `the thread for changes failed: ${cause}`, cause));
    worker.on('exit', () => this.#abandon(worker, 'the thread for changes ended', undefined));
    return worker;
  }

  #abandon(worker: Worker, message: string, cause: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(new SessionError('io', message, { cause }));
    this.#waiting.clear();
  }

  async settled(): Promise<void> {
    const changes = [...this.#waiting.values()].filter(({ isChange }) => isChange);
    await Promise.allSettled(changes.map(({ done }) => done));
  }

  async close(): Promise<void> {
    await this.settled();
    const worker = this.#worker;
    this.#worker = undefined;
    this.#waiting.clear();
    await worker?.terminate();
  }
}

/** Has sessions read and changed in a thread of their own, so that keys are never kept waiting. */
export function openChanges(workerUrl: URL, place: Place): Changes {
  const thread = new ChangeThread(workerUrl, place);
  const planBranch = thread.work('planBranch', false);
  return {
    setLabel: thread.work('setLabel', true),
    undo: thread.work('undo', true),
    planBranch: (point) => planBranch(point).catch(refusedAnswer),
    branch: thread.work('branch', true),
    prepareResume: thread.work('prepareResume', false),
    resumeCommand: thread.work('resumeCommand', false),
    settled: () => thread.settled(),
    close: () => thread.close(),
  };
}
