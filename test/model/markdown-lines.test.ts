import fc from 'fast-check';
import { expect, it } from 'vitest';
import { markdownLines } from '../../src/model/markdown-lines.ts';
import { wrap } from '../../src/model/text.ts';

function styled(text: string, cells = 40): string[] {
  return markdownLines(text, cells, 'plain').map((line) =>
    line.map((piece) => `${piece.style}:${piece.text}`).join('|'),
  );
}

it('headings, lists, quotes, code and bold each have their style', () => {
  expect(styled('# Title\n- one **two** `three`\n> said\n```ts\nconst a = 1;\n```\nend')).toEqual([
    'strong:# Title',
    'accent:- |plain:one |strong:**|strong:two|strong:**|plain: |tool:`|tool:three|tool:`',
    'faint:> said',
    'faint:```ts',
    'tool:const a = 1;',
    'faint:```',
    'plain:end',
  ]);
});

it('what opens on one line closes on the next one that it was wrapped to', () => {
  expect(styled('a **bold text** b', 8)).toEqual(['plain:a |strong:**|strong:bold', 'strong:text|strong:**|plain: b']);
});

it('a lone sign is text', () => {
  expect(styled('2 ** 3 and a ` tick')).toEqual(['plain:2 ** 3 and a ` tick']);
});

it('no character is lost or added, whatever the text', () => {
  const text = fc
    .array(fc.constantFrom('a', ' ', '\n', '`', '**', '```', '# ', '- ', '1. ', '> ', '漢', 'word'))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 30 }), (written, cells) => {
      const lines = markdownLines(written, cells, 'plain').map((line) => line.map((piece) => piece.text).join(''));
      expect(lines).toEqual(wrap(written, cells));
    }),
  );
});
