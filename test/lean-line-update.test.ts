import xterm from '@xterm/headless';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import stockLineUpdate from '../node_modules/ink/build/line-update.js';
import { leanLineUpdate } from '../scripts/lean/ink-line-update.ts';

const lineUpdate = leanLineUpdate(stockLineUpdate);
const COLUMNS = 24;

const style = fc.constantFrom(
  ['', ''],
  ['\u001b[1m', '\u001b[22m'],
  ['\u001b[2m', '\u001b[22m'],
  ['\u001b[7m', '\u001b[27m'],
  ['\u001b[36m', '\u001b[39m'],
  ['\u001b[1m\u001b[36m', '\u001b[39m\u001b[22m'],
  ['\u001b[38;2;1;2;3m', '\u001b[39m'],
  ['\u001b[1;31m', '\u001b[0m'],
);
const span = fc
  .tuple(style, fc.constantFrom('a', 'row', ' ', '世界', '│', '…', '❯ '))
  .map(([[open, close], text]) => open + text + close);
const line = fc.array(span, { maxLength: 6 }).map((spans) => spans.join(''));
/** Lines that begin alike, as those of two pictures do. */
const lines = fc.tuple(line, line, line).map(([same, before, after]) => [same + before, same + after] as const);

/** The cells of a row, with their styles, after some output. */
function rowAfter(output: string): Promise<string[]> {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: 2, allowProposedApi: true });
  return new Promise((resolve) => {
    terminal.write(output, () => {
      const row = terminal.buffer.active.getLine(0);
      const cells = Array.from({ length: COLUMNS }, (_, x) => {
        const cell = row?.getCell(x);
        const flags = [cell?.isBold(), cell?.isDim(), cell?.isInverse(), cell?.getFgColorMode(), cell?.getFgColor()];
        return `${cell?.getChars() || ' '}${flags.join()}`;
      });
      terminal.dispose();
      resolve(cells);
    });
  });
}

test('a line that is rewritten looks as Ink would leave it, and takes no more bytes', async () => {
  let [bytes, stockBytes] = [0, 0];
  await fc.assert(
    fc.asyncProperty(lines, async ([before, after]) => {
      const [lean, stock] = [lineUpdate(before, after, COLUMNS), stockLineUpdate(before, after, COLUMNS)];
      expect(lean.length).toBeLessThanOrEqual(stock.length);
      bytes += lean.length;
      stockBytes += stock.length;
      expect(await rowAfter(`${before}\r${lean}`)).toEqual(await rowAfter(`${before}\r${stock}`));
    }),
    { numRuns: 1000 },
  );
  expect(bytes).toBeLessThan(stockBytes);
});
