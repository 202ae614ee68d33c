import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findAgentRoots } from '../src/agents/agents.ts';
import { glanceAtRow } from '../src/catalog/read-row.ts';
import { findSessionFiles } from '../src/catalog/session-files.ts';
import { headingLine, rowColumns, sessionLine } from '../src/model/session-line.ts';
import { corpus } from './corpus.ts';
import { type Amounts, type Measurement, median, print, printAmounts } from './measure.ts';
import { bundleStock } from './stock-ink.ts';
import { BenchTerminal, handWrittenDiff } from './terminal.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const LAUNCHER = path.join(ROOT, 'bin', 'bough.cjs');
const SIZE = { cols: 200, rows: 60 };
const LIST_ROWS = 56;
const DOWN = '\u001b[B';
const FRAME_END = '\u001b[?2026l';
const CLEARS = ['\u001b[2J', '\u001b[3J', '\u001b[J', '\u001b[0J', '\u001bc'];

/** The newest sessions as rows of columns cut to size, as wide as the terminal. */
function rowsOf(agentDir: string): { readonly heading: string; readonly rows: readonly (readonly string[])[] } {
  const columns = rowColumns(SIZE.cols, 'project');
  const view = { columns, folder: 'project', home: '/', words: [], nowMs: Date.now() } as const;
  const files = findSessionFiles(findAgentRoots([agentDir]), () => undefined)
    .map((file) => ({ file, mtimeMs: statSync(file.path).mtimeMs }))
    .sort((a, b) => b.mtimeMs - a.mtimeMs)
    .slice(0, LIST_ROWS);
  const rows = files.map(({ file }) => {
    const spans = sessionLine(glanceAtRow(file), view).map(({ text }) => text);
    const line = spans.join('');
    // Seven columns, each with the blank before it.
    const { folder, marks, age, messages, branches, cost } = columns;
    const widths = [folder, marks, age, messages, branches, cost];
    const cells = [...line];
    const parts = widths.toReversed().map((width) => cells.splice(cells.length - width).join(''));
    return [cells.join(''), ...parts.toReversed()];
  });
  return { heading: headingLine(columns, 'project'), rows };
}

/** The same rows as plain boxes and texts. */
const STOCK_PROGRAM = `
import { readFileSync } from 'node:fs';
import { Box, render, Text, useInput } from 'ink';
import { createElement, useState } from 'react';
const { heading, rows } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const h = createElement;
const styles = [{}, { dimColor: true }, { color: 'green' }, { dimColor: true }, { dimColor: true }, { dimColor: true }, { dimColor: true }];
function Row({ columns, isSelected }) {
  return h(Box, null, h(Text, { inverse: isSelected }, isSelected ? '❯ ' : '  '),
    columns.map((text, index) => h(Text, { key: index, inverse: isSelected, ...styles[index] }, text)));
}
function App() {
  const [index, setIndex] = useState(0);
  useInput((_, key) => { if (key.downArrow) setIndex((at) => at + 1); });
  return h(Box, { flexDirection: 'column', height: ${SIZE.rows} },
    h(Text, { bold: true }, 'Sessions'), h(Text, null, '❯ Type to search ' + (index + 1)), h(Text, { dimColor: true }, heading),
    rows.map((columns, at) => h(Row, { key: at, columns, isSelected: at === index })),
    h(Text, { dimColor: true }, 'Enter resume   Tab scope'));
}
render(h(App), { alternateScreen: true, exitOnCtrlC: true });
`;

/** Bytes of the first frame after a key beside those of a hand-written diff; throws when the screen was cleared for it. */
async function pressAndWeigh(terminal: BenchTerminal): Promise<{ firstMs: number; bytes: number; diffBytes: number }> {
  const before = terminal.lines();
  const { firstMs, output } = await terminal.press(DOWN);
  const clear = CLEARS.find((sequence) => output.includes(sequence));
  if (clear !== undefined) throw new Error(`a key cleared the screen: ${JSON.stringify(clear)}`);
  const end = output.indexOf(FRAME_END) + FRAME_END.length;
  const frame = output.slice(0, end);
  await terminal.draw(frame);
  const after = terminal.lines();
  await terminal.draw(output.slice(end));
  return { firstMs, bytes: Buffer.byteLength(frame), diffBytes: Buffer.byteLength(handWrittenDiff(before, after)) };
}

/** Frames: a key in the list of a large terminal, beside stock Ink and beside a diff by hand. */
export async function run({ full }: { readonly full: boolean }): Promise<readonly (Measurement | Amounts)[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bough-frames-'));
  const agentDir = full
    ? corpus('--sessions', '10000', '--projects', '150', '--mean-kb', '200', '--seed', '3')
    : corpus('--sessions', '2000', '--projects', '60', '--mean-kb', '100', '--seed', '7');
  const data = path.join(folder, 'rows.json');
  writeFileSync(data, JSON.stringify(rowsOf(agentDir)));
  try {
    using product = new BenchTerminal([LAUNCHER, '--all', '--agent-dir', agentDir], folder, SIZE);
    await product.rest(/\d(?:h|d|w|mo|y) /);
    using stock = new BenchTerminal([await bundleStock(folder, 'stock', STOCK_PROGRAM), data], folder, SIZE);
    await stock.rest(/Type to search/);
    // Texts are indexed behind the list: that is another matter.
    await product.idle();
    const weighed: { firstMs: number; bytes: number; diffBytes: number }[] = [];
    const stockMs: number[] = [];
    // The first keys find code that V8 has not compiled yet, on both sides.
    for (let key = -10; key < 40; key++) {
      const answer = await pressAndWeigh(product);
      const { firstMs } = await stock.press(DOWN);
      if (key < 0) continue;
      weighed.push(answer);
      stockMs.push(firstMs);
    }
    const time: Measurement = {
      what: 'key to first byte, 200×60, one row down',
      productMs: median(weighed.map(({ firstMs }) => firstMs)),
      floor: 'the rows in stock Ink',
      floorMs: median(stockMs),
      target: 0.5,
    };
    const weight: Amounts = {
      what: 'bytes of its frame',
      unit: 'bytes',
      product: median(weighed.map(({ bytes }) => bytes)),
      floor: 'a diff by hand',
      floorAmount: median(weighed.map(({ diffBytes }) => diffBytes)),
      target: 1.5,
    };
    print(time);
    printAmounts(weight);
    return [time, weight];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
