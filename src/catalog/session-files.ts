import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentRoot } from '../agents/agents.ts';
import { fromNodeError, nodeCode, type SessionError } from '../errors.ts';

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

/** sessions/<project>/<session>/…: agents nest a few levels, a loop of links nests for ever. */
const MAX_DEPTH = 8;

function readFolder(folder: string, onProblem: (error: SessionError) => void): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (nodeCode(error) !== 'ENOENT') onProblem(fromNodeError(error, `cannot list ${folder}`, folder));
    return [];
  }
}

/** A link counts as what it leads to; one that leads nowhere is listed, since its session cannot be reached. */
function kindOf(entry: Dirent, path: string): 'file' | 'folder' | 'other' {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (!entry.isSymbolicLink()) return 'other';
  const target = statSync(path, { throwIfNoEntry: false });
  if (target === undefined || target.isFile()) return 'file';
  return target.isDirectory() ? 'folder' : 'other';
}

/**
 * Every `*.jsonl` below an agent's sessions folder, hidden names left out, newest file first. Folders that cannot be read
 * are reported and skipped; a missing sessions folder holds nothing.
 */
export function findSessionFiles(roots: readonly AgentRoot[], onProblem: (error: SessionError) => void): FoundFile[] {
  const found: FoundFile[] = [];
  for (const root of roots) {
    const pending = [{ folder: root.folders.sessionsDir, depth: 0 }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { folder, depth } = next;
      for (const entry of readFolder(folder, onProblem)) {
        if (entry.name.startsWith('.')) continue;
        const path = join(folder, entry.name);
        const kind = kindOf(entry, path);
        if (kind === 'folder' && depth < MAX_DEPTH) pending.push({ folder: path, depth: depth + 1 });
        if (kind !== 'file' || !entry.name.endsWith('.jsonl')) continue;
        const stat = statSync(path, { throwIfNoEntry: false });
        const stamp = { mtimeMs: stat?.mtimeMs ?? 0, sizeBytes: stat?.size ?? 0, inode: stat?.ino ?? 0 };
        found.push({ path, root, isSubAgent: depth > 1, ...stamp });
      }
    }
  }
  return found.sort((a, b) => b.mtimeMs - a.mtimeMs);
}
