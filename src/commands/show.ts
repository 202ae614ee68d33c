import { neutraliseBlock, neutraliseLine } from '../model/neutralise.ts';
import { jsonOfList, printAll } from '../output.ts';
import { nodesOnPath } from '../session/loaded-session.ts';
import { buildTranscript, type Transcript, type TranscriptItem } from '../session/transcript.ts';
import { sessionJson } from './list.ts';
import { type OpenedSession, openTarget } from './opened.ts';
import type { Place } from './place.ts';

/** A fence that nothing inside can close. */
function fenced(text: string): string {
  let fence = '```';
  while (text.includes(fence)) fence += '`';
  return `${fence}\n${text}\n${fence}`;
}

function itemMarkdown(item: TranscriptItem): string {
  const text = neutraliseBlock(item.text).trim();
  const heading = neutraliseLine(item.heading);
  const label = item.label === undefined ? '' : ` · label: ${neutraliseLine(item.label)}`;
  switch (item.kind) {
    case 'user':
      return `## User${label}\n\n${text}`;
    case 'assistant':
      return `## Assistant (${heading})${label}\n\n${text}`;
    case 'thinking':
      return `### Thinking${label}\n\n${text.replace(/^/gm, '> ')}`;
    case 'tool':
    case 'execution':
      return `### \`${heading.replaceAll('`', "'")}\`${item.isError ? ' (failed)' : ''}${label}\n\n${text === '' ? '' : fenced(text)}`;
    case 'compaction':
      return `## Compaction${label}\n\n${text}`;
    case 'branch_summary':
      return `## Branch summary${label}\n\n${text === '' ? '(none)' : text}`;
    case 'custom':
      return `### ${heading}${label}\n\n${text}`;
    case 'state':
      return `*${heading}*${label}`;
    case 'damage':
      return `**A damaged line stands here.**`;
  }
}

function* markdown({ row }: OpenedSession, transcript: Transcript): Generator<string> {
  const title = neutraliseLine(row.title ?? row.firstMessage ?? row.id ?? row.path);
  const facts = [row.agent, row.cwd, row.id].filter((fact) => fact !== null).map(neutraliseLine);
  yield `# ${title}\n\n${facts.join(' · ')}\n`;
  if (transcript.damagedLines > 0) yield `\n${transcript.damagedLines} damaged lines in the file.\n`;
  for (const item of transcript.items) yield `\n${itemMarkdown(item).trimEnd()}\n`;
}

export interface ShowOptions {
  readonly entry: string | undefined;
  readonly json: boolean;
}

/** `bough show TARGET`: the conversation on the path to the leaf, or to an entry, as Markdown or JSON. */
export async function runShow(place: Place, target: string, { entry, json }: ShowOptions): Promise<void> {
  const opened = await openTarget(target, entry, place);
  const { session, at, row } = opened;
  const path = at < 0 ? [] : nodesOnPath(session, at);
  const transcript = buildTranscript(path, session.labels, session.damage.length, Number.POSITIVE_INFINITY);
  if (!json) {
    await printAll(markdown(opened, transcript));
    return;
  }
  const items = transcript.items.map(({ timeMs, label, ...item }) => ({
    ...item,
    timestamp: timeMs ?? null,
    label: label ?? null,
  }));
  const about = { version: 1, session: sessionJson(row), entryId: path.at(-1)?.id ?? null };
  await printAll(jsonOfList(about, 'items', items));
}
