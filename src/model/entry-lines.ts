import { age } from './age.ts';
import { neutraliseLine } from './neutralise.ts';
import { type Spans, span, spread } from './spans.ts';
import { type Transcript, type TranscriptView, transcriptLines } from './transcript-lines.ts';

/** A conversation with one of its prompts marked. */
interface EntryLines {
  readonly lines: readonly Spans[];
  /** The line with which the prompt begins. */
  readonly head: number;
}

const laidOut = new WeakMap<Transcript, { readonly view: string; readonly marked: EntryLines }>();

/** The lines of a conversation, its item `at` marked. Remembers the last layout, as `transcriptLines` does. */
export function entryLines(transcript: Transcript, at: number, view: TranscriptView): EntryLines {
  const key = JSON.stringify([view, at]);
  const known = laidOut.get(transcript);
  if (known?.view === key) return known.marked;
  const head = headOf(transcript, at, view);
  const all = transcriptLines(transcript, view);
  const marked = { lines: all.map((line, index) => (index === head ? markedHead(transcript, at, view) : line)), head };
  laidOut.set(transcript, { view: key, marked });
  return marked;
}

/** A blank line stands above every prompt that is not the first line. */
function headOf(transcript: Transcript, at: number, view: TranscriptView): number {
  if (at > 0) return transcriptLines({ ...transcript, items: transcript.items.slice(0, at) }, view).length + 1;
  const notices = Number(transcript.damagedLines > 0) + Number(transcript.omitted > 0);
  return notices === 0 ? 0 : notices + 1;
}

function markedHead(transcript: Transcript, at: number, { cells, nowMs }: TranscriptView): Spans {
  const item = transcript.items[at];
  const label = item?.label === undefined ? [] : [span(` ◆ ${neutraliseLine(item.label)}`, 'label')];
  const time = item?.timeMs === undefined ? [] : [span(age(item.timeMs, nowMs), 'faint')];
  return spread([span('❯ You', 'user'), span(' ← this prompt', 'match'), ...label], time, cells);
}
