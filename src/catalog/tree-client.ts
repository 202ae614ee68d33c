import type { Comparison } from '../session/branch-figures.ts';
import type { EntryLine } from '../session/entry-line.ts';
import type { FileStamp } from '../session/scan.ts';
import type { Skeleton } from '../session/skeleton.ts';
import type { Transcript } from '../session/transcript.ts';
import type { ContextView } from './tree-session.ts';
import { errorOf, type Reply, type TreeQuestion, type TreeRequest } from './wire.ts';

/** What happens to an open tree. */
export type TreeNews =
  /** The skeleton: at first, when the full reading found more, and after the file has changed. */
  | {
      readonly kind: 'tree';
      readonly version: number;
      readonly skeleton: Skeleton;
      readonly stamp: FileStamp | undefined;
    }
  /** The full reading found nothing more. */
  | { readonly kind: 'verified'; readonly version: number }
  | { readonly kind: 'failed'; readonly error: Error };

/**
 * An open tree. Questions name the version of the skeleton that they are about, and positions in it; the answer is undefined
 * when the file has changed since: news of it comes after `check`.
 */
export interface TreeReader {
  /** The lines of some entries; with words, so that their first match is in sight. */
  lines(version: number, ats: readonly number[], words: readonly string[]): Promise<readonly EntryLine[] | undefined>;
  /** The conversation on the path to an entry: that of its last `limit` entries; `omitted` counts those before. */
  path(version: number, at: number, limit: number): Promise<Transcript | undefined>;
  /** The whole text of an entry. */
  text(version: number, at: number): Promise<string | undefined>;
  /** Never settles once its signal says that nobody waits for it any more; so does `compare`. */
  context(version: number, at: number, signal: AbortSignal): Promise<ContextView | undefined>;
  compare(version: number, a: number, b: number, signal: AbortSignal): Promise<Comparison | undefined>;
  /**
   * Finds the entries whose whole text or label holds all words (in lower case), ascending, as they are found; `within`
   * narrows to positions. Gives the way to stop it.
   */
  search(
    version: number,
    words: readonly string[],
    within: Int32Array | undefined,
    onHits: (hits: Int32Array, isDone: boolean) => void,
  ): () => void;
  /** Looks whether the file has changed; if so, news follows. */
  check(): void;
  close(): void;
}

/** How questions reach the worker. */
export interface TreeLink {
  /** Sends a question; `onReply` gets what answers it until it says that it has enough. Gives the question's number. */
  ask(
    make: (seq: number) => TreeRequest,
    onReply: (reply: Reply) => 'more' | 'enough',
    onFailure: (error: Error) => void,
  ): number;
  tell(request: TreeRequest): void;
  forget(seq: number): void;
}

class WorkerTree implements TreeReader {
  readonly #link: TreeLink;
  readonly #tree: number;

  constructor(link: TreeLink, path: string, onNews: (news: TreeNews) => void) {
    this.#link = link;
    this.#tree = link.ask(
      (seq) => ({ type: 'openTree', seq, path }),
      (reply) => {
        if (reply.type === 'tree') {
          const { version, skeleton, stamp } = reply;
          onNews({ kind: 'tree', version, skeleton, stamp });
        }
        if (reply.type === 'treeVerified') onNews({ kind: 'verified', version: reply.version });
        if (reply.type === 'treeFailed') onNews({ kind: 'failed', error: errorOf(reply.failure) });
        return 'more';
      },
      (error) => onNews({ kind: 'failed', error }),
    );
  }

  #question<T>(question: TreeQuestion, version: number, signal?: AbortSignal): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const number = this.#link.ask(
        (seq) => ({ ...question, seq, tree: this.#tree, version }),
        (reply) => {
          // What a question is answered with is settled by its type, here and in the service.
          if (reply.type === 'treeAnswer') resolve(reply.answer as T | undefined);
          return 'enough';
        },
        reject,
      );
      signal?.addEventListener('abort', () => this.#cancel(number), { once: true });
    });
  }

  #cancel(seq: number): void {
    this.#link.forget(seq);
    this.#link.tell({ type: 'cancelTree', seq });
  }

  lines(version: number, ats: readonly number[], words: readonly string[]): Promise<readonly EntryLine[] | undefined> {
    return this.#question({ type: 'treeLines', ats, words }, version);
  }

  path(version: number, at: number, limit: number): Promise<Transcript | undefined> {
    return this.#question({ type: 'treePath', at, limit }, version);
  }

  text(version: number, at: number): Promise<string | undefined> {
    return this.#question({ type: 'treeText', at }, version);
  }

  context(version: number, at: number, signal: AbortSignal): Promise<ContextView | undefined> {
    return this.#question({ type: 'treeContext', at }, version, signal);
  }

  compare(version: number, a: number, b: number, signal: AbortSignal): Promise<Comparison | undefined> {
    return this.#question({ type: 'treeCompare', a, b }, version, signal);
  }

  search(
    version: number,
    words: readonly string[],
    within: Int32Array | undefined,
    onHits: (hits: Int32Array, isDone: boolean) => void,
  ): () => void {
    let isDone = false;
    const take = (hits: Int32Array, isLast: boolean): void => {
      isDone = isLast;
      onHits(hits, isLast);
    };
    const seq = this.#link.ask(
      (own) => ({ type: 'treeSearch', seq: own, tree: this.#tree, version, words, within }),
      (reply) => {
        if (reply.type === 'treeHits') take(reply.hits, reply.isDone);
        return isDone ? 'enough' : 'more';
      },
      () => take(new Int32Array(), true),
    );
    return () => {
      if (!isDone) this.#cancel(seq);
    };
  }

  check(): void {
    this.#link.tell({ type: 'treeCheck', tree: this.#tree });
  }

  close(): void {
    this.#link.forget(this.#tree);
    this.#link.tell({ type: 'closeTree', tree: this.#tree });
  }
}

/** Opens a session's tree in the worker behind `link`. */
export function openTree(link: TreeLink, path: string, onNews: (news: TreeNews) => void): TreeReader {
  return new WorkerTree(link, path, onNews);
}
