import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SessionRow } from '../../src/catalog/session-row.ts';
import { parseQuery } from '../../src/model/query.ts';
import { matchRanges, searchRows } from '../../src/model/search.ts';
import { HOUR_MS, NOW_MS, sessionRow, sessionRows } from './rows.ts';

function search(rows: readonly SessionRow[], line: string): readonly SessionRow[] {
  const work = searchRows(rows, parseQuery(line, NOW_MS));
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

const rows = [
  sessionRow(0, { title: 'Fix login redirect', cwd: '/w/lantern', models: ['claude-opus-5'], branchCount: 2 }),
  sessionRow(1, {
    title: null,
    firstMessage: 'please fix the\nredirect of the LOGIN page',
    agent: 'pi',
    damagedLines: 1,
  }),
  sessionRow(2, {
    title: 'Write docs',
    cwd: '/w/日本語',
    models: null,
    labelCount: 1,
    labels: ['GoodPoint'],
    hasImages: true,
    branchCount: null,
  }),
  sessionRow(3, {
    title: 'C++ and foo::bar at 100%',
    firstMessage: "don't use it",
    modifiedMs: NOW_MS - 100 * HOUR_MS,
  }),
];

it.each([
  ['a word of the title or the first prompt, in any case', 'LOGIN', [0, 1]],
  ['words in any order, all of them', 'redirect fix', [0, 1]],
  ['a phrase, also over a line break', '"fix the redirect"', [1]],
  ['a phrase that is not typed to its end, as words', '"fix login', [0, 1]],
  ['a word that must not be there', 'redirect -please', [0]],
  ['a folder', '日本', [2]],
  ['an id', '19c2be117d20e902', [2]],
  ['dir:', 'dir:lantern fix', [0, 1]],
  ['not dir:', '-dir:/home', [0, 2]],
  ['agent:', 'agent:pi', [1]],
  ['model:, where it is known', 'model:opus fix', [0, 1]],
  ['before: an age', 'before:3d', [3]],
  ['after: a date', 'after:2026-03-01', [0, 1, 2]],
  ['after: and before:', 'after:2026-01 before:2026-03', [3]],
  ['has:damage', 'has:damage', [1]],
  ['has:images', 'has:images', [2]],
  ['label:', 'label:good', [2]],
  ['a label as a word', 'goodpoint', [2]],
  ['has:branches, where it is known', 'has:branches', [0]],
  ['not has:', '-has:labels', [0, 1, 3]],
  ['what looks like an operator and is none', 'foo::bar', [3]],
  ['an apostrophe', "don't", [3]],
  ['a percent sign', '100%', [3]],
  ['plus signs', 'c++', [3]],
])('%s finds what it should', (_, line, expected) => {
  expect(search(rows, line).map((row) => rows.indexOf(row))).toEqual(expected);
});

it('literal hits keep their order, and fuzzy ones follow with the best first', () => {
  const mixed = [
    sessionRow(0, { title: 'a very long road' }),
    sessionRow(1, { title: 'login form' }),
    sessionRow(2, { title: 'lxoxgxixn' }),
    sessionRow(3, { title: 'the login' }),
    sessionRow(4, { title: 'loginn', cwd: '/x/lo gin' }),
    sessionRow(5, { title: 'log in' }),
  ];
  const found = search(mixed, 'login').map((row) => mixed.indexOf(row));
  expect(found.slice(0, 3)).toEqual([1, 3, 4]);
  expect(found[3]).toBe(5);
  expect(found).not.toContain(0);
});

it.each([
  'multi-agent',
  '--error',
  'AND',
  '"',
  '*',
  '(',
  '^',
  '-',
  'NEAR(a b)',
  'p:x',
  '"unbalanced',
  '\u0000',
  '[a-',
  '\\',
])('the text %j is searched without complaint', (line) => {
  const hit = sessionRow(9, { title: `see ${line} here` });
  const query = parseQuery(line, NOW_MS);
  expect(query.problems).toEqual([]);
  if (query.terms.every((term) => !term.isNot)) expect(search([hit], line)).toEqual([hit]);
});

it.each([
  ['re:^Fix.+$', '^Fix.+$', 'iu', false],
  ['re:"two words"', 'two words', 'iu', false],
  ['-re:\\p{Lu}', '\\p{Lu}', 'iu', true],
  ['re:a\\-b', 'a\\-b', 'i', false],
])('%s is a pattern, its letters as they are typed', (line, source, flags, isNot) => {
  expect(parseQuery(line, NOW_MS).terms).toEqual([{ kind: 'pattern', source, flags, isNot }]);
});

it('what cannot be searched is said, not searched literally', () => {
  for (const line of ['re:(a', 're:[b-a]', 'has:socks', 'before:soon']) {
    const { terms, problems } = parseQuery(line, NOW_MS);
    expect(terms).toEqual([]);
    expect(problems).toHaveLength(1);
  }
});

it('a filter whose value is not typed yet narrows nothing', () => {
  expect(parseQuery('dir: agent: before: has:', NOW_MS)).toEqual({ terms: [], words: [], problems: [] });
});

it('a search comes in slices, and giving one up is all it takes to end it', () => {
  const work = searchRows(sessionRows(10_000), parseQuery('session 9', NOW_MS));
  let slices = 0;
  while (work.next().done !== true) slices++;
  expect(slices).toBeGreaterThan(100);
});

it('any text can be searched', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (line) => {
      expect(search(rows, line).length).toBeLessThanOrEqual(rows.length);
    }),
  );
});

it('what matches is marked where it stands', () => {
  expect(matchRanges('Fix Login, login', ['login', 'fix'])).toEqual([
    [0, 3],
    [4, 9],
    [11, 16],
  ]);
  expect(matchRanges('a log in b', ['login'])).toEqual([
    [2, 5],
    [6, 8],
  ]);
  expect(matchRanges('İstanbul', ['stan'])).toEqual([]);
});
