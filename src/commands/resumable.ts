import { byActivity, Listing } from '../catalog/listing.ts';
import { glanceAtRow } from '../catalog/read-row.ts';
import { isShownByDefault, type SessionRow } from '../catalog/session-row.ts';
import { SessionError } from '../errors.ts';
import { findBreadcrumb } from '../session/breadcrumbs.ts';
import { pathAndRealPath } from '../session/paths.ts';
import { getTerminalIds } from '../session/terminal-ids.ts';
import { fileAt } from '../targets.ts';
import type { Place } from './place.ts';

/** What `resume` without a target takes, and why. */
export interface Resumable {
  readonly row: SessionRow;
  readonly reason: string;
}

function isResumable(row: SessionRow): boolean {
  return row.id !== null && row.problem === null && !row.isStub && !row.isSubAgent;
}

/**
 * The most recent session of this terminal, from its breadcrumb; else the newest of exactly this folder that a picker shows,
 * by its last real entry. Throws `not_found` when this folder has none.
 */
export async function findResumable(place: Place): Promise<Resumable> {
  const terminals = getTerminalIds();
  const breadcrumb = await findBreadcrumb({
    cwd: place.cwd,
    breadcrumbsDirs: place.roots.map(({ folders }) => folders.breadcrumbsDir),
    isResumable: (path) => isResumable(glanceAtRow(fileAt(path, place.roots))),
    terminals,
  });
  if (breadcrumb !== undefined) {
    return {
      row: glanceAtRow(fileAt(breadcrumb.sessionFile, place.roots)),
      reason: 'the last session of this terminal',
    };
  }
  const here = new Set(pathAndRealPath(place.cwd));
  const rows = [...new Listing(place.roots, () => undefined).glance()];
  const local = rows.filter(
    (row) => row.cwd !== null && here.has(row.cwd) && isResumable(row) && isShownByDefault(row),
  );
  const [newest] = local.sort(byActivity);
  if (newest !== undefined) {
    const because = terminals.length === 0 ? 'this terminal has no name' : 'this terminal has none of its own here';
    return { row: newest, reason: `the newest session of this folder (${because})` };
  }
  throw new SessionError('not_found', `no session belongs to ${place.cwd}`, {
    path: place.cwd,
    hint: 'bough list --all shows those of every folder',
  });
}
