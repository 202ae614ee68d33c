import { titleOf } from '../agents/agents.ts';
import { SessionError } from '../errors.ts';
import { type LoadedSession, loadSession, nodesOnPath } from '../session/loaded-session.ts';
import { SessionFile } from '../session/scan.ts';
import { buildTranscript } from '../session/transcript.ts';
import type { EntryTranscript } from './prompt-history.ts';

const MAX_TITLE_UNITS = 400;

/** The last entry in the file that is below a position, or the position itself. */
function lastBelow({ tree }: LoadedSession, at: number): number {
  const isBelow = new Uint8Array(tree.items.length);
  isBelow[at] = 1;
  let last = at;
  // A parent may stand behind its child in a damaged file; such a child is not followed.
  for (let position = at + 1; position < tree.items.length; position++) {
    if (isBelow[tree.parents[position] ?? -1] !== 1) continue;
    isBelow[position] = 1;
    if (tree.items[position]?.entry !== undefined) last = position;
  }
  return last;
}

/** By its id, or by its line (`#LINE`) where it has none; -1 when it is not there. */
function positionOf({ tree }: LoadedSession, entryId: string): number {
  const known = tree.positions.get(entryId);
  if (known !== undefined) return known;
  const line = Number(/^#(\d+)$/.exec(entryId)?.[1]);
  return tree.items.findIndex(({ span }) => span.line === line);
}

/**
 * The conversation on the path through an entry, to the last entry below it, which is the session's leaf where that is
 * below it. At most `limit` items around the entry. Throws `entry_not_found`, and as opening a session does.
 */
export function readTranscriptAt(path: string, entryId: string, limit: number): EntryTranscript {
  using file = new SessionFile(path);
  const session = loadSession(file);
  const at = positionOf(session, entryId);
  const entry = session.tree.items[at];
  if (entry === undefined) throw new SessionError('entry_not_found', `the prompt is not in ${path} any more`, { path });
  const nodes = nodesOnPath(session, lastBelow(session, at));
  const whole = buildTranscript(nodes, session.labels, session.summary.damagedLines, Number.POSITIVE_INFINITY);
  const index = Math.max(
    0,
    whole.items.findIndex((item) => item.entryId === entry.id),
  );
  const from = Math.max(0, index - Math.floor(limit / 2));
  const items = whole.items.slice(from, from + limit);
  const { titles, firstMessage } = session.summary;
  // Whose session it is was settled when it was listed; any title tells sessions apart here.
  const title = titleOf(null, titles)?.text ?? firstMessage?.slice(0, MAX_TITLE_UNITS) ?? null;
  return { title, transcript: { ...whole, items, omitted: whole.omitted + from }, at: index - from };
}
