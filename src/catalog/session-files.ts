import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { AgentRoot } from '../agents/agents.ts';
import { fromNodeError, nodeCode, type SessionError } from '../errors.ts';
import { isInsideOrSame, pathAndRealPath } from '../session/paths.ts';

/** A file that may be a session, before anything of it was read. */
export interface FoundFile {
  readonly path: string;
  readonly root: AgentRoot;
  /** Inside another session's artifact folder. */
  readonly isSubAgent: boolean;
  readonly mtimeMs: number;
  /** 0 when it was not looked at yet, or is gone. */
  readonly sizeBytes: number;
  readonly inode: number;
}

/** sessions/<project>/<session>/…: agents nest a few levels. */
const MAX_DEPTH = 8;

function readFolder(folder: string, onProblem: (error: SessionError) => void): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (nodeCode(error) !== 'ENOENT') onProblem(fromNodeError(error, `cannot list ${folder}`, folder));
    return [];
  }
}

/** undefined where there is nothing, or nothing that can be looked at: a link to itself, a folder that may not be entered. */
function statAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (nodeCode(error) === undefined) throw error;
    return undefined;
  }
}

/** A link counts as what it leads to; one that leads nowhere is listed, since its session cannot be reached. */
function kindOf(entry: Dirent, path: string): 'file' | 'folder' | 'other' {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (!entry.isSymbolicLink()) return 'other';
  const target = statAt(path);
  if (target === undefined || target.isFile()) return 'file';
  return target.isDirectory() ? 'folder' : 'other';
}

/** Tells which links to folders lead to what has not been walked yet, for one sessions folder. */
class LinkedFolders {
  readonly #sessionsDir: string;
  readonly #seen: string[] = [];

  constructor(sessionsDir: string) {
    this.#sessionsDir = pathAndRealPath(sessionsDir).at(-1) ?? sessionsDir;
  }

  /** A folder is walked once, by whatever links, and never by one that leads back to where it lies. */
  isNew(link: string): boolean {
    const target = pathAndRealPath(link).at(-1) ?? link;
    const isKnown = [this.#sessionsDir, ...this.#seen].some((folder) => isInsideOrSame(relative(folder, target)));
    if (isKnown || isInsideOrSame(relative(target, this.#sessionsDir))) return false;
    this.#seen.push(target);
    return true;
  }
}

interface Named {
  readonly path: string;
  readonly name: string;
  readonly root: AgentRoot;
  readonly isSubAgent: boolean;
}

function* nameFiles(roots: readonly AgentRoot[], onProblem: (error: SessionError) => void): Generator<Named> {
  for (const root of roots) {
    const linked = new LinkedFolders(root.folders.sessionsDir);
    const pending = [{ folder: root.folders.sessionsDir, depth: 0 }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { folder, depth } = next;
      for (const entry of readFolder(folder, onProblem)) {
        const { name } = entry;
        if (name.startsWith('.')) continue;
        const path = folder + sep + name;
        const kind = kindOf(entry, path);
        if (kind === 'folder' && depth < MAX_DEPTH && (entry.isDirectory() || linked.isNew(path))) {
          pending.push({ folder: path, depth: depth + 1 });
        }
        if (kind === 'file' && name.endsWith('.jsonl')) yield { path, name, root, isSubAgent: depth > 1 };
      }
    }
  }
}

function lookAt({ path, root, isSubAgent }: Named): FoundFile {
  const stat = statAt(path);
  return { path, root, isSubAgent, mtimeMs: stat?.mtimeMs ?? 0, sizeBytes: stat?.size ?? 0, inode: stat?.ino ?? 0 };
}

/**
 * Every `*.jsonl` below an agent's sessions folder, hidden names left out, newest file first. Folders that cannot be read
 * are reported and skipped; a missing sessions folder holds nothing.
 */
export function findSessionFiles(roots: readonly AgentRoot[], onProblem: (error: SessionError) => void): FoundFile[] {
  return Array.from(nameFiles(roots, onProblem), lookAt).sort((a, b) => b.mtimeMs - a.mtimeMs);
}

/**
 * Some session files that are likely among the newest, told by their names, which begin with the time they were made at: so
 * that there is something to show before every file was looked at.
 */
export function guessNewestFiles(roots: readonly AgentRoot[], count: number): FoundFile[] {
  const named = [...nameFiles(roots, () => undefined)].filter(({ isSubAgent }) => !isSubAgent);
  return named
    .sort((a, b) => (a.name < b.name ? 1 : -1))
    .slice(0, count)
    .map(lookAt);
}
