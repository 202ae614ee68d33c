import { expect, it } from 'vitest';
import type { PromptNews } from '../../src/history/prompt-history.ts';
import { updateHistory } from '../../src/model/history.ts';
import { historyEmptyLines, historyStatus } from '../../src/model/history-frame.ts';
import { promptLine, promptRanges } from '../../src/model/history-match.ts';
import {
  createHistory,
  type HistoryEffect,
  type HistoryEvent,
  type HistoryOptions,
  type HistoryState,
  selectedGroup,
} from '../../src/model/history-state.ts';
import type { Spans } from '../../src/model/spans.ts';
import { historyOptions, newsOf, promptGroup, promptGroups } from './prompts.ts';
import { NOW_MS } from './rows.ts';

/** The machine with its effects at hand. */
class Driver {
  state: HistoryState;
  effects: HistoryEffect[] = [];

  constructor(options: Partial<HistoryOptions> = {}) {
    this.state = createHistory({ ...historyOptions, ...options }, { columns: 120, rows: 20 }, NOW_MS);
    this.send({ type: 'started' });
  }

  send(event: HistoryEvent): this {
    const [state, ...effects] = updateHistory(this.state, event);
    this.state = state;
    this.effects.push(...effects);
    return this;
  }

  press(...names: string[]): this {
    return this.send({ type: 'keys', keys: names.map((name) => ({ name, text: name.length === 1 ? name : '' })) });
  }

  type(text: string): this {
    return this.press(...text);
  }

  /** Answers the last search. */
  answer(news: PromptNews): this {
    return this.send({ type: 'found', seq: this.last('search').seq, news });
  }

  last<T extends HistoryEffect['type']>(type: T): Extract<HistoryEffect, { type: T }> {
    const found = this.effects.findLast((effect) => effect.type === type);
    if (found === undefined) throw new Error(`no effect ${type}`);
    return found as Extract<HistoryEffect, { type: T }>;
  }

  count(type: HistoryEffect['type']): number {
    return this.effects.filter((effect) => effect.type === type).length;
  }
}

const text = (line: Spans): string => line.map((part) => part.text).join('');
const shown = ({ state }: Driver): string | undefined => selectedGroup(state)?.prompt;

it('the first search starts by itself, with the query given', () => {
  expect(new Driver({ query: 'abc' }).last('search')).toMatchObject({ query: 'abc', folders: undefined });
});

it('every text that is typed is searched at once; moving the cursor and blanks at the end search nothing', () => {
  const driver = new Driver().answer(newsOf([])).type('ab');
  expect(driver.last('search').query).toBe('ab');
  // Typed in one breath: one search.
  expect(driver.count('search')).toBe(2);
  driver.press('left', 'right', ' ');
  expect(driver.count('search')).toBe(2);
});

it('late news change nothing', () => {
  const driver = new Driver().type('a');
  const { seq } = driver.last('search');
  driver.type('b').send({ type: 'found', seq, news: newsOf([promptGroup(1)]) });
  expect(driver.state.groups).toEqual([]);
});

it('what was shown stays until the next search has something to show', () => {
  const driver = new Driver().answer(newsOf(promptGroups(3))).type('x');
  expect(driver.state.groups).toHaveLength(3);
  driver.answer(newsOf([], { isDone: false }));
  expect(driver.state.groups).toHaveLength(3);
  driver.answer(newsOf([]));
  expect(driver.state.groups).toEqual([]);
});

it('at the top the newest prompt is meant, further down the one that was chosen', () => {
  const [a, b, c] = [promptGroup(5), promptGroup(6), promptGroup(2)];
  const driver = new Driver().answer(newsOf([a, b], { isDone: false }));
  driver.answer(newsOf([c, a, b], { isDone: false }));
  expect(shown(driver)).toBe(c.prompt);
  driver.press('down', 'down').answer(newsOf([promptGroup(0), c, a, b]));
  expect(shown(driver)).toBe(b.prompt);
});

it('Enter ends with the prompt, exactly', () => {
  const prompt = ' l1\n\u001b[31ml2\t';
  const driver = new Driver().answer(newsOf([promptGroup(0, { prompt })])).press('enter');
  expect(driver.last('exit').exit).toEqual({ kind: 'picked', prompt });
});

it('typing and Enter in one breath take the first hit of that text, not of the one before', () => {
  const driver = new Driver().answer(newsOf(promptGroups(3))).press('x', 'enter');
  expect(driver.count('exit')).toBe(0);
  driver.answer(newsOf([], { isDone: false }));
  expect(driver.count('exit')).toBe(0);
  driver.answer(newsOf([promptGroup(7)], { isDone: false }));
  expect(driver.last('exit').exit).toEqual({ kind: 'picked', prompt: 'Prompt 7' });
});

it('Enter waits for no hits in vain: it says that nothing is selected', () => {
  const driver = new Driver().press('enter').answer(newsOf([]));
  expect(driver.count('exit')).toBe(0);
  expect(driver.state.notice?.text).toBe('No prompt is selected');
});

it('Esc clears the line, then leaves; Ctrl+C leaves at once, also while a search has nothing to show', () => {
  const driver = new Driver().answer(newsOf([])).type('abc').press('esc');
  expect(driver.state.line.text).toBe('');
  expect(driver.press('esc').last('exit').exit).toEqual({ kind: 'left' });
  expect(new Driver().type('a').press('ctrl+c').last('exit').exit).toEqual({ kind: 'interrupted' });
});

it('Tab switches between this folder and everywhere', () => {
  const driver = new Driver().answer(newsOf(promptGroups(3))).press('tab');
  expect(driver.last('search').folders).toEqual(['/home/u/src/lantern']);
  driver.answer(newsOf([])).press('tab');
  expect(driver.last('search').folders).toBeUndefined();
});

