import type { Transcript, TranscriptItem } from '../session/transcript.ts';
import { age } from './age.ts';
import { markdownLines } from './markdown-lines.ts';
import { neutraliseBlock, neutraliseLine } from './neutralise.ts';
import { fitSpans, type Span, type Spans, type Style, span, spread } from './spans.ts';
import { wrap } from './text.ts';

export type { Transcript } from '../session/transcript.ts';

/** How a transcript is laid out. */
export interface TranscriptView {
  readonly cells: number;
  readonly nowMs: number;
  readonly isFoldingTools: boolean;
  readonly isFoldingThinking: boolean;
  /** Units of an item's text that are shown; the rest is counted. */
  readonly maxUnits: number;
}

const FOLDED_LINES = 3;
/** What is written as Markdown, by people and by models. */
const MARKDOWN: ReadonlySet<TranscriptItem['kind']> = new Set(['user', 'assistant', 'compaction', 'branch_summary']);

/** A conversation as lines, and the line at which each of its items begins. */
export interface LaidOut {
  readonly lines: readonly Spans[];
  readonly starts: readonly number[];
}

const laidOut = new WeakMap<Transcript, LaidOut & { readonly view: string }>();

/** The conversation as lines of at most `cells` cells, oldest first. Remembers the last layout: a key that changes nothing here must not wrap thousands of lines anew. */
export function transcriptLines(transcript: Transcript, view: TranscriptView): readonly Spans[] {
  return layOutTranscript(transcript, view).lines;
}

/** The same with the place of each item. */
export function layOutTranscript(transcript: Transcript, view: TranscriptView): LaidOut {
  const key = JSON.stringify(view);
  const known = laidOut.get(transcript);
  if (known?.view === key) return known;
  const laid = { view: key, ...layOut(transcript, view) };
  laidOut.set(transcript, laid);
  return laid;
}

function layOut(transcript: Transcript, view: TranscriptView): LaidOut {
  const lines: Spans[] = [];
  const starts: number[] = [];
  if (transcript.damagedLines > 0)
    lines.push(notice(`! ${lineCount(transcript.damagedLines)} damaged, kept as they are`, 'danger', view));
  if (transcript.omitted > 0) lines.push(notice(`… ${transcript.omitted} earlier pieces are not shown`, 'faint', view));
  for (const item of transcript.items) {
    starts.push(lines.length);
    addItem(item, view, lines);
  }
  if (transcript.items.length === 0) lines.push(notice('Nothing was said here yet.', 'faint', view));
  return { lines, starts };
}

function lineCount(count: number): string {
  return count === 1 ? '1 line is' : `${count} lines are`;
}

function notice(text: string, style: Style, view: TranscriptView): Spans {
  return fitSpans([span(text, style)], view.cells);
}

function addItem(item: TranscriptItem, view: TranscriptView, lines: Spans[]): void {
  const label = item.label === undefined ? [] : [span(` ◆ ${neutraliseLine(item.label)}`, 'label')];
  switch (item.kind) {
    case 'user':
      heading(
        [span('❯ ', 'user'), span(item.heading === 'user' ? 'You' : neutraliseLine(item.heading), 'user'), ...label],
        item,
        view,
        lines,
      );
      body(item, view, lines, 'plain', '  ');
      return;
    case 'assistant':
      heading([span('● ', 'assistant'), span(neutraliseLine(item.heading), 'assistant'), ...label], item, view, lines);
      body(item, view, lines, item.isError ? 'danger' : 'plain', '  ');
      return;
    case 'thinking':
      lines.push(fitSpans([span('  ~ thinking', 'faint'), ...label], view.cells));
      if (!view.isFoldingThinking) body(item, view, lines, 'faint', '    ');
      return;
    case 'tool':
    case 'execution':
      lines.push(
        fitSpans(
          [
            span(item.isError ? '  ✗ ' : '  → ', item.isError ? 'danger' : 'tool'),
            span(headingText(item), 'tool'),
            ...label,
          ],
          view.cells,
        ),
      );
      body(
        item,
        view,
        lines,
        item.isError ? 'danger' : 'faint',
        '    ',
        view.isFoldingTools ? FOLDED_LINES : undefined,
      );
      return;
    case 'compaction':
    case 'branch_summary':
    case 'custom':
      heading([span(`◇ ${headingText(item)}`, 'accent'), ...label], item, view, lines);
      body(item, view, lines, 'faint', '  ');
      return;
    case 'state':
      lines.push(fitSpans([span(`  · ${headingText(item)}`, 'faint'), ...label], view.cells));
      return;
    case 'damage':
      lines.push(fitSpans([span(`! ${headingText(item)}`, 'danger'), ...label], view.cells));
      return;
  }
}

function headingText(item: TranscriptItem): string {
  return neutraliseLine(item.heading.slice(0, 2_000));
}

function heading(left: Spans, item: TranscriptItem, view: TranscriptView, lines: Spans[]): void {
  if (lines.length > 0) lines.push([]);
  const time: Span[] = item.timeMs === undefined ? [] : [span(age(item.timeMs, view.nowMs), 'faint')];
  lines.push(spread(left, time, view.cells));
}

function body(
  item: TranscriptItem,
  view: TranscriptView,
  lines: Spans[],
  style: Style,
  indent: string,
  limit?: number,
): void {
  const text = neutraliseBlock(item.text.slice(0, view.maxUnits)).replace(/^\n+|\s+$/g, '');
  const cut = item.text.length - view.maxUnits;
  if (text === '') return;
  const cells = Math.max(1, view.cells - indent.length);
  const wrapped = MARKDOWN.has(item.kind)
    ? markdownLines(text, cells, style)
    : wrap(text, cells, limit === undefined ? undefined : limit + 1).map((line): Spans => [span(line, style)]);
  const shown = limit === undefined ? wrapped : wrapped.slice(0, limit);
  for (const line of shown) lines.push(fitSpans([span(indent), ...line], view.cells));
  if (shown.length < wrapped.length) lines.push(fitSpans([span(`${indent}… more`, 'faint')], view.cells));
  else if (cut > 0) lines.push(fitSpans([span(`${indent}… ${cut} more characters`, 'faint')], view.cells));
}
