import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { neutraliseBlock, neutraliseLine } from '../../src/model/neutralise.ts';
import { fitSpans, span, spansWidth, spread } from '../../src/model/spans.ts';
import { fit, fitEnd, graphemes, truncate, truncateStart, widthCells, wrap } from '../../src/model/text.ts';

const writing = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '日本語',
        'ページ',
        '한국어',
        'naïve',
        'é',
        '👍🏽',
        '🇯🇵',
        '👨‍👩‍👧',
        'นี้',
        'हिन्दी',
        ' ',
        '…│─❯●',
        'a\u0300\u0301',
      ),
    ),
  )
  .map((parts) => neutraliseLine(parts.join('')));
const cells = fc.integer({ min: 0, max: 60 });

it('a text is as wide as Ink takes it to be', () => {
  fc.assert(
    fc.property(writing, (text) => {
      expect(widthCells(text)).toBeGreaterThanOrEqual(stringWidth(text));
      expect(graphemes(text).join('')).toBe(text);
    }),
  );
});

it('every character that is measured without the emoji tables has the width that they give it', () => {
  const wrong: string[] = [];
  for (let unit = 0x20; unit < 0x10000; unit++) {
    const character = String.fromCharCode(unit);
    const width = unit >= 0xd800 && unit < 0xe000 ? 0 : stringWidth(character, { countAnsiEscapeCodes: true });
    if (width > 0 && widthCells(character) !== width) wrong.push(unit.toString(16));
  }
  expect(wrong).toEqual([]);
});

it('a text cut to a width is never wider, and fitted it is exactly as wide', () => {
  fc.assert(
    fc.property(writing, cells, (text, width) => {
      expect(widthCells(truncate(text, width))).toBeLessThanOrEqual(width);
      expect(widthCells(truncateStart(text, width))).toBeLessThanOrEqual(width);
      expect(widthCells(fit(text, width))).toBe(width);
      expect(widthCells(fitEnd(text, width))).toBe(width);
    }),
  );
});

it('pieces fitted to a width are exactly as wide', () => {
  fc.assert(
    fc.property(fc.array(writing), fc.array(writing), cells, (left, right, width) => {
      const spans = left.map((text) => span(text));
      expect(spansWidth(fitSpans(spans, width))).toBe(width);
      expect(
        spansWidth(
          spread(
            spans,
            right.map((text) => span(text)),
            width,
          ),
        ),
      ).toBe(width);
    }),
  );
});

it('no wrapped line is wider than asked, and no word is lost', () => {
  const block = fc.array(writing).map((lines) => neutraliseBlock(lines.join('\n')));
  fc.assert(
    fc.property(block, fc.integer({ min: 1, max: 60 }), (text, width) => {
      const lines = wrap(text, width);
      for (const line of lines) expect(widthCells(line)).toBeLessThanOrEqual(width);
      // A sign wider than the line gives way.
      if (graphemes(text).some((sign) => widthCells(sign) > width)) return;
      expect(lines.join('').replace(/\s/gu, '')).toBe(text.replace(/\s/gu, ''));
    }),
  );
});

it('lines break at spaces, within a word only when it is longer than a line', () => {
  expect(wrap('the quick brown fox', 9)).toEqual(['the quick', 'brown fox']);
  expect(wrap('abcdefghij kl', 4)).toEqual(['abcd', 'efgh', 'ij', 'kl']);
  expect(wrap('a\n\nb', 4)).toEqual(['a', '', 'b']);
  expect(wrap('日本語', 5)).toEqual(['日本', '語']);
});

it('a wide character in a line of one cell is replaced', () => {
  expect(wrap('日a', 1)).toEqual(['?', 'a']);
});

it('a path is cut at its start, a title at its end', () => {
  expect(truncateStart('/home/u/src/lantern', 8)).toBe('…lantern');
  expect(truncate('日本語の題', 6)).toBe('日本…');
  expect(truncate('abc', 0)).toBe('');
});

it('a huge text is cut without measuring all of it', () => {
  expect(widthCells(truncate('é👍'.repeat(2_000_000), 10))).toBeLessThanOrEqual(10);
  expect(wrap('x'.repeat(3_000_000), 80, 3)).toHaveLength(3);
});
