import { age } from './age.ts';
import { promptRanges } from './history-match.ts';
import type { PromptGroup } from './history-state.ts';
import { neutraliseBlock } from './neutralise.ts';
import { folderText } from './row-text.ts';
import { fitSpans, highlight, type Spans, span } from './spans.ts';
import { truncateStart, wrap } from './text.ts';

/** How the preview is laid out. */
export interface PromptView {
  readonly cells: number;
  readonly rows: number;
  readonly home: string;
  readonly nowMs: number;
  readonly query: string;
  /** Lines scrolled down. */
  readonly scroll: number;
}

/** What is shown of a prompt at most; nobody scrolls through more. */
const MAX_UNITS = 200_000;

function sentText({ timeMs, count }: PromptGroup, nowMs: number): string {
  const text = age(timeMs, nowMs);
  const when = text === 'now' ? 'just now' : `${text} ago`;
  return count === 1 ? `sent ${when}` : `sent ${count} times, last ${when}`;
}

/** The ranges that fall into each of the lines that a text was wrapped to. */
function wrapMarked(text: string, { cells, query }: PromptView): Spans[] {
  const ranges = promptRanges(text, query);
  let from = 0;
  return wrap(text, Math.max(1, cells)).map((line) => {
    // Wrapping takes out blanks and line breaks alone, so each line is found from where the last one ended.
    const found = line === '' ? -1 : text.indexOf(line, from);
    const start = found < 0 ? from : found;
    const end = start + line.length;
    from = found < 0 ? from : end;
    const own = ranges
      .filter(([rangeFrom, rangeTo]) => found >= 0 && rangeTo > start && rangeFrom < end)
      .map(([rangeFrom, rangeTo]) => [Math.max(rangeFrom, start) - start, Math.min(rangeTo, end) - start] as const);
    return fitSpans(highlight(line, own, 'plain'), cells);
  });
}

const laidOut = new WeakMap<PromptGroup, { readonly key: string; readonly lines: readonly Spans[] }>();

/** The lines of a whole prompt. Remembers the last layout: scrolling must not wrap it anew at every key. */
function promptLines(group: PromptGroup, view: PromptView): readonly Spans[] {
  const key = `${view.cells} ${view.query}`;
  const known = laidOut.get(group);
  if (known?.key === key) return known.lines;
  const text = neutraliseBlock(group.prompt.slice(0, MAX_UNITS).toWellFormed());
  const lines = wrapMarked(text, view);
  laidOut.set(group, { key, lines });
  return lines;
}

/**
 * Where and when a prompt was sent, a rule, and the prompt itself with what was searched for. `maxScroll` is how far one
 * can scroll. Always `rows` lines or fewer, each `cells` wide or less.
 */
export function promptPreview(
  group: PromptGroup,
  view: PromptView,
): { readonly lines: readonly Spans[]; readonly maxScroll: number } {
  const { cells, rows, home, nowMs, scroll } = view;
  const folder = truncateStart(folderText(group.cwd, home), cells);
  const facts: Spans[] = [
    ...(folder === '' ? [] : [fitSpans([span(folder, 'accent')], cells)]),
    fitSpans([span(sentText(group, nowMs), 'faint')], cells),
  ].slice(0, Math.max(1, rows));
  const room = rows - facts.length - 1;
  if (room < 1) return { lines: facts, maxScroll: 0 };
  const all = promptLines(group, view);
  const maxScroll = Math.max(0, all.length - room);
  const from = Math.min(scroll, maxScroll);
  const below = all.length - from - room;
  const rule = below > 0 ? `─ ↓ ${below} `.padEnd(cells, '─').slice(0, cells) : '─'.repeat(cells);
  return { lines: [...facts, [span(rule, 'faint')], ...all.slice(from, from + room)], maxScroll };
}
