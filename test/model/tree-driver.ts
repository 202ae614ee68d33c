import {
  createTreeView,
  type TreeAction,
  type TreeEffect,
  type TreeEvent,
  type TreeOptions,
  type TreeViewState,
} from '../../src/model/tree-state.ts';
import { updateTree } from '../../src/model/tree-view.ts';
import { idAt, type Skeleton } from '../../src/session/skeleton.ts';

/** The tree's machine with a session that answers from its ids: the text of an entry is its id. */
export class TreeDriver {
  state: TreeViewState;
  readonly effects: TreeEffect[] = [];
  readonly #skeleton: Skeleton;
  /** Answers are held back until `deliver` while this is true. */
  isSlow = false;
  #held: TreeEvent[] = [];

  constructor(skeleton: Skeleton, size = { columns: 80, rows: 24 }, options: Partial<TreeOptions> = {}) {
    this.#skeleton = skeleton;
    this.state = createTreeView({ path: '/s/a.jsonl', title: '', startId: undefined, ...options }, size, 10_000_000);
    this.send({ type: 'treeRead', version: 1, skeleton, stamp: undefined });
  }

  send(event: TreeEvent): void {
    const [state, ...effects] = updateTree(this.state, event);
    this.state = state;
    this.effects.push(...effects);
    for (const effect of effects) {
      const answer = this.#answer(effect);
      if (answer === undefined) continue;
      if (this.isSlow) this.#held.push(answer);
      else this.send(answer);
    }
  }

  deliver(): void {
    const held = this.#held;
    this.#held = [];
    for (const event of held) this.send(event);
  }

  act(...actions: readonly TreeAction[]): this {
    for (const does of actions) this.send({ type: 'acted', does });
    return this;
  }

  type(text: string): this {
    this.send({ type: 'typed', text });
    return this;
  }

  clear(): this {
    this.send({ type: 'cleared' });
    return this;
  }

  /** The id of the selected entry. */
  get selected(): string | undefined {
    const { rows, index } = this.state;
    const at = rows?.at[index];
    return at === undefined ? undefined : idAt(this.#skeleton, at);
  }

  /** Ids of all rows. */
  get shown(): string[] {
    return Array.from(this.state.rows?.at ?? [], (at) => idAt(this.#skeleton, at));
  }

  #answer(effect: TreeEffect): TreeEvent | undefined {
    switch (effect.type) {
      case 'readLines': {
        const lines = effect.ats.map((at) => ({
          at,
          speaker: 'user: ',
          text: idAt(this.#skeleton, at),
          isError: false,
        }));
        return { type: 'linesRead', version: effect.version, lines };
      }
      case 'searchTree': {
        const found = Array.from(this.#skeleton.parents.keys()).filter(
          (at) =>
            (effect.within === undefined || effect.within.includes(at)) &&
            effect.words.every((word) => idAt(this.#skeleton, at).includes(word)),
        );
        return { type: 'hitsFound', seq: effect.seq, hits: Int32Array.from(found), isDone: true };
      }
      case 'readPath':
      case 'stopSearch':
      case 'compareEntries':
      case 'readContext':
      case 'stopPanel':
      case 'copyEntry':
      case 'checkTree':
        return undefined;
    }
  }
}
