import { styledCharsToString } from '@alcalzone/ansi-tokenize';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import StockOutput from '../node_modules/ink/build/output.js';
import { leanOutput } from '../scripts/lean/ink-output.ts';

// Its parts are private in its types alone.
const LeanOutput = leanOutput(StockOutput as unknown as Parameters<typeof leanOutput>[0], styledCharsToString as never);

const [BOLD, DIM, INVERSE, CYAN, RED, TRUE, PLAIN] = [
  ['1', '22'],
  ['2', '22'],
  ['7', '27'],
  ['36', '39'],
  ['31', '39'],
  ['38;2;1;2;3', '39'],
  undefined,
] as const;

const words = fc.constantFrom(
  'a',
  'row',
  ' ',
  '  end  ',
  '世界',
  '│',
  '…',
  '▸ x',
  'é',
  'が',
  '👍',
  '👩‍💻',
  '🇯🇵',
  'e\u0301',
  '\u200b',
  '\t',
);
const style = fc.constantFrom(PLAIN, PLAIN, BOLD, DIM, INVERSE, CYAN, RED, TRUE);

/** Spans as chalk makes them, one inside another at times. */
const { span } = fc.letrec<{ span: string; inner: string }>((tie) => ({
  span: fc.tuple(style, fc.array(tie('inner'), { minLength: 1, maxLength: 3 })).map(([codes, inner]) => {
    const text = inner.join('');
    return codes === undefined ? text : `\u001b[${codes[0]}m${text}\u001b[${codes[1]}m`;
  }),
  inner: fc.oneof({ weight: 5, arbitrary: words }, { weight: 1, arbitrary: tie('span') }),
}));
const odd = fc.constantFrom(
  '\u001b[0m',
  '\u001b[31m',
  '\u001b[39m',
  '\u001b[1;36mx\u001b[0m',
  '\u001b]8;;x\u0007l\u001b]8;;\u0007',
  '\u001b[',
);
const line = fc
  .array(fc.oneof({ weight: 12, arbitrary: span }, { weight: 1, arbitrary: odd }), { maxLength: 4 })
  .map((spans) => spans.join(''));
const text = fc.oneof(
  { weight: 4, arbitrary: line },
  { weight: 1, arbitrary: fc.array(line, { minLength: 2, maxLength: 4 }).map((lines) => lines.join('\n')) },
);

const place = fc.integer({ min: -3, max: 24 });
const side = fc.option(fc.integer({ min: -2, max: 22 }), { nil: undefined });
const clip = fc.oneof(
  fc.tuple(fc.nat(10), fc.nat(22), fc.nat(3), fc.nat(6)).map(([x1, x2, y1, y2]) => ({ x1, x2, y1, y2 })),
  fc.record({ x1: side, x2: side, y1: side, y2: side }),
);
const write = fc.tuple(place, fc.integer({ min: -1, max: 6 }), text);
const operation = fc.oneof(
  { weight: 6, arbitrary: write.map(([x, y, what]) => ({ type: 'write' as const, x, y, what })) },
  { weight: 1, arbitrary: clip.map((bounds) => ({ type: 'clip' as const, bounds })) },
  { weight: 1, arbitrary: fc.constant({ type: 'unclip' as const }) },
);
const size = fc.record({ width: fc.integer({ min: 1, max: 24 }), height: fc.integer({ min: 1, max: 6 }) });
const transformer = fc.option(
  fc.constant((value: string, index: number) => `${index}${value}`),
  { nil: undefined, freq: 20 },
);

/** Ends of styles that meet. */
const neighbours = fc.array(
  fc.constantFrom(
    'a',
    '\u001b[36mb\u001b[39m',
    '\u001b[1mc\u001b[22m',
    '\u001b[2me\u001b[22m',
    '\u001b[2m\u001b[36mf\u001b[39m\u001b[22m',
    '\u001b[1m\u001b[36mg\u001b[39m\u001b[22m',
    '\u001b[31md\u001b[39m ',
  ),
  { maxLength: 5 },
);

test('texts that touch come out as from Ink itself', () => {
  fc.assert(
    fc.property(neighbours, (texts) => {
      const [stock, lean] = [new StockOutput({ width: 12, height: 1 }), new LeanOutput({ width: 12, height: 1 })];
      for (const output of [stock, lean]) {
        let x = 0;
        for (const what of texts) {
          output.write(x, 0, what, { transformers: [] });
          x += what.endsWith(' ') ? 2 : 1;
        }
      }
      expect(lean.get()).toEqual(stock.get());
    }),
    { numRuns: 3000 },
  );
});

test('whatever is drawn, in whatever order, clipped or not, comes out as from Ink itself', () => {
  fc.assert(
    fc.property(size, fc.array(operation, { maxLength: 10 }), transformer, (bounds, operations, change) => {
      const [stock, lean] = [new StockOutput(bounds), new LeanOutput(bounds)];
      for (const output of [stock, lean]) {
        for (const step of operations) {
          if (step.type === 'clip') output.clip(step.bounds);
          else if (step.type === 'unclip') output.unclip();
          else output.write(step.x, step.y, step.what, { transformers: change === undefined ? [] : [change] });
        }
      }
      expect(lean.get()).toEqual(stock.get());
    }),
    { numRuns: 5_000 },
  );
});
