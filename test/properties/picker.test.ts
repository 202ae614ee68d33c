import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SessionRow } from '../../src/catalog/session-row.ts';
import { updateApp } from '../../src/model/app.ts';
import { type AppEvent, type AppState, createApp } from '../../src/model/app-state.ts';
import { emptyLines, headerLine, searchLine, statusLine, tinyLines } from '../../src/model/frame.ts';
import { bindings } from '../../src/model/keymap.ts';
import { labelHeading, labelWindow } from '../../src/model/label-frame.ts';
import { layoutOf } from '../../src/model/layout.ts';
import { menuFrame } from '../../src/model/menu-frame.ts';
import { overlayLines } from '../../src/model/overlay-text.ts';
import { isMenu } from '../../src/model/overlays.ts';
import { previewLines } from '../../src/model/preview.ts';
import { searchRows } from '../../src/model/search.ts';
import { headingLine, rowColumns, sessionLine } from '../../src/model/session-line.ts';
import { spansWidth } from '../../src/model/spans.ts';
import { widthCells } from '../../src/model/text.ts';
import { batchOf, NOW_MS, options, sessionRow, sessionRows } from '../model/rows.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '日'.repeat(60),
    '❤️'.repeat(30),
    '🇯🇵👍🏽'.repeat(20),
    '\u001b]52;c;x\u0007\u001b[2Jx',
    'l1\rl2\u0008',
    '',
  ),
);
const anyCount = fc.option(fc.nat(2_000_000));

const anyRow = fc
  .record({
    n: fc.nat(30),
    id: fc.option(anyText),
    cwd: fc.option(fc.oneof(anyText, fc.constant('/home/u/src/lantern'))),
    title: fc.option(anyText),
    firstMessage: fc.option(anyText),
    modifiedMs: fc.option(fc.integer({ min: 0, max: 2 * NOW_MS })),
    messageCount: anyCount,
    branchCount: anyCount,
    labelCount: anyCount,
    damagedLines: anyCount,
    cost: fc.option(fc.double()),
    problem: fc.option(anyText),
    models: fc.option(fc.array(anyText)),
    live: fc.option(fc.boolean()),
    lastTurn: fc.option(fc.constantFrom('done', 'aborted', 'error', 'pending')),
    isSubAgent: fc.boolean(),
    isStub: fc.boolean(),
  })
  .map(({ n, ...change }): SessionRow => sessionRow(n, change));

const keyNames = [...new Set(bindings.flatMap(({ keys }): readonly string[] => keys))].filter(
  (key) => key !== 'ctrl+c',
);
const anyKey = fc
  .oneof(
    { weight: 4, arbitrary: fc.constantFrom(...keyNames) },
    { weight: 1, arbitrary: fc.constantFrom('a', 'e', '日', '"', '-') },
  )
  .map((name) => ({ name, text: Array.from(name).length === 1 ? name : '' }));

const anyEvent: fc.Arbitrary<AppEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.array(anyKey, { maxLength: 6 }).map((keys): AppEvent => ({ type: 'keys', keys })) },
  fc.array(anyRow, { maxLength: 8 }).map((rows): AppEvent => ({ type: 'rowsRead', batch: batchOf(rows) })),
  fc
    .record({ columns: fc.integer({ min: 1, max: 220 }), rows: fc.integer({ min: 1, max: 60 }) })
    .map((size): AppEvent => ({ type: 'resized', size })),
  fc.nat(12).map((index): AppEvent => ({ type: 'chosen', index })),
  anyText.map((text): AppEvent => ({ type: 'paste', text })),
  fc.constant<AppEvent>({ type: 'allRead' }),
);

/** The state after events, every search answered at once; leaving is undone, since nothing comes after it. */
function run(events: readonly AppEvent[]): AppState {
  const empty = createApp({ ...options, isPicking: true }, { columns: 80, rows: 14 }, NOW_MS);
  const [start] = updateApp(empty, { type: 'rowsRead', batch: batchOf(sessionRows(40).slice(10)) });
  return events.reduce((before, event) => {
    let [state] = updateApp(before, event);
    for (let { search } = state.picker; search !== undefined; { search } = state.picker) {
      const work = searchRows(search.rows, search.query);
      let step = work.next();
      while (step.done !== true) step = work.next();
      [state] = updateApp(state, { type: 'searched', seq: search.seq, answer: { hits: step.value } });
    }
    return { ...state, exit: undefined };
  }, start);
}

it('whatever happens, the selection is a row of the list and inside the window', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
      const { picker } = run(events);
      const { shown, index, top, height, selected } = picker;
      expect(selected).toBe(shown[index]?.path);
      expect(top).toBeGreaterThanOrEqual(0);
      if (shown.length === 0) expect(index).toBe(0);
      else {
        expect(index).toBeGreaterThanOrEqual(top);
        expect(index).toBeLessThan(top + Math.max(1, height));
      }
    }),
  );
});

