import type { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openInMemory } from '../../src/session/history-database.ts';
import { countPrompts, recentPrompts, wordHits } from '../../src/session/history-query.ts';
import { ensureSchema } from '../../src/session/history-schema.ts';
import { searchPrompts, substringHits } from '../../src/session/history-substrings.ts';
import { foldText } from '../../src/session/prompt-words.ts';
import { PLAIN_QUERY, XCSH_SCHEMA } from './history-helpers.ts';

interface Stored {
  readonly prompt: string;
  readonly time: number;
  readonly cwd?: string;
}

/** A database in memory, with our schema or that of xcsh. */
function fill(rows: readonly Stored[], schema: 'ours' | 'xcsh' = 'ours'): DatabaseSync {
  const db = openInMemory();
  onTestFinished(() => db.close());
  addRows(db, rows, schema);
  return db;
}

function addRows(db: DatabaseSync, rows: readonly Stored[], schema: 'ours' | 'xcsh'): void {
  if (schema === 'ours') ensureSchema(db);
  else db.exec(XCSH_SCHEMA);
  db.exec('BEGIN');
  const insert = db.prepare('INSERT INTO history(prompt, created_at, cwd) VALUES (?, ?, ?)');
  for (const { prompt, time, cwd } of rows) insert.run(prompt, time, cwd ?? null);
  db.exec('COMMIT');
}

function prompts(entries: readonly { readonly prompt: string }[]): string[] {
  return entries.map((entry) => entry.prompt);
}

const REPORTED = [
  'fix multi-agent bug',
  "don't use C++ or foo::bar",
  'open src/session/manager.ts',
  '--error-on-warnings flag',
  '100% AND 50% NOT done',
  'a"b"c',
].map((prompt, index) => ({ prompt, time: index }));

describe('text is literal words', () => {
  test.each([
    ['multi-agent', ['fix multi-agent bug']],
    ["don't", ["don't use C++ or foo::bar"]],
    ['foo::bar', ["don't use C++ or foo::bar"]],
    ['src/session', ['open src/session/manager.ts']],
    ['--error-on-warnings', ['--error-on-warnings flag']],
    ['100%', ['100% AND 50% NOT done']],
    ['AND', ['100% AND 50% NOT done']],
    ['NOT done', ['100% AND 50% NOT done']],
    ['OR', ["don't use C++ or foo::bar"]],
    ['a"b', ['a"b"c']],
    ['"', []],
    ['*', []],
    ['(', []],
    ['^', []],
    ['-', []],
    ['NEAR(a b)', []],
    ['p:x', []],
    ['prompt:fix', []],
    ['{prompt}: fix', []],
    ['"unbalanced', []],
    ['^fix', ['fix multi-agent bug']],
    ['fix*', ['fix multi-agent bug']],
    ['fix - bug', ['fix multi-agent bug']],
    ['fix\0bug', ['fix multi-agent bug']],
    ['\0', []],
    ['', []],
    [' \t\n', []],
    ['\ud800', []],
  ])('%j', (query, expected) => {
    const db = fill(REPORTED);
    expect(prompts(wordHits(db, query, 10))).toEqual(expected);
    expect(() => [...searchPrompts(db, query, { limit: 10 })]).not.toThrow();
  });

  test.each([
    ['one long word', 'x'.repeat(10_000)],
    ['one word again and again', 'qq '.repeat(3300)],
    ['one word of many tokens', 'a-'.repeat(5000)],
    ['many words', Array.from({ length: 3000 }, (_, i) => `w${i}`).join(' ')],
    ['many percent signs', '%'.repeat(10_000)],
  ])('ten thousand characters: %s', (_name, query) => {
    const db = fill([...REPORTED, { prompt: `zz${query}`, time: 99 }]);
    expect([...searchPrompts(db, query, { limit: 10 })].flat().length).toBeLessThanOrEqual(1);
  });

  test.each(['"', '(', '%', '-', '::', '+'])('punctuation alone, %j, is found as it stands', (query) => {
    const db = fill(REPORTED);
    const found = [...searchPrompts(db, query, { limit: 10 })].flat();
    expect(prompts(found)).toEqual(prompts(REPORTED.filter(({ prompt }) => prompt.includes(query)).reverse()));
    expect(found.every((hit) => hit.match === 'substring')).toBe(true);
  });

  test('no text makes the search throw', () => {
    const db = fill(REPORTED);
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({ unit: fc.constantFrom(...'"\'*()^-+:{}%_\\ \0ANDORTab1é漢') }),
      fc.constantFrom('AND', 'OR', 'NOT', 'NEAR(', '" OR "', '"*', "';--"),
    );
    fc.assert(
      fc.property(text, (query) => {
        wordHits(db, query, 10);
        for (const hits of searchPrompts(db, query, { limit: 10 })) expect(hits.length).toBeLessThanOrEqual(10);
      }),
      { numRuns: 10_000 },
    );
  }, 30_000);
});

