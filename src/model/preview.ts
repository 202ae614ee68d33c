import { activityMs, type SessionRow } from '../catalog/session-row.ts';
import { age } from './age.ts';
import { neutraliseLine } from './neutralise.ts';
import { costText, countText, folderText, rowTitle, sizeText } from './row-text.ts';
import { fitSpans, type Spans, type Style, span } from './spans.ts';
import { truncateStart, wrap } from './text.ts';
import { type Transcript, transcriptLines } from './transcript-lines.ts';

/** The conversation of the selected session, as far as it is there. */
export type Loaded =
  | { readonly kind: 'loading' }
  | { readonly kind: 'loaded'; readonly transcript: Transcript }
  | { readonly kind: 'failed'; readonly reason: string };

/** How the preview is laid out. */
export interface PreviewView {
  readonly cells: number;
  readonly rows: number;
  readonly home: string;
  readonly nowMs: number;
  /** Lines scrolled up from the end. */
  readonly scroll: number;
}

const MAX_UNITS = 4_000;

/** What is known of a session: title, where and when, figures, and what is wrong with it. At most five lines. */
function factLines(row: SessionRow, { cells, home, nowMs }: PreviewView): Spans[] {
  const lines: Spans[] = [];
  const add = (text: string, style: Style): void => {
    if (text !== '') lines.push(fitSpans([span(text, style)], cells));
  };
  for (const line of wrap(rowTitle(row), cells, 2)) add(line, 'strong');
  add(truncateStart(folderText(row.cwd, home), cells), 'accent');
  const created = row.createdMs === null ? '' : `started ${ago(row.createdMs, nowMs)}`;
  add(
    joined([row.agent ?? 'unknown agent', models(row), `last used ${ago(activityMs(row), nowMs)}`, created]),
    'faint',
  );
  add(joined([...figures(row), sizeText(row.sizeBytes)]), 'faint');
  if (row.problem !== null) add(`! ${neutraliseLine(row.problem)}`, 'danger');
  else if (row.id === null) add('! no session header: not known what this file is', 'danger');
  if (row.live === true) add('● an agent has it open', 'live');
  return lines;
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}

function ago(timeMs: number, nowMs: number): string {
  const text = age(timeMs, nowMs);
  return text === 'now' ? 'just now' : `${text} ago`;
}

function models(row: SessionRow): string {
  const names = row.models ?? [];
  const last = neutraliseLine(names.at(-1) ?? '');
  return names.length > 1 ? `${last} +${names.length - 1}` : last;
}

function figures(row: SessionRow): string[] {
  const count = (value: number | null, one: string, many: string): string =>
    value === null || value === 0 ? '' : `${countText(value)} ${value === 1 ? one : many}`;
  const { tokens } = row;
  return [
    row.messageCount === null
      ? ''
      : `${countText(row.messageCount)} ${row.messageCount === 1 ? 'message' : 'messages'}`,
    count(row.branchCount, 'branch point', 'branch points'),
    count(row.labelCount, 'label', 'labels'),
    tokens === null
      ? ''
      : count(tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite, 'token', 'tokens'),
    row.cost === null || row.cost === 0 ? '' : costText(row.cost),
  ];
}

/**
 * The preview: the facts, a rule, and the conversation's end; scrolled up, what stands before it. `maxScroll` is how far one
 * can scroll. Always `rows` lines or fewer, each `cells` wide or less.
 */
export function previewLines(
  row: SessionRow,
  loaded: Loaded,
  view: PreviewView,
): { readonly lines: readonly Spans[]; readonly maxScroll: number } {
  const facts = factLines(row, view).slice(0, Math.max(1, view.rows));
  const room = view.rows - facts.length - 1;
  if (room < 1) return { lines: facts, maxScroll: 0 };
  const talk = conversation(loaded, view);
  const maxScroll = Math.max(0, talk.length - room);
  const end = talk.length - Math.min(view.scroll, maxScroll);
  const above = Math.max(0, end - room);
  const rule = above > 0 ? `─ ↑ ${above} `.padEnd(view.cells, '─').slice(0, view.cells) : '─'.repeat(view.cells);
  return { lines: [...facts, [span(rule, 'faint')], ...talk.slice(above, end)], maxScroll };
}

function conversation(loaded: Loaded, { cells, nowMs }: PreviewView): readonly Spans[] {
  switch (loaded.kind) {
    case 'loading':
      return [];
    case 'failed':
      return wrap(neutraliseLine(loaded.reason), cells).map((line) => [span(line, 'danger')]);
    case 'loaded':
      return transcriptLines(loaded.transcript, {
        cells,
        nowMs,
        isFoldingTools: true,
        isFoldingThinking: true,
        maxUnits: MAX_UNITS,
      });
  }
}
