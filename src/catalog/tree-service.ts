import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { buffersOf } from '../session/skeleton.ts';
import { TreeSession } from './tree-session.ts';
import { failureOf, type Reply, type TreeRequest } from './wire.ts';

/** How long a long work runs before other requests get their turn. */
const SLICE_MS = 8;
/** The first screen comes before the verification. */
const VERIFY_PAUSE_MS = 250;
/** Hits are gathered so long, the first ones less: the screen is redrawn for each batch. */
const HITS_MS = 60;

interface OpenTree {
  readonly session: TreeSession;
  /** Counts the skeletons that were sent: a question about an older one is not answered. */
  version: number;
  /** Why the file could not be read the last time; told once. */
  problem: string | undefined;
}

/** Does a work in slices until it is done or not wanted any more; undefined when it was not finished. */
async function inSlices<Step, Result>(
  work: Generator<Step, Result>,
  isWanted: () => boolean,
  onStep: (step: Step) => void,
): Promise<Result | undefined> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    onStep(value);
    if (performance.now() < sliceEnd) continue;
    await nextTurn();
    if (!isWanted()) {
      // Closes the file that the work has open.
      work.return(undefined as Result);
      return undefined;
    }
    sliceEnd = performance.now() + SLICE_MS;
  }
}

/** Answers the questions about open trees. */
export class TreeService {
  readonly #send: (reply: Reply, transfer?: ArrayBuffer[]) => void;
  readonly #trees = new Map<number, OpenTree>();
  readonly #cancelled = new Set<number>();

  constructor(send: (reply: Reply, transfer?: ArrayBuffer[]) => void) {
    this.#send = send;
  }

  async answer(request: TreeRequest): Promise<void> {
    switch (request.type) {
      case 'openTree':
        return this.#open(request.seq, new TreeSession(request.path));
      case 'closeTree':
        this.#trees.delete(request.tree);
        return;
      case 'cancelTree':
        this.#cancelled.add(request.seq);
        return;
      case 'treeCheck':
        return this.#check(request.tree);
      case 'treeSearch':
        return this.#search(request);
      case 'treeLines':
      case 'treePath':
      case 'treeText':
      case 'treeContext':
      case 'treeCompare':
        this.#send({ type: 'treeAnswer', seq: request.seq, answer: await this.#read(request) });
    }
  }

  async #open(seq: number, session: TreeSession): Promise<void> {
    const tree: OpenTree = { session, version: 0, problem: undefined };
    this.#trees.set(seq, tree);
    this.#sendSkeleton(seq, tree, session.glance());
    await this.#verify(seq, tree);
  }

  #sendSkeleton(seq: number, tree: OpenTree, skeleton: ReturnType<TreeSession['glance']>): void {
    tree.version++;
    // The session keeps its own: what is given away cannot be read here any more.
    const copy = structuredClone(skeleton);
    const { stamp } = tree.session;
    this.#send({ type: 'tree', seq, version: tree.version, skeleton: copy, stamp }, buffersOf(copy));
  }

  async #verify(seq: number, tree: OpenTree): Promise<void> {
    const { version } = tree;
    const isWanted = (): boolean => this.#trees.get(seq) === tree && tree.version === version;
    await pause(VERIFY_PAUSE_MS);
    if (!isWanted()) return;
    const verified = await inSlices(tree.session.verify(), isWanted, () => {});
    if (verified !== undefined && isWanted()) this.#sendSkeleton(seq, tree, verified);
    else if (isWanted()) this.#send({ type: 'treeVerified', seq, version });
  }

  /** Reads a file anew that has changed. */
  async #check(seq: number): Promise<void> {
    const tree = this.#trees.get(seq);
    if (tree === undefined) return;
    try {
      const hasChanged = tree.session.hasChanged();
      tree.problem = undefined;
      if (!hasChanged) return;
      this.#sendSkeleton(seq, tree, tree.session.glance());
    } catch (error) {
      const failure = failureOf(error);
      if (failure.message !== tree.problem) this.#send({ type: 'treeFailed', seq, failure });
      tree.problem = failure.message;
      return;
    }
    await this.#verify(seq, tree);
  }

  /** The tree that a question is about, unless it is of an older skeleton. */
  #treeFor({ tree, version }: { readonly tree: number; readonly version: number }): TreeSession | undefined {
    const known = this.#trees.get(tree);
    return known?.version === version ? known.session : undefined;
  }

  async #read(
    request: Extract<TreeRequest, { type: 'treeLines' | 'treePath' | 'treeText' | 'treeContext' | 'treeCompare' }>,
  ): Promise<Extract<Reply, { type: 'treeAnswer' }>['answer']> {
    const session = this.#treeFor(request);
    if (session === undefined) return undefined;
    switch (request.type) {
      case 'treeLines':
        return session.lines(request.ats, request.words);
      case 'treePath':
        return session.transcript(request.at, request.limit);
      case 'treeText':
        return session.text(request.at);
      case 'treeContext':
        return this.#wanted(request.seq, session.context(request.at));
      case 'treeCompare':
        return this.#wanted(request.seq, session.compare(request.a, request.b));
    }
  }

  /** Does what a question asks for in slices, until somebody wants the answer no more. */
  #wanted<Answer>(seq: number, work: Generator<void, Answer>): Promise<Answer | undefined> {
    return inSlices(
      work,
      () => this.#isWanted(seq),
      () => {},
    );
  }

  #isWanted(seq: number): boolean {
    return !this.#cancelled.delete(seq);
  }

  async #search(request: Extract<TreeRequest, { type: 'treeSearch' }>): Promise<void> {
    const { seq, words, within } = request;
    const session = this.#treeFor(request);
    let hits: number[] = [];
    let sendAt = performance.now() + SLICE_MS;
    let wait = SLICE_MS;
    const send = (isDone: boolean): void => {
      const found = Int32Array.from(hits);
      this.#send({ type: 'treeHits', seq, hits: found, isDone }, [found.buffer]);
      hits = [];
      wait = Math.min(HITS_MS, wait * 2);
      sendAt = performance.now() + wait;
    };
    if (session === undefined) {
      send(true);
      return;
    }
    const isComplete = await inSlices(
      session.search(words, within),
      () => this.#isWanted(seq),
      (found) => {
        for (const at of found) hits.push(at);
        if (hits.length > 0 && performance.now() >= sendAt) send(false);
      },
    );
    if (isComplete !== undefined) send(true);
  }
}
