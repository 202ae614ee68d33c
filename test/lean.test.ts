import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { LeanSegmenter } from '../scripts/lean/segmenter.ts';
import { leanStringWidth } from '../scripts/lean/string-width.ts';

const width = leanStringWidth(() => stringWidth);
const piece = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'binary-ascii' }),
  fc.constantFrom(
    '\u001b[31m',
    '\u001b[0m',
    '\u001b[38;2;1;2;3m',
    '\u001b]8;;x\u0007',
    '\r\n',
    '\n',
    '│',
    '─',
    '…',
    '❯',
    '世界',
    'が',
    '한글',
    'é',
    '👩‍💻',
    '🇯🇵',
    '\u200b',
  ),
);
const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));

test('widths are those of string-width, whatever the text', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(width(value)).toBe(stringWidth(value));
    }),
    { numRuns: 3000 },
  );
});

test('widths and graphemes are the real ones for every single character, and next to another', () => {
  const wrong: string[] = [];
  const lean = new LeanSegmenter();
  const real = new Intl.Segmenter();
  const ranges = [
    [0, 0x3400],
    [0x4e00, 0x4e10],
    [0x9ff0, 0xa010],
    [0xabf0, 0xac10],
    [0xd790, 0xe000],
    [0xfe00, 0x10000],
    [0x1f000, 0x1fb00],
  ] as const;
  for (const [from, to] of ranges) {
    for (let code = from; code < to; code++) {
      const character = String.fromCodePoint(code);
      for (const value of [character, `${character}a`, `世${character}`]) {
        if (width(value) !== stringWidth(value)) wrong.push(`${code.toString(16)}: ${width(value)}`);
        if ([...lean.segment(value)].length !== [...real.segment(value)].length)
          wrong.push(`${code.toString(16)}: cut`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test('options are passed on', () => {
  expect(width('│', { ambiguousIsNarrow: false })).toBe(stringWidth('│', { ambiguousIsNarrow: false }));
  expect(width('\u001b[1mx', { countAnsiEscapeCodes: true })).toBe(
    stringWidth('\u001b[1mx', { countAnsiEscapeCodes: true }),
  );
});

test('graphemes are those of Intl.Segmenter, whatever the text', () => {
  const lean = new LeanSegmenter(undefined, { granularity: 'grapheme' });
  const real = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  fc.assert(
    fc.property(text, fc.nat(8), (value, at) => {
      expect([...lean.segment(value)]).toEqual([...real.segment(value)]);
      expect(lean.segment(value).containing(at)).toEqual(real.segment(value).containing(at));
    }),
    { numRuns: 3000 },
  );
});

test('words are left to the real segmenter', () => {
  const words = new LeanSegmenter('en', { granularity: 'word' });
  expect([...words.segment('two words')].map(({ segment }) => segment)).toEqual(['two', ' ', 'words']);
});
