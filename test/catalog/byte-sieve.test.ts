import fc from 'fast-check';
import { expect, it } from 'vitest';
import { byteSieve, holdsAll, parseContentQuery } from '../../src/catalog/content-query.ts';

const piece = fc.oneof(
  fc.constantFrom(
    'Deploy',
    'café',
    'CAFÉ',
    'a/b',
    'say "hi"',
    'back\\slash',
    'two\nlines',
    'Straße',
    'K',
    'İ',
    '检索',
    '\u0001',
  ),
  fc.string({ maxLength: 4 }),
  fc.string({ unit: 'grapheme', maxLength: 3 }),
);
const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(' '));

/** As other writers of JSON put it: what is beyond ASCII, and slashes, escaped. */
function escaped(json: string): string {
  return json
    .replaceAll('/', '\\/')
    .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

it('an entry whose text holds a query passes, however its bytes are written', () => {
  let held = 0;
  fc.assert(
    fc.property(text, piece, fc.nat(), fc.nat(), (value, other, from, length) => {
      const start = from % (value.length + 1);
      for (const words of [value.slice(start, start + 1 + (length % 8)), other]) {
        const query = parseContentQuery(words);
        if (query.needles.length === 0 || !holdsAll(value, query)) continue;
        held++;
        const json = JSON.stringify({ type: 'message', message: { content: value } });
        for (const written of [json, escaped(json)]) expect(byteSieve(query)(Buffer.from(written))).toBe(true);
      }
    }),
    { numRuns: 3000 },
  );
  expect(held).toBeGreaterThan(500);
});

it('an entry of plain bytes without the word does not pass', () => {
  const sieve = byteSieve(parseContentQuery('telemetry'));
  expect(sieve(Buffer.from('{"content":"Tele and metry apart"}'))).toBe(false);
  expect(sieve(Buffer.from('{"content":"TeleMetry"}'))).toBe(true);
});
