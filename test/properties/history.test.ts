import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PromptGroup } from '../../src/history/prompt-history.ts';
import { updateHistory } from '../../src/model/history.ts';
import {
  historyEmptyLines,
  historyHeader,
  historyOverlayLines,
  historySearchLine,
  historyStatus,
} from '../../src/model/history-frame.ts';
import { promptColumns, promptHeading, promptRow } from '../../src/model/history-line.ts';
import { promptRanges } from '../../src/model/history-match.ts';
import { promptPreview } from '../../src/model/history-preview.ts';
import { createHistory, type HistoryEvent, type HistoryState, listHeight } from '../../src/model/history-state.ts';
import { bindingsOf } from '../../src/model/keymap.ts';
import { layoutOf } from '../../src/model/layout.ts';
import { isMenu } from '../../src/model/overlays.ts';
import { spansWidth } from '../../src/model/spans.ts';
import { widthCells } from '../../src/model/text.ts';
import { historyOptions, newsOf, promptGroup } from '../model/prompts.ts';
import { NOW_MS } from '../model/rows.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '日'.repeat(60),
    '❤️🇯🇵👍🏽'.repeat(20),
    '\u001b]52;c;x\u0007\u001b[2Jx',
    'l1\rl2\u0008\n\n',
    'e\u0301e',
    '',
  ),
);
const anyGroup: fc.Arbitrary<PromptGroup> = fc
  .record({
    n: fc.nat(30),
    prompt: anyText,
    cwd: fc.option(anyText),
    count: fc.nat(2_000_000),
    timeMs: fc.integer({ min: 0, max: 2 * NOW_MS }),
  })
  .map(({ n, ...change }) => promptGroup(n, { ...change, prompt: `${n} ${change.prompt}` }));
const anyGroups = fc.uniqueArray(anyGroup, { selector: ({ prompt }) => prompt, maxLength: 30 });

const modes = ['history', 'historyTranscript', 'help', 'menu'] as const;
const keyNames = [...new Set(modes.flatMap((mode) => bindingsOf(mode).flatMap(({ keys }) => keys)))];
const anyKey = fc
  .oneof(
    { weight: 4, arbitrary: fc.constantFrom(...keyNames.filter((key) => key !== 'ctrl+c')) },
    { weight: 1, arbitrary: fc.constantFrom('a', 'e', '日', '"', '-') },
  )
  .map((name) => ({ name, text: Array.from(name).length === 1 ? name : '' }));

type Move =
  | HistoryEvent
  | { readonly type: 'answer'; readonly groups: readonly PromptGroup[]; readonly isDone: boolean };

const anyMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.array(anyKey, { maxLength: 6 }).map((keys): Move => ({ type: 'keys', keys })) },
  {
    weight: 3,
    arbitrary: fc
      .record({ groups: anyGroups, isDone: fc.boolean() })
      .map((answer): Move => ({ type: 'answer', ...answer })),
  },
  fc
    .record({ columns: fc.integer({ min: 1, max: 200 }), rows: fc.integer({ min: 1, max: 50 }) })
    .map((size): Move => ({ type: 'resized', size })),
  fc.nat(12).map((index): Move => ({ type: 'chosen', index })),
  anyText.map((text): Move => ({ type: 'paste', text })),
);

const item = { kind: 'user', heading: 'user', isError: false, timeMs: NOW_MS, label: undefined } as const;
const transcript = {
  items: Array.from({ length: 9 }, (_, n) => ({ ...item, entryId: `e${n}`, text: `Text ${n}\n日本` })),
  omitted: 3,
  damagedLines: 1,
};

/** The state after moves; sessions are found and read at once, and leaving is undone, since nothing comes after it. */
function run(moves: readonly Move[]): HistoryState {
  let state = createHistory(historyOptions, { columns: 80, rows: 14 }, NOW_MS);
  const send = (event: HistoryEvent): void => {
    const [next, ...effects] = updateHistory(state, event);
    state = { ...next, exit: undefined };
    for (const effect of effects) {
      const place = { path: '/s/1.jsonl', id: 's1', entryId: 'e4', timeMs: NOW_MS };
      if (effect.type === 'findPlaces') send({ type: 'placesFound', seq: effect.seq, places: [place, place] });
      if (effect.type === 'readPlace')
        send({
          type: 'transcriptRead',
          seq: effect.seq,
          answer: { title: '日本\u001b[2J'.repeat(40), transcript, at: 4 },
        });
    }
  };
  send({ type: 'started' });
  for (const move of moves) {
    if (move.type !== 'answer') send(move);
    else if (state.search !== undefined)
      send({ type: 'found', seq: state.search.seq, news: newsOf(move.groups, { isDone: move.isDone }) });
  }
  return state;
}