it('Ctrl+Y copies the prompt as it is stored', () => {
  const driver = new Driver().answer(newsOf(promptGroups(1))).press('ctrl+y');
  expect(driver.last('copy')).toMatchObject({ text: 'Prompt 0' });
});

const place = (n: number) => ({ path: `/s/${n}.jsonl`, id: `s${n}`, entryId: `e${n}`, timeMs: NOW_MS });

it('Ctrl+O opens the session where it was sent, n and p turn to the other places, Esc comes back', () => {
  const driver = new Driver().answer(newsOf(promptGroups(2))).press('down', 'ctrl+o');
  const { seq, prompt } = driver.last('findPlaces');
  expect(prompt).toBe('Prompt 1');
  driver.send({ type: 'placesFound', seq, places: [place(1), place(2)] });
  expect(driver.last('readPlace').place).toEqual(place(1));
  expect(driver.press('p').state.notice?.text).toMatch('nowhere else');
  expect(driver.press('n').last('readPlace').place).toEqual(place(2));
  expect(driver.press('p').last('readPlace').place).toEqual(place(1));
  driver.press('esc');
  expect(driver.state.overlays).toEqual([]);
  expect(shown(driver)).toBe('Prompt 1');
});

it('a session that is found after another key was pressed does not open', () => {
  const driver = new Driver().answer(newsOf(promptGroups(2))).press('ctrl+o');
  const { seq } = driver.last('findPlaces');
  driver.press('down').send({ type: 'placesFound', seq, places: [place(1)] });
  expect(driver.state.overlays).toEqual([]);
});

it('Esc while the session is looked for stays on the list', () => {
  const driver = new Driver().answer(newsOf(promptGroups(2))).press('ctrl+o', 'esc');
  expect([driver.state.asking, driver.state.exit]).toEqual([undefined, undefined]);
});

it('no session holds it: that is said', () => {
  const driver = new Driver().answer(newsOf(promptGroups(1))).press('ctrl+o');
  driver.send({ type: 'placesFound', seq: driver.last('findPlaces').seq, places: [] });
  expect(text(historyStatus(driver.state))).toContain('No session holds this prompt');
});

it('each problem of a database is told once', () => {
  const driver = new Driver().answer(newsOf(promptGroups(1), { problems: ['a is locked'] }));
  expect(driver.state.notice?.text).toBe('a is locked');
  driver
    .press('down')
    .type('x')
    .answer(newsOf([], { problems: ['a is locked'] }));
  expect(driver.state.notice).toBeUndefined();
  driver.type('y').answer(newsOf([], { problems: ['a is locked', 'b is damaged'] }));
  expect(driver.state.notice?.text).toBe('b is damaged');
});

it('while a database has a problem, time alone asks again', () => {
  const driver = new Driver().answer(newsOf([]));
  driver.send({ type: 'ticked', nowMs: NOW_MS + 1 });
  expect(driver.count('search')).toBe(1);
  driver
    .type('x')
    .answer(newsOf([], { problems: ['locked'] }))
    .send({ type: 'ticked', nowMs: NOW_MS + 2 });
  expect(driver.count('search')).toBe(3);
});

it('a search that fails says why and keeps the list', () => {
  const driver = new Driver().answer(newsOf(promptGroups(2))).press('x', 'enter');
  driver.send({ type: 'searchFailed', seq: driver.last('search').seq, reason: 'the reader ended' });
  expect(driver.state).toMatchObject({ search: undefined, waiting: [], notice: { text: 'the reader ended' } });
  expect(driver.state.groups).toHaveLength(2);
});

it('a pasted text is searched as one line', () => {
  const driver = new Driver().send({ type: 'paste', text: 'one\ntwo\u001b[31m' });
  expect(driver.last('search').query).toBe('one two');
});

const empty = (driver: Driver): string => historyEmptyLines(driver.state, 100).map(text).join('\n');

it('an empty list says why, and what can be done', () => {
  expect(empty(new Driver())).toContain('Searching');
  expect(empty(new Driver().answer(newsOf([], { databaseCount: 0 })))).toMatch(
    /No agent has kept .*~\/\.xcsh\/agent\/history\.db.*history import/s,
  );
  const locked = newsOf([], { databaseCount: 0, problems: ['x is locked'] });
  expect(empty(new Driver().answer(locked))).toMatch(/could be read.*x is locked/s);
  expect(empty(new Driver({ scope: 'here' }).answer(newsOf([])))).toMatch(/in this folder.*Tab/s);
  expect(empty(new Driver().type('x').answer(newsOf([])))).toMatch(/all of these words.*Esc/s);
  expect(empty(new Driver().answer(newsOf([])))).toContain('No prompt yet');
});

it.each([
  ['Fix the Café', 'cafe', ['Café']],
  ['cafe\u0301 au lait', 'CAFÉ', ['cafe\u0301']],
  ['foo bar', 'foo::bar', ['foo', 'bar']],
  ['multi-agent bug', 'multi-agent', ['multi-agent']],
  ['会话迁移', '迁', ['迁']],
  ['a"b"c', '"', ['"', '"']],
  ['Straße', 'strasse', ['Straße']],
  ['aaa', 'a aa', ['aaa']],
  ['nothing', 'xyz', []],
  ['nothing', '', []],
])('in %j the query %j marks %j', (prompt, query, marked) => {
  expect(promptRanges(prompt, query).map(([from, to]) => prompt.slice(from, to))).toEqual(marked);
});

it('of a very long prompt the list shows the part around the hit', () => {
  const prompt = `${'word '.repeat(100_000)}needle ${'word '.repeat(100_000)}`;
  const line = promptLine(prompt, 'needle');
  expect(line.length).toBeLessThan(5_000);
  expect(line).toContain('needle');
});
