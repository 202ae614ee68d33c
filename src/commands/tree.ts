import { jsonOfList, printAll } from '../output.ts';
import { entryText, toolCallsOf } from '../session/entry-text.ts';
import { type LoadedSession, nodesOnPath, type SessionNode } from '../session/loaded-session.ts';
import { pathTo, walkTree } from '../session/tree.ts';
import { sessionJson } from './list.ts';
import { openTarget } from './opened.ts';
import type { Place } from './place.ts';

function markOf(session: LoadedSession, at: number, node: SessionNode): string | null {
  return node.entry === undefined ? 'damaged' : (session.tree.marks.get(at) ?? null);
}

/** Every entry once, parents before children, the branch with the leaf first (product page, "tree --json"). */
function* nodesJson(session: LoadedSession): Generator<unknown> {
  const { tree, labels } = session;
  const active = new Set(session.leaf < 0 ? [] : pathTo(tree, session.leaf));
  const calls = toolCallsOf(tree.items.flatMap(({ entry }) => (entry === undefined ? [] : [entry])));
  for (const { at, depth } of walkTree(tree, active)) {
    const node = tree.items[at];
    if (node === undefined) continue;
    yield {
      id: node.id,
      parentId: node.parentId,
      line: node.span.line,
      type: node.type,
      role: node.role ?? null,
      label: labels.get(node.id) ?? null,
      text: node.entry === undefined ? '' : entryText(node.entry, calls),
      timestamp: node.timeMs ?? null,
      depth,
      active: active.has(at),
      mark: markOf(session, at, node),
    };
  }
}

/** `bough tree TARGET --json`. */
export async function runTreeJson(place: Place, target: string): Promise<void> {
  const { row, session } = await openTarget(target, undefined, place);
  const leaf = nodesOnPath(session, session.leaf).at(-1);
  const damage = session.damage.map(({ span, reason }) => ({ line: span.line, reason, bytes: span.length }));
  const about = { version: 1, session: sessionJson(row), leafId: leaf?.id ?? null };
  await printAll(jsonOfList(about, 'nodes', nodesJson(session), { damage }));
}