describe('the word tier is the plain query’s list', () => {
  const WORDS = ['tree', 'test', 'the', 'two', 'alpha', 'beta', 'b', 'tést', 'Test-case', '検索'];
  const rows = fc.array(
    fc.record({
      prompt: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
      time: fc.integer({ min: 0, max: 60 }),
    }),
    { maxLength: 120 },
  );
  const query = fc
    .array(fc.constantFrom('t', 'te', 'tes', 'test', 'th', 'a', 'b', 'be', '検', 'é', 'zz', '-'), {
      minLength: 1,
      maxLength: 3,
    })
    .map((words) => words.join(' '));
  const plainMatch = (text: string) =>
    text
      .split(' ')
      .map((word) => `"${word}"*`)
      .join(' ');

  function expectPlainList(db: DatabaseSync, text: string, limit: number): void {
    const expected = db.prepare(PLAIN_QUERY).all(plainMatch(text), limit);
    expect(wordHits(db, text, limit).map((hit) => hit.id)).toEqual(expected.map((row) => row['id']));
  }

  test.each(['ours', 'xcsh'] as const)('whatever the order of times, in a database of %s', (schema) => {
    fc.assert(
      fc.property(rows, query, fc.integer({ min: 1, max: 12 }), (stored, text, limit) => {
        const db = openInMemory();
        addRows(db, stored, schema);
        expectPlainList(db, text, limit);
        db.close();
      }),
      { numRuns: 400 },
    );
  });

  test('when an old row has a newer time than all that come after it', () => {
    const stored = Array.from({ length: 5000 }, (_, i) => ({ prompt: `test ${i}`, time: i }));
    stored[17] = { prompt: 'test late', time: 9999 };
    stored[18] = { prompt: 'other late', time: 9999 };
    const db = fill(stored);
    expect(prompts(wordHits(db, 'tes', 2))).toEqual(['test late', 'test 4999']);
    expectPlainList(db, 'tes', 100);
    expectPlainList(db, 't', 100);
  });

  test('when hits are rare and all of them old', () => {
    const stored = Array.from({ length: 20_000 }, (_, i) => ({ prompt: i < 400 ? `rare ${i}` : 'common', time: i }));
    stored[3] = { prompt: 'rare late', time: 15_000 };
    const db = fill(stored);
    expect(prompts(wordHits(db, 'rare', 1))).toEqual(['rare late']);
    for (const limit of [1, 5, 100, 300]) expectPlainList(db, 'rare', limit);
  });

  test('when an index has another tokenizer than the usual one', () => {
    const db = openInMemory();
    onTestFinished(() => db.close());
    db.exec(XCSH_SCHEMA.replace("content_rowid='id'", "content_rowid='id', tokenize='trigram'"));
    addRows(
      db,
      Array.from({ length: 50 }, (_, i) => ({ prompt: `a trigram ${i}`, time: i })),
      'xcsh',
    );
    expectPlainList(db, 'gram', 5);
    expectPlainList(db, 'a', 5);
  });
});

describe('a folder', () => {
  test('narrows recall, search and count before the limit', () => {
    const stored = Array.from({ length: 500 }, (_, i) => ({
      prompt: `test ${i}`,
      time: i,
      cwd: i < 3 ? '/w/rare' : '/w',
    }));
    const db = fill(stored);
    const scope = { cwd: '/w/rare' };
    const expected = ['test 2', 'test 1', 'test 0'];
    expect(prompts(recentPrompts(db, 10, scope))).toEqual(expected);
    expect(prompts(wordHits(db, 'te', 10, scope))).toEqual(expected);
    expect(prompts([...substringHits(db, 'est', { limit: 10, ...scope })].flat())).toEqual(expected);
    expect(countPrompts(db, scope)).toBe(3);
    expect(countPrompts(db)).toBe(500);
  });
});