it('whatever happens, no line is wider than the window and no screen is higher', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 20 }), (events) => {
      const state = run(events);
      const { columns, rows } = state.size;
      const layout = layoutOf(state.size);
      if (layout.isTiny) {
        for (const line of tinyLines(state.size)) expect(widthCells(line)).toBeLessThanOrEqual(columns);
        return;
      }
      for (const line of [headerLine(state), searchLine(state).line, statusLine(state)])
        expect(spansWidth(line)).toBeLessThanOrEqual(columns);
      expect(searchLine(state).cursor).toBeLessThan(columns);
      for (const line of emptyLines(state, columns)) expect(spansWidth(line)).toBeLessThanOrEqual(columns);
      const top = state.overlays.at(-1);
      if (isMenu(top)) {
        for (const selected of top.items.keys()) {
          const { lines, from, items } = menuFrame(top, state.size, selected);
          for (const line of lines) expect(spansWidth(line)).toBeLessThanOrEqual(columns);
          for (const line of items.flat()) expect(widthCells(line)).toBeLessThanOrEqual(columns - 4);
          expect(lines.length + items.flat().length).toBeLessThan(rows);
          expect(from <= selected && selected < from + items.length).toBe(true);
        }
      } else if (top?.kind === 'labels') {
        const rowsShown = labelWindow(top, state.size, state.nowMs);
        for (const { line } of rowsShown) expect(spansWidth(line)).toBeLessThanOrEqual(columns - 2);
        expect(rowsShown.length).toBeLessThanOrEqual(rows - 3);
        expect(spansWidth(labelHeading(top, state.size))).toBeLessThanOrEqual(columns);
      } else if (top !== undefined) {
        const screen = overlayLines(state, top);
        for (const line of [screen.heading, ...screen.lines]) expect(spansWidth(line)).toBeLessThanOrEqual(columns);
        expect(screen.lines.length).toBeLessThanOrEqual(rows - 2);
      }
    }),
  );
});

it('a row is as wide as its list, whatever it holds', () => {
  fc.assert(
    fc.property(
      anyRow,
      fc.integer({ min: 20, max: 200 }),
      fc.constantFrom('none', 'project', 'path'),
      (row, cells, folder) => {
        const columns = rowColumns(cells, folder);
        const view = { columns, folder, home: '/home/u', words: ['a', '日'], nowMs: NOW_MS };
        const line = sessionLine(row, view);
        expect(spansWidth(line)).toBe(cells - 2);
        expect(widthCells(headingLine(columns, folder))).toBe(cells);
        expect(line.map(({ text }) => text).join('')).not.toMatch(/\p{Cc}/u);
      },
    ),
  );
});

it('a preview keeps within its place, whatever it shows', () => {
  const item = fc.record({
    entryId: fc.constant('a'),
    kind: fc.constantFrom(
      'user',
      'assistant',
      'thinking',
      'tool',
      'execution',
      'compaction',
      'branch_summary',
      'custom',
      'state',
      'damage',
    ),
    heading: anyText,
    text: anyText,
    isError: fc.boolean(),
    timeMs: fc.option(fc.nat(NOW_MS), { nil: undefined }),
    label: fc.option(anyText, { nil: undefined }),
  });
  const transcript = fc.record({ items: fc.array(item), omitted: fc.nat(), damagedLines: fc.nat() });
  fc.assert(
    fc.property(
      anyRow,
      transcript,
      fc.integer({ min: 1, max: 90 }),
      fc.integer({ min: 1, max: 40 }),
      fc.nat(99),
      (row, read, cells, rows, scroll) => {
        const view = { cells, rows, home: '/home/u', nowMs: NOW_MS, scroll };
        const { lines } = previewLines(row, { kind: 'loaded', transcript: read as never }, view);
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of lines) {
          expect(spansWidth(line)).toBeLessThanOrEqual(cells);
          expect(line.map(({ text }) => text).join('')).not.toMatch(/\p{Cc}/u);
        }
      },
    ),
  );
});

it('the order in which rows arrive does not show', () => {
  const distinct = fc.uniqueArray(anyRow, { selector: ({ path }) => path });
  fc.assert(
    fc.property(
      distinct.chain((rows) =>
        fc.tuple(
          fc.constant(rows),
          fc.shuffledSubarray(rows, { minLength: rows.length }),
          fc.integer({ min: 1, max: 5 }),
        ),
      ),
      ([rows, shuffled, size]) => {
        const batches = Array.from({ length: Math.ceil(rows.length / size) }, (_, n) =>
          shuffled.slice(n * size, (n + 1) * size),
        );
        const read = (parts: readonly (readonly SessionRow[])[]): readonly SessionRow[] =>
          run([
            ...parts.map((part): AppEvent => ({ type: 'rowsRead', batch: batchOf(part) })),
            { type: 'keys', keys: [{ name: 'tab', text: '' }] },
          ]).picker.shown;
        expect(read(batches)).toEqual(read([rows]));
      },
    ),
  );
});
