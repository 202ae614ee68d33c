import { expect, test } from 'vitest';
import { readRecords } from './reading-helpers.ts';

const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}';
const TITLE = '{"type":"title","v":1,"title":"T","pad":""}';
const ENTRY = '{"type":"label","id":"l","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","targetId":"x"}';

function kinds(content: string): string[] {
  return readRecords(content).map(({ kind }) => kind);
}

test('the header is the first value', () => {
  expect(kinds(`${HEADER}\n${ENTRY}\n`)).toEqual(['header', 'entry']);
});

test("omp's title line may stand before the header", () => {
  expect(kinds(`${TITLE}\n${HEADER}\n${ENTRY}\n`)).toEqual(['title', 'header', 'entry']);
});

test('garbage before the header is skipped', () => {
  expect(kinds(`{nope\n${HEADER}\n`)).toEqual(['damage', 'header']);
});

test('a file whose first value is an entry has no header, and its entries can be read', () => {
  expect(kinds(`${ENTRY}\n${HEADER}\n${ENTRY}\n`)).toEqual(['entry', 'extra', 'entry']);
});

test('a header without a string id is none', () => {
  expect(kinds('{"type":"session","id":7}\n')).toEqual(['extra']);
});

test('a later header or title line is kept and is no entry', () => {
  expect(kinds(`${HEADER}\n${HEADER}\n${TITLE}\n`)).toEqual(['header', 'extra', 'extra']);
});

test('values that are no entries are damage', () => {
  const records = readRecords(`${HEADER}\nnull\n12\n[]\n{"a":1}\n`);
  expect(records.slice(1).map((record) => (record.kind === 'damage' ? record.reason : record.kind))).toEqual(
    Array(4).fill('not_an_entry'),
  );
});

test('an entry of a type that nobody knows is an entry', () => {
  expect(readRecords(`${HEADER}\n{"type":"future","id":"f","parentId":"x"}\n`).at(-1)).toMatchObject({
    kind: 'entry',
    head: { type: 'future', id: 'f', parentId: 'x', timestamp: undefined },
  });
});