describe('the substring tier', () => {
  const found = (db: DatabaseSync, query: string, limit = 10) => [...searchPrompts(db, query, { limit })].flat();

  test.each([
    ['STORAGE', 'the sessionstorage file'],
    ['école', 'préÉCOLEment'],
    ['ECOLE', 'préécolement'],
    ['索', '検索を保存'],
    ['か', 'これはかばん'],
    ['색', '검색 결과'],
    ['δοσ', 'ΟΔΟΣΑ'],
    ['strasse', 'Hauptstraße'],
    ['йога', 'ПЙОГА'],
    ['l', 'http://xl'],
    ['50%', 'exactly 150%x'],
    ['a_b', 'xa_by'],
    ['a\\b', 'xa\\b'],
    ['👍', 'ok👍🏽'],
    ['after', 'a\0thereafter'],
    ['or on', 'error, icon'],
  ])('finds %j in %j', (query, prompt) => {
    const db = fill([
      { prompt: 'zzz', time: 1 },
      { prompt, time: 2 },
      { prompt: 'yyy', time: 3 },
    ]);
    expect(found(db, query)).toMatchObject([{ id: 2, match: 'substring' }]);
  });

  test.each([
    ['が', 'かばん'],
    ['a_b', 'xaxby'],
    ['0%', '50 percent'],
    ['or missing', 'error'],
  ])('does not find %j in %j', (query, prompt) => {
    expect(found(fill([{ prompt, time: 1 }]), query)).toEqual([]);
  });

  test('comes after all word hits, each newest first, and repeats none', () => {
    const db = fill([
      { prompt: 'testing', time: 1 },
      { prompt: 'a test', time: 2 },
      { prompt: 'contest', time: 9 },
      { prompt: 'latest', time: 8 },
      { prompt: 'contest late id', time: 3 },
    ]);
    expect(found(db, 'test').map((hit) => `${hit.match} ${hit.prompt}`)).toEqual([
      'word a test',
      'word testing',
      'substring contest',
      'substring latest',
      'substring contest late id',
    ]);
    expect(found(db, 'test', 3)).toHaveLength(3);
  });

  test('is not begun when the words fill the limit', () => {
    const db = fill(Array.from({ length: 20 }, (_, i) => ({ prompt: `test contest ${i}`, time: i })));
    expect([...searchPrompts(db, 'test', { limit: 5 })]).toHaveLength(1);
  });

  test('goes through the history in slices, between which the caller can stop', () => {
    const db = fill(
      Array.from({ length: 10_000 }, (_, i) => ({ prompt: i === 10 ? 'xneedlex' : 'hay', time: i >> 1 })),
    );
    const slices = [...substringHits(db, 'needle', { limit: 5 })];
    expect(slices.length).toBeGreaterThan(3);
    expect(slices.flat()).toMatchObject([{ id: 11 }]);
    const [first] = substringHits(db, 'needle', { limit: 5 });
    expect(first).toEqual([]);
    expect(wordHits(db, 'hay', 1)).toHaveLength(1);
  });

  test('meets every prompt once, however many share a second', () => {
    const times = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 4000, maxLength: 6000 });
    fc.assert(
      fc.property(times, (all) => {
        const db = openInMemory();
        addRows(
          db,
          all.map((time, index) => ({ prompt: index % 9 === 0 ? 'xhay' : 'straw', time })),
          'ours',
        );
        const hits = [...substringHits(db, 'hay', { limit: 1000 })].flat();
        const sql = "SELECT id FROM history WHERE prompt = 'xhay' ORDER BY created_at DESC, id DESC";
        expect(hits.map((hit) => hit.id)).toEqual(
          db
            .prepare(sql)
            .all()
            .map((row) => row['id']),
        );
        db.close();
      }),
      { numRuns: 5 },
    );
  });

  test('finds exactly what comparing every folded text finds', () => {
    const unit = fc.constantFrom(...'abcABÉéÈßσΣς検索 -%_İıК\0');
    const text = fc.string({ unit, minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), text, (stored, query) => {
        const db = openInMemory();
        addRows(
          db,
          stored.map((prompt, time) => ({ prompt, time })),
          'ours',
        );
        const words = query.split(/[ \0]/).map(foldText);
        const isHit = (prompt: string) => words.every((word) => foldText(prompt).includes(word));
        const expected = words.join('') === '' ? [] : stored.filter(isHit).reverse();
        expect(prompts([...substringHits(db, query, { limit: 1000 })].flat())).toEqual(expected);
        db.close();
      }),
      { numRuns: 300 },
    );
  });
});