it('whatever happens, the selection is a prompt of the list and inside the window', () => {
  fc.assert(
    fc.property(fc.array(anyMove, { maxLength: 30 }), (moves) => {
      const state = run(moves);
      const { groups, index, top } = state;
      if (groups.length === 0) expect([index, top]).toEqual([0, 0]);
      else {
        expect(groups[index]).toBeDefined();
        expect(index).toBeGreaterThanOrEqual(top);
        expect(index).toBeLessThan(top + Math.max(1, listHeight(state)));
      }
    }),
  );
});

it('whatever happens, no line is wider than the window, and no screen is higher', () => {
  fc.assert(
    fc.property(fc.array(anyMove, { maxLength: 20 }), (moves) => {
      const state = run(moves);
      const { columns, rows } = state.size;
      if (layoutOf(state.size).isTiny) return;
      for (const line of [historyHeader(state), historySearchLine(state).line, historyStatus(state)])
        expect(spansWidth(line)).toBeLessThanOrEqual(columns);
      expect(historySearchLine(state).cursor).toBeLessThan(columns);
      for (const line of historyEmptyLines(state, columns)) expect(spansWidth(line)).toBeLessThanOrEqual(columns);
      const top = state.overlays.at(-1);
      if (top === undefined || isMenu(top)) return;
      const screen = historyOverlayLines(state, top);
      for (const line of [screen.heading, ...screen.lines]) expect(spansWidth(line)).toBeLessThanOrEqual(columns);
      expect(screen.lines.length).toBeLessThanOrEqual(Math.max(1, rows - 2));
    }),
  );
});

it('no key waits for ever: once a search is done, none does', () => {
  fc.assert(
    fc.property(fc.array(anyMove, { maxLength: 30 }), (moves) => {
      const state = run([...moves, { type: 'answer', groups: [], isDone: true }]);
      if (state.search === undefined) expect(state.waiting).toEqual([]);
    }),
  );
});

it('a row is as wide as its list, whatever it holds', () => {
  fc.assert(
    fc.property(
      anyGroup,
      fc.integer({ min: 20, max: 200 }),
      fc.boolean(),
      anyText,
      (group, cells, hasProject, query) => {
        const columns = promptColumns(cells, hasProject);
        const line = promptRow(group, { columns, query, nowMs: NOW_MS });
        expect(spansWidth(line)).toBe(cells - 2);
        expect(widthCells(promptHeading(columns))).toBe(cells);
        expect(line.map(({ text }) => text).join('')).not.toMatch(/\p{Cc}/u);
      },
    ),
  );
});

it('a preview keeps within its place, whatever it shows', () => {
  fc.assert(
    fc.property(
      anyGroup,
      anyText,
      fc.integer({ min: 1, max: 90 }),
      fc.integer({ min: 1, max: 40 }),
      fc.nat(99),
      (group, query, cells, rows, scroll) => {
        const { lines } = promptPreview(group, { cells, rows, home: '/home/u', nowMs: NOW_MS, query, scroll });
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of lines) {
          expect(spansWidth(line)).toBeLessThanOrEqual(cells);
          expect(line.map(({ text }) => text).join('')).not.toMatch(/\p{Cc}/u);
        }
      },
    ),
  );
});

it('what is marked is sorted, disjoint and inside the text', () => {
  fc.assert(
    fc.property(anyText, anyText, (text, query) => {
      let last = 0;
      for (const [from, to] of promptRanges(text, query)) {
        expect(from).toBeGreaterThanOrEqual(last);
        expect(to).toBeGreaterThan(from);
        last = to;
      }
      expect(last).toBeLessThanOrEqual(text.length);
    }),
  );
});
