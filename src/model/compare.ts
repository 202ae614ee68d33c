import type { BranchFigures, Comparison } from '../session/branch-figures.ts';
import { age } from './age.ts';
import { neutraliseLine } from './neutralise.ts';
import { costText, countText } from './row-text.ts';
import { fitSpans, type Spans, type Style, span } from './spans.ts';
import { wrap } from './text.ts';

const SIDE_BY_SIDE_CELLS = 80;
const MAX_PROMPT_LINES = 3;
const MAX_ANSWER_LINES = 12;
const MAX_ITEMS = 200;

/** A part of a comparison: what it is about, and its lines for each branch. */
interface Part {
  readonly title: string;
  readonly sides: readonly [readonly Spans[], readonly Spans[]];
}

function durationText(ms: number): string {
  const text = age(0, ms);
  return text === 'now' ? `${Math.round(ms / 1_000)}s` : text;
}

function figureLines(side: BranchFigures, cells: number, nowMs: number): Spans[] {
  const { input, output, cacheRead, cacheWrite } = side.tokens;
  const { startMs, endMs } = side;
  const count = (number: number, one: string): string => `${countText(number)} ${number === 1 ? one : `${one}s`}`;
  const facts = [
    `${count(side.entryCount, 'entry').replace('entrys', 'entries')} · ${count(side.prompts.length, 'prompt')}`,
    `${countText(input + output + cacheRead + cacheWrite)} tokens (${countText(output)} written)`,
    side.cost === 0 ? 'no cost' : costText(side.cost),
  ];
  if (startMs !== undefined && endMs !== undefined) {
    const ago = age(endMs, nowMs);
    facts.push(`${durationText(endMs - startMs)} long, last ${ago === 'now' ? 'just now' : `${ago} ago`}`);
  }
  if (side.models.length > 0) facts.push(side.models.map(neutraliseLine).join(', '));
  return facts.map((fact) => fitSpans([span(fact)], cells));
}

function textLines(text: string, cells: number, limit: number, sign: string, style: Style): Spans[] {
  const indent = ' '.repeat(sign.length);
  const wrapped = wrap(neutraliseLine(text), Math.max(1, cells - sign.length), limit + 1);
  const lines = wrapped
    .slice(0, limit)
    .map((line, index): Spans => [span(index === 0 ? sign : indent, style), span(line)]);
  if (wrapped.length > limit) lines.push([span(`${indent}…`, 'faint')]);
  return lines;
}

function listLines(items: readonly string[], cells: number, sign: string, style: Style): Spans[] {
  const lines = items
    .slice(0, MAX_ITEMS)
    .map((item) => fitSpans([span(sign, style), span(neutraliseLine(item))], cells));
  if (items.length > MAX_ITEMS) lines.push([span(`… ${items.length - MAX_ITEMS} more`, 'faint')]);
  return lines.length === 0 ? [[span('none', 'faint')]] : lines;
}

function promptLines(side: BranchFigures, cells: number): Spans[] {
  if (side.prompts.length === 0) return [[span('none', 'faint')]];
  return side.prompts.slice(-MAX_ITEMS).flatMap((prompt) => textLines(prompt, cells, MAX_PROMPT_LINES, '❯ ', 'user'));
}

function answerLines({ lastAnswer }: BranchFigures, cells: number): Spans[] {
  if (lastAnswer === undefined) return [[span('none', 'faint')]];
  return textLines(lastAnswer, cells, MAX_ANSWER_LINES, '● ', 'assistant');
}

function partsOf({ sides: [a, b] }: Comparison, cells: number, nowMs: number): Part[] {
  const part = (title: string, lines: (side: BranchFigures) => Spans[]): Part => ({
    title,
    sides: [lines(a), lines(b)],
  });
  const other = (side: BranchFigures): ReadonlySet<string> =>
    new Set((side === a ? b : a).files.map(({ path }) => path));
  return [
    part('Figures', (side) => figureLines(side, cells, nowMs)),
    part('Prompts', (side) => promptLines(side, cells)),
    part('Last answer', (side) => answerLines(side, cells)),
    part('Files written', (side) => {
      const shared = other(side);
      const text = ({ path, changes }: BranchFigures['files'][number]): string =>
        `${path}${changes > 1 ? ` ×${changes}` : ''}${shared.has(path) ? '  (both)' : ''}`;
      return listLines(side.files.map(text), cells, '→ ', 'tool');
    }),
    part('Failed calls', (side) => listLines(side.failures, cells, '✗ ', 'danger')),
  ];
}

/** Two branches as lines of at most `cells` cells: side by side where each has room enough, else one above the other. */
export function compareLines(
  comparison: Comparison,
  [first, second]: readonly [string, string],
  cells: number,
  nowMs: number,
): readonly Spans[] {
  const isWide = cells >= SIDE_BY_SIDE_CELLS;
  const sideCells = isWide ? Math.floor((cells - 3) / 2) : cells;
  const parts = partsOf(comparison, sideCells, nowMs);
  if (isWide) {
    const head = pair([[span(first, 'strong')]], [[span(second, 'strong')]], sideCells);
    return [
      ...head,
      ...parts.flatMap(({ title, sides }) => [[], [span(title, 'accent')], ...pair(sides[0], sides[1], sideCells)]),
    ];
  }
  const stack = (name: string, side: 0 | 1): Spans[] => [
    [span(name, 'strong')],
    ...parts.flatMap(({ title, sides }): Spans[] => [[span(title, 'accent')], ...sides[side]]),
  ];
  return [...stack(first, 0), [], ...stack(second, 1)];
}

/** Lines of two sides beside each other. */
function pair(left: readonly Spans[], right: readonly Spans[], cells: number): Spans[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => [
    ...fitSpans(left[index] ?? [], cells),
    span(' │ ', 'faint'),
    ...(right[index] ?? []),
  ]);
}
