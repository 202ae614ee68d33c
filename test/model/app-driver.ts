import type { SessionRow } from '../../src/catalog/session-row.ts';
import { updateApp } from '../../src/model/app.ts';
import { type AppEffect, type AppEvent, type AppOptions, type AppState, createApp } from '../../src/model/app-state.ts';
import { statusLine } from '../../src/model/frame.ts';
import type { KeyPress } from '../../src/model/key-names.ts';
import { searchRows } from '../../src/model/search.ts';
import { batchOf, NOW_MS, options } from './rows.ts';

/** The screens with the effects that they asked for. */
export class AppDriver {
  state: AppState;
  readonly effects: AppEffect[] = [];

  constructor(rows: readonly SessionRow[], change: Partial<AppOptions> = {}, size = { columns: 120, rows: 30 }) {
    this.state = createApp({ ...options, ...change }, size, NOW_MS);
    this.send({ type: 'rowsRead', batch: batchOf(rows) });
    this.send({ type: 'allRead' });
  }

  send(event: AppEvent): this {
    const [state, ...effects] = updateApp(this.state, event);
    this.state = state;
    this.effects.push(...effects);
    return this;
  }

  press(...names: readonly string[]): this {
    const keys = names.map((name): KeyPress => ({ name, text: Array.from(name).length === 1 ? name : '' }));
    return this.send({ type: 'keys', keys });
  }

  /** Answers the search that is under way. */
  search(): this {
    const { search } = this.state.picker;
    if (search === undefined) throw new Error('nothing is searched');
    const work = searchRows(search.rows, search.query);
    for (;;) {
      const { done, value } = work.next();
      if (done === true) return this.send({ type: 'searched', seq: search.seq, answer: { hits: value } });
    }
  }

  last<Type extends AppEffect['type']>(type: Type): Extract<AppEffect, { type: Type }> | undefined {
    return this.effects.findLast((effect): effect is Extract<AppEffect, { type: Type }> => effect.type === type);
  }

  status(): string {
    return statusLine(this.state)
      .map(({ text }) => text)
      .join('')
      .trim();
  }

  /** The menu on top: its title and its items. */
  menu(): string[] {
    const top = this.state.overlays.at(-1);
    return top?.kind === 'menu' || top?.kind === 'dialog' ? [top.title, ...top.items.map(({ label }) => label)] : [];
  }
}
