import fc from 'fast-check';
import { expect, it } from 'vitest';
import { editLine, insert, type Line, type LineAction, lineOf } from '../../src/model/line-edit.ts';
import { graphemes } from '../../src/model/text.ts';

const actions: readonly LineAction[] = [
  'left',
  'right',
  'wordLeft',
  'wordRight',
  'lineStart',
  'lineEnd',
  'deleteLeft',
  'deleteRight',
  'deleteWordLeft',
  'deleteWordRight',
  'deleteToStart',
  'deleteToEnd',
];

/** A line with `|` where the cursor is. */
function line(marked: string): Line {
  const [before = '', after = ''] = marked.split('|');
  return { text: before + after, cursor: graphemes(before).length };
}

function show({ text, cursor }: Line): string {
  const parts = graphemes(text);
  return `${parts.slice(0, cursor).join('')}|${parts.slice(cursor).join('')}`;
}

it.each<[LineAction, string, string]>([
  ['left', 'a日|b', 'a|日b'],
  ['left', '|ab', '|ab'],
  ['right', 'ab|', 'ab|'],
  ['wordLeft', 'one two  |', 'one |two  '],
  ['wordRight', '|one two', 'one| two'],
  ['deleteLeft', 'ae\u0301|b', 'a|b'],
  ['deleteRight', 'a|日b', 'a|b'],
  ['deleteWordLeft', 'one two|', 'one |'],
  ['deleteWordRight', 'one| two three', 'one| three'],
  ['deleteToStart', 'one |two', '|two'],
  ['deleteToEnd', 'one| two', 'one|'],
  ['lineStart', 'ab|', '|ab'],
  ['lineEnd', '|ab', 'ab|'],
])('%s turns %s into %s', (action, before, after) => {
  expect(show(editLine(line(before), action))).toBe(after);
});

it('a pasted text loses controls, and its line breaks become spaces', () => {
  expect(show(insert(line('a|b'), ' x\r\ny\u001b[31mz '))).toBe('a x yz |b');
});

it('a huge paste is cut', () => {
  expect(lineOf('x'.repeat(100_000)).text).toHaveLength(1_000);
});

it('a combining mark joins the letter before it', () => {
  expect(insert(line('e|'), 'x').cursor).toBe(2);
  expect(show(insert(insert(line('|'), '한'), '글'))).toBe('한글|');
});

it('whatever is typed and done, the cursor stays within the line', () => {
  const step = fc.oneof(fc.constantFrom(...actions), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const end = steps.reduce(
        (current, next) =>
          actions.some((action) => action === next) ? editLine(current, next as LineAction) : insert(current, next),
        lineOf(),
      );
      expect(end.cursor).toBeGreaterThanOrEqual(0);
      expect(end.cursor).toBeLessThanOrEqual(graphemes(end.text).length);
      expect(end.text).not.toMatch(/\p{Cc}/u);
    }),
  );
});
