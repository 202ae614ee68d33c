import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonOfList, quoteForShell, toJson } from '../src/output.ts';

test('a list that is written piece by piece is the JSON of the whole', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.array(fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (before, items, after) => {
        const [head, tail] = [{ version: 1, before }, Object.keys(after).length === 0 ? {} : { after }];
        expect([...jsonOfList(head, 'list', items, tail)].join('')).toBe(toJson({ ...head, list: items, ...tail }));
      },
    ),
  );
});

test('control characters are escaped, and come back', () => {
  const text = '\u0000\u001b[2J\u007f\u0085\u009b';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
  expect(toJson(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  expect(JSON.parse(toJson(text))).toBe(text);
});

test.each([
  ['plain/path_1.jsonl', 'plain/path_1.jsonl'],
  ['two words', "'two words'"],
  ["it's", "'it'\\''s'"],
  ['$(rm)', "'$(rm)'"],
  ['', "''"],
  ['~', "'~'"],
])('%s is quoted for a shell as %s', (word, quoted) => {
  expect(quoteForShell(word)).toBe(quoted);
});
