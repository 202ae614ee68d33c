import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { foldersOfScope } from '../src/scope.ts';
import { makeTempDir } from './session/temp-dir.ts';

/** What `git worktree add` leaves on disk. */
function makeWorktree(repository: string, worktree: string, name: string): void {
  const gitDir = join(repository, '.git', 'worktrees', name);
  mkdirSync(gitDir, { recursive: true });
  mkdirSync(worktree, { recursive: true });
  writeFileSync(join(worktree, '.git'), `gitdir: ${gitDir}\n`);
  writeFileSync(join(gitDir, 'gitdir'), `${join(worktree, '.git')}\n`);
  writeFileSync(join(gitDir, 'commondir'), '../..\n');
}

function makeRepository(): string {
  const repository = join(makeTempDir(), 'repository');
  mkdirSync(join(repository, '.git'), { recursive: true });
  writeFileSync(join(repository, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  return repository;
}

test('outside a repository it is the folder alone', () => {
  const folder = makeTempDir();
  expect(foldersOfScope(folder)).toEqual([folder]);
});

test('a link counts under both names', () => {
  const folder = makeTempDir();
  mkdirSync(join(folder, 'q'));
  symlinkSync(join(folder, 'q'), join(folder, 'p'));
  expect(foldersOfScope(join(folder, 'p'))).toEqual([join(folder, 'p'), join(folder, 'q')]);
});

test('the worktrees of a repository count, from either side', () => {
  const repository = makeRepository();
  const worktree = `${repository}-feature`;
  makeWorktree(repository, worktree, 'feature');
  expect([...foldersOfScope(repository)].sort()).toEqual([repository, worktree]);
  expect([...foldersOfScope(worktree)].sort()).toEqual([repository, worktree]);
});

test('deeper inside it is the same place in each worktree', () => {
  const repository = makeRepository();
  const worktree = `${repository}-feature`;
  makeWorktree(repository, worktree, 'feature');
  mkdirSync(join(repository, 'src'));
  expect([...foldersOfScope(join(repository, 'src'))].sort()).toEqual(
    [join(worktree, 'src'), join(repository, 'src')].sort(),
  );
});
