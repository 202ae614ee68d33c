import fc from 'fast-check';
import { expect, it } from 'vitest';
import { neutraliseBlock, neutraliseLine } from '../../src/model/neutralise.ts';

it.each([
  ['a title that sets the clipboard and clears the screen', '\u001b]52;c;cHduZWQ=\u0007\u001b[2Jx\u009b31m', 'x'],
  ['a label that sets the window title', 'a\u001b]0;pwn\u0007b', 'ab'],
  ['a coloured folder', '/w/\u001b[31m', '/w/'],
  ['carriage return and backspace', 'l1\rl2\u0008\u0008', 'l1 l2'],
  ['a device control string', 'a\u001bP1$r0m\u001b\\b', 'ab'],
  ['an application command in its 8-bit form', 'a\u009fsecret\u009cb', 'ab'],
  ['a character set switch', 'a\u001b(0b', 'ab'],
  ['a full reset', 'a\u001bcb', 'ab'],
  ['a lone ESC at the end', 'a\u001b', 'a'],
  ['a bidirectional override', 'a\u202etxt.exe', 'atxt.exe'],
  ['zero-width characters', 'a\u200b\ufeff\u2060b', 'ab'],
  ['tabs and line breaks', 'a\t\tb\r\nc', 'a b c'],
  ['half a surrogate pair', 'a\ud800b', 'a\ufffdb'],
  ['a mark without a letter', '\u0301abc', 'abc'],
])('%s is neutralised as a whole', (_, text, expected) => {
  expect(neutraliseLine(text)).toBe(expected);
});

it('a string sequence without an end does not swallow the text', () => {
  expect(neutraliseLine('a\u001b]0;b c')).toBe('a0;b c');
});

it('a block keeps its lines, and tabs become spaces', () => {
  expect(neutraliseBlock('a\tb\r\nc\rd\n\u001b[1me')).toBe('a    b\nc\nd\ne');
});

it('letters, marks and joiners that belong to a writing stay', () => {
  for (const text of ['naïve café', 'עברית', 'می\u200cخواهم', 'हिन्दी', '한국어', '日本語'])
    expect(neutraliseLine(text)).toBe(text);
});

it('emoji stand in the form that every terminal gives the same width', () => {
  expect(neutraliseLine('❤️ 👍🏽 🇯🇵 👨‍👩‍👧 1️⃣ 🧑‍💻')).toBe('❤ 👍 JP 👨 1 🧑');
});

const hostile = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '\u001b[',
      '\u001b]',
      '\u009b',
      '\u009d',
      '\u0090',
      '\u0007',
      '\u001b\\',
      '\u202e',
      '\u200d',
      '\u001b',
      'm',
      ';1',
      '\n',
    ),
  ),
);

it('no control and no bidirectional override survives', () => {
  fc.assert(
    fc.property(hostile, (parts) => {
      const text = parts.join('');
      expect(neutraliseLine(text)).not.toMatch(/[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u);
      expect(neutraliseBlock(text)).not.toMatch(/(?!\n)[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u);
    }),
  );
});

it('what is neutral already stays as it is', () => {
  fc.assert(
    fc.property(hostile, (parts) => {
      const once = neutraliseBlock(parts.join(''));
      expect(neutraliseBlock(once)).toBe(once);
    }),
  );
});

it('a million introducers take no longer than a text of their length', () => {
  expect(neutraliseLine('\u009d'.repeat(1_000_000))).toBe('');
  expect(neutraliseLine(`${'\u001b]x'.repeat(300_000)}end`)).toBe(`${'x'.repeat(300_000)}end`);
});
