import fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { nodeCode, SessionError } from '../errors.ts';
import { artifactsDirOf, encodeCwd, folderNamesOf, getSessionsDir } from './paths.ts';
import { ensurePrivateDirSync, syncDir } from './private-files.ts';
import { assertNotHeld, editedContent, isSameState } from './rewrite.ts';
import { headerEdit } from './session-edits.ts';
import type { SessionStorage } from './storage.ts';
import { openReader, replaceFile } from './storage-fallbacks.ts';

/**
 * Where a session goes when its project becomes `newCwd`: beside its old folder when that is named after the old project,
 * in any form of the family, and else into the process's own folder for the new one.
 */
export function folderAfterMove(sessionDir: string, oldCwd: string, newCwd: string): string {
  const isNamedAfterCwd = folderNamesOf(oldCwd).includes(basename(sessionDir));
  return join(isNamedAfterCwd ? dirname(resolve(sessionDir)) : getSessionsDir(), encodeCwd(newCwd));
}

function assertFreeName(path: string): void {
  if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw new SessionError('already_exists', `there is already something at ${path}`, { path });
}

/** Moves a folder to a free name; across file systems it is copied, synced and compared before the source goes. */
async function moveFolder(from: string, to: string): Promise<void> {
  assertFreeName(to);
  try {
    fs.renameSync(from, to);
    return;
  } catch (error) {
    if (nodeCode(error) !== 'EXDEV') throw error;
  }
  try {
    fs.cpSync(from, to, {
      recursive: true,
      preserveTimestamps: true,
      errorOnExist: true,
      force: false,
      verbatimSymlinks: true,
    });
    for (const name of fs.readdirSync(from, { recursive: true, encoding: 'utf8' }))
      await verifyCopy(join(from, name), join(to, name));
  } catch (error) {
    fs.rmSync(to, { recursive: true, force: true });
    throw error;
  }
  fs.rmSync(from, { recursive: true, force: true });
}

async function verifyCopy(from: string, to: string): Promise<void> {
  const stat = fs.lstatSync(from);
  if (stat.isDirectory()) await syncDir(to);
  if (!stat.isFile()) return;
  const fd = fs.openSync(to, 'r+');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  if (!fs.readFileSync(from).equals(fs.readFileSync(to))) {
    throw new SessionError('io', `the copy of ${from} is not like it`, { path: to });
  }
}

async function copyWithCwd(storage: SessionStorage, from: string, to: string, cwd: string): Promise<void> {
  const file = await openReader(storage, from);
  try {
    const before = await file.stat();
    const guard = (): void => {
      if (storage.existsSync(to))
        throw new SessionError('already_exists', `there is already a session at ${to}`, { path: to });
      if (isSameState(before, storage.statSync(from))) return;
      throw new SessionError('changed_on_disk', `${from} is being written by another program`, { path: from });
    };
    await replaceFile(storage, to, editedContent(file, headerEdit({ cwd })), { guard });
  } finally {
    await file.close();
  }
}

/**
 * Moves a session's file, with `cwd` as its header's folder, and its artifact folder, either of which may be missing. The
 * new file is there and durable before the old one goes; whatever fails, everything is where it was. Nothing is
 * overwritten. Resolves to whether there was a file.
 * @throws SessionError `already_exists`, `live`, `changed_on_disk`; the system's errors are thrown on
 */
export async function moveSessionFile(
  storage: SessionStorage,
  from: string,
  to: string,
  cwd: string,
): Promise<boolean> {
  const hasFile = storage.existsSync(from);
  const [oldArtifacts, newArtifacts] = [artifactsDirOf(from), artifactsDirOf(to)];
  const hasArtifacts = fs.statSync(oldArtifacts, { throwIfNoEntry: false })?.isDirectory() ?? false;
  storage.ensureDirSync(dirname(to));
  if (hasFile) {
    await assertNotHeld(storage, from, undefined);
    await copyWithCwd(storage, from, to, cwd);
  }
  let hasMovedArtifacts = false;
  try {
    if (hasArtifacts) {
      ensurePrivateDirSync(dirname(newArtifacts));
      await moveFolder(oldArtifacts, newArtifacts);
      hasMovedArtifacts = true;
    }
    if (hasFile) await storage.unlink(from);
  } catch (error) {
    if (hasMovedArtifacts) await moveFolder(newArtifacts, oldArtifacts);
    if (hasFile) await storage.unlink(to);
    throw error;
  }
  return hasFile;
}
