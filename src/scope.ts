import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { nodeCode } from './errors.ts';
import { pathAndRealPath } from './session/paths.ts';

function readLine(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').split('\n')[0]?.trim();
  } catch (error) {
    if (nodeCode(error) === undefined) throw error;
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (nodeCode(error) === undefined) throw error;
    return [];
  }
}

/** The folder that `path` is a checkout's top of, and that checkout's common git folder; undefined elsewhere. */
function gitFolderOf(top: string): string | undefined {
  const pointer = readLine(join(top, '.git'));
  if (pointer?.startsWith('gitdir: ')) {
    const gitDir = resolve(top, pointer.slice('gitdir: '.length));
    const common = readLine(join(gitDir, 'commondir'));
    return common === undefined ? gitDir : resolve(gitDir, common);
  }
  return readLine(join(top, '.git', 'HEAD')) === undefined ? undefined : join(top, '.git');
}

function topOf(folder: string): { readonly top: string; readonly gitFolder: string } | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const gitFolder = gitFolderOf(at);
    if (gitFolder !== undefined) return { top: at, gitFolder };
    if (dirname(at) === at) return undefined;
  }
}

/**
 * The folders that count as "this folder": the one given, by its name and its real path, and the same place in every
 * worktree of its git repository. Read from git's own files; git need not be installed.
 */
export function foldersOfScope(cwd: string): readonly string[] {
  const folders = new Set(pathAndRealPath(cwd));
  const found = topOf(resolve(cwd));
  if (found === undefined) return [...folders];
  const within = relative(found.top, resolve(cwd));
  const worktrees = join(found.gitFolder, 'worktrees');
  const tops = namesIn(worktrees).map((name) => readLine(join(worktrees, name, 'gitdir')));
  for (const top of [dirname(found.gitFolder), ...tops.map((gitFile) => gitFile && dirname(gitFile))]) {
    if (top) for (const path of pathAndRealPath(join(top, within))) folders.add(path);
  }
  return [...folders];
}
