import fs from 'node:fs';
import { dirname } from 'node:path';
import { nodeCode } from '../errors.ts';

/** Mode of every file that we create: transcripts are nobody else's business. */
export const PRIVATE_FILE_MODE = 0o600;
/** Mode of every folder that we create. */
const PRIVATE_DIR_MODE = 0o700;

/**
 * Creates `dir` and what is missing above it, each with mode 0700 whatever the umask; existing folders stay as they
 * are. Node's error (`EEXIST` when a file is in the way) is thrown on.
 */
export function ensurePrivateDirSync(dir: string): void {
  const missing: string[] = [];
  for (let at = dir; !fs.existsSync(at); at = dirname(at)) missing.push(at);
  if (missing.length === 0 && !fs.statSync(dir).isDirectory()) fs.mkdirSync(dir);
  for (const folder of missing.reverse()) makePrivateDir(folder);
}

function makePrivateDir(folder: string): void {
  try {
    fs.mkdirSync(folder, { mode: PRIVATE_DIR_MODE });
  } catch (error) {
    // Another process may have been faster.
    if (nodeCode(error) === 'EEXIST' && fs.statSync(folder).isDirectory()) return;
    throw error;
  }
  if ((fs.statSync(folder).mode & PRIVATE_DIR_MODE) !== PRIVATE_DIR_MODE) fs.chmodSync(folder, PRIVATE_DIR_MODE);
}

/** Access flags of `openPrivateSync`; what is there is kept in both. */
type Access = 'append' | 'write';

/**
 * A descriptor on `path`. A missing file is created with mode 0600 whatever the umask, in folders made with 0700; the
 * mode of an existing one is left alone. Nothing is truncated.
 */
export function openPrivateSync(path: string, access: Access): number {
  const { O_RDWR, O_APPEND } = fs.constants;
  // Readable too: an append must know whether the last line is complete.
  const flags = access === 'append' ? O_RDWR | O_APPEND : O_RDWR;
  try {
    return fs.openSync(path, flags);
  } catch (error) {
    if (nodeCode(error) !== 'ENOENT') throw error;
  }
  ensurePrivateDirSync(dirname(path));
  try {
    return createPrivateSync(path, flags);
  } catch (error) {
    if (nodeCode(error) !== 'EEXIST') throw error;
  }
  // Someone else has just created it, or it is a link to a file that is yet to be.
  return fs.openSync(path, flags | fs.constants.O_CREAT, PRIVATE_FILE_MODE);
}

/** A descriptor on a new file of mode 0600; throws `EEXIST` when the name is taken, by a link too. */
export function createPrivateSync(path: string, flags: number = fs.constants.O_RDWR): number {
  const fd = fs.openSync(path, flags | fs.constants.O_CREAT | fs.constants.O_EXCL, PRIVATE_FILE_MODE);
  // The umask can only have taken bits away.
  if ((fs.fstatSync(fd).mode & PRIVATE_FILE_MODE) !== PRIVATE_FILE_MODE) fs.fchmodSync(fd, PRIVATE_FILE_MODE);
  return fd;
}

/** Writes all of `bytes` at the descriptor's position, going on after short writes. `onProgress` hears how many so far. */
export function writeFullySync(fd: number, bytes: Uint8Array, onProgress?: (writtenBytes: number) => void): void {
  for (let written = 0; written < bytes.length; ) {
    written += fs.writeSync(fd, bytes, written, bytes.length - written, null);
    onProgress?.(written);
  }
}

/** Codes with which systems say that a folder cannot be synced at all. */
const CANNOT_SYNC_DIR = new Set(['EISDIR', 'EINVAL', 'EPERM', 'EACCES', 'EBADF', 'ENOTSUP', 'ENOSYS']);

/** Makes names in `dir` durable (fsync of the folder); does nothing where the system has no such thing. */
export function syncDirSync(dir: string): void {
  try {
    const fd = fs.openSync(dir, 'r');
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    if (!CANNOT_SYNC_DIR.has(nodeCode(error) ?? '')) throw error;
  }
}

/** `syncDirSync` without holding up the thread. */
export async function syncDir(dir: string): Promise<void> {
  try {
    const handle = await fs.promises.open(dir, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!CANNOT_SYNC_DIR.has(nodeCode(error) ?? '')) throw error;
  }
}
