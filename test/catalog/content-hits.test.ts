import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdsAll, matchOf, parseContentQuery, snippetOf } from '../../src/catalog/content-query.ts';
import { CatalogFolder, type OpenCatalog } from './catalog-folder.ts';

const AT = '2026-01-02T03:04:05.678Z';

const header = (id: string): object => ({
  type: 'session',
  version: 3,
  id,
  timestamp: AT,
  cwd: '/w',
  title: `quokka ${id}`,
});

function entry(id: string, message: object): object {
  return { type: 'message', id, parentId: null, timestamp: AT, message: { ...message, timestamp: 1 } };
}

let folder: CatalogFolder;
let catalog: OpenCatalog;
let paths: readonly string[];

beforeAll(() => {
  folder = new CatalogFolder();
  const call = { type: 'toolCall', id: 'c', name: 'read', arguments: { path: 'quokka/a.ts' } };
  paths = ['one', 'two', 'three'].map((id) =>
    folder.write(`--w--/2026-01-02T03-04-05-678Z_${id}.jsonl`, [
      header(id),
      entry('prompt', { role: 'user', content: 'the quokkas' }),
      entry('said', { role: 'assistant', content: [{ type: 'text', text: 'a quokka' }, call] }),
      entry('called', { role: 'assistant', content: [{ type: 'text', text: 'a look' }, call] }),
      entry('output', {
        role: 'toolResult',
        toolCallId: 'c',
        toolName: 'read',
        content: [{ type: 'text', text: 'quokka' }],
      }),
      { type: 'label', id: 'label', parentId: null, timestamp: AT, targetId: 'said', label: 'quokka' },
    ]),
  );
  catalog = folder.open();
  catalog.update();
});
afterAll(() => {
  catalog[Symbol.dispose]();
  folder[Symbol.dispose]();
});

it('a hit tells what it stands in, and whether as a word', () => {
  const hits = [...catalog.search('quokka', paths.slice(0, 1)), ...catalog.searchOutput('quokka')];
  const told = hits.filter(({ path }) => path === paths[0]).map((hit) => [hit.entryId, hit.place, hit.match]);
  expect(new Map(told.map(([id, ...rest]) => [id, rest]))).toEqual(
    new Map([
      [null, ['name', 'phrase']],
      ['prompt', ['prompt', 'parts']],
      ['said', ['text', 'phrase']],
      ['called', ['call', 'phrase']],
      ['label', ['name', 'phrase']],
      ['output', ['output', 'phrase']],
    ]),
  );
});

it('only the sessions asked for are searched; of files that are not known there is nothing', () => {
  const found = (within?: readonly string[]): ReadonlySet<string> =>
    new Set(catalog.search('quokka', within).map(({ path }) => path));
  expect(found()).toEqual(new Set(paths));
  expect(found([paths[1] ?? ''])).toEqual(new Set([paths[1]]));
  expect(found([paths[2] ?? '', '/not/there.jsonl'])).toEqual(new Set([paths[2]]));
  expect(found([])).toEqual(new Set());
});

describe('how well a text holds words', () => {
  it.each([
    ['fix login', 'please fix login now', 'phrase'],
    ['fix login', 'please fix\n login', 'phrase'],
    ['fix login', 'the login: fix it', 'words'],
    ['fix login', 'fix logins', 'parts'],
    ['"fix login" now', 'now fix login', 'words'],
    ['retry', 'retry_count', 'phrase'],
    ['retry', 'noretry, retrying, retry', 'phrase'],
    ['retry', 'noretry', 'parts'],
    ['cafe', 'CAFÉ!', 'phrase'],
    ['記', '日記帳', 'phrase'],
    ['세션', '세션목록', 'phrase'],
    ['𝒜b', 'x𝒜b', 'parts'],
    ['foo::', 'foo::bar', 'phrase'],
  ])('%s in %j', (query, text, match) => {
    expect(matchOf(text, parseContentQuery(query))).toBe(match);
  });
});

it('in many texts too, only those of the sessions asked for are found, the newest first', () => {
  using many = new CatalogFolder();
  const write = (id: string, count: number, word: string): string =>
    many.write(`--w--/2026-01-02T03-04-05-678Z_${id}.jsonl`, [
      header(id),
      ...Array.from({ length: count }, (_, n) => entry(`e${n}`, { role: 'user', content: `${word} wombat ${n}` })),
    ]);
  const old = write('old', 2_200, 'some');
  for (let n = 0; n < 3; n++) write(`new${n}`, 900, 'other');
  using opened = many.open();
  opened.update();
  for (const text of ['wombat', 'mba', 'wo', 'w']) {
    const hits = opened.search(text, [old]);
    expect(hits.length, text).toBeGreaterThanOrEqual(2_000);
    expect(new Set(hits.map(({ path }) => path)), text).toEqual(new Set([old]));
    expect(hits[0]?.entryId, text).toBe('e2199');
  }
  expect(opened.search('some wombat 17', [old]).map(({ entryId }) => entryId)).toContain('e17');
});

it('texts with what is not wanted are no hits', () => {
  const found = (text: string, ...without: readonly string[]): boolean =>
    holdsAll(text, parseContentQuery('fix', without));
  expect(found('fix the login')).toBe(true);
  expect(found('fix the Logins', 'login')).toBe(false);
  expect(found('fix the\nlogin', 'the login')).toBe(false);
  expect(found('fix the other login', 'the login', ' ')).toBe(true);
});

it('a snippet shows the words side by side, where they stand so', () => {
  const filler = 'some other words '.repeat(30);
  expect(snippetOf(`fix it. ${filler}now FIX\nlogin at last`, parseContentQuery('fix login'))).toMatch(/now FIX login/);
  expect(snippetOf(`fix it. ${filler}now fix login at last`, parseContentQuery('fix login'))).toMatch(/now fix login/);
  expect(snippetOf(`login ${filler} fix`, parseContentQuery('fix login'))).toMatch(/^login/);
});
