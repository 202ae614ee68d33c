import fs from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { nodeCode } from '../errors.ts';
import { createPrivateSync, ensurePrivateDirSync, syncDir, syncDirSync, writeFullySync } from './private-files.ts';
import type { FileParts, ReplaceOptions } from './storage.ts';
import { removeStaleTemps, tempPathFor } from './temp-files.ts';

const write = promisify(fs.write);
const fsync = promisify(fs.fsync);

/** Small parts are joined into writes of about this size. */
const WRITE_SIZE_BYTES = 256 * 1024;
/** What `link` says on file systems without hard links. */
const CANNOT_LINK = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EINVAL']);

interface Target {
  /** Where the content goes: the file behind `path` when that is a link. */
  readonly path: string;
  readonly temp: string;
  readonly existing: fs.Stats | undefined;
}

/**
 * Gives the file at `path` new content, all or nothing, durable when it resolves: a reader, a crash or a kill at any
 * moment sees the old content or the new. Keeps mode and owner of an existing file (new ones get 0600) and follows a
 * link to it. After a failure the file is as before and no temporary file is left; those that a dead process left for
 * this file are removed. Node's errors are thrown on (`ENOSPC`, `EACCES` also for a file without write permission).
 */
export async function replaceFile(path: string, parts: FileParts, options: ReplaceOptions = {}): Promise<void> {
  const target = prepare(path);
  const publish = () => {
    options.guard?.();
    fs.renameSync(target.temp, target.path);
  };
  await viaTemp(target, (fd) => fillDurably(fd, parts), publish);
  await syncDir(dirname(target.path));
}

/** `replaceFile` for callers that cannot wait. `isDurable: false` leaves out the syncs, for data that may be lost. */
export function replaceFileSync(
  path: string,
  parts: Iterable<string | Uint8Array>,
  options: { readonly isDurable?: boolean } = {},
): void {
  const isDurable = options.isDurable ?? true;
  const target = prepare(path);
  viaTempSync(
    target,
    (fd) => {
      writePartsSync(fd, parts);
      if (isDurable) fs.fsyncSync(fd);
    },
    () => fs.renameSync(target.temp, target.path),
  );
  if (isDurable) syncDirSync(dirname(target.path));
}

/** Creates a file with this content, all or nothing and durable. Throws `EEXIST` when the name is taken, by a link too. */
export async function createFile(path: string, parts: FileParts): Promise<void> {
  const target = prepareNew(path);
  const publish = () => renameToFree(target.temp, target.path);
  await viaTemp(target, (fd) => fillDurably(fd, parts), publish);
  await syncDir(dirname(target.path));
}

/** `createFile` for callers that cannot wait. */
export function createFileSync(path: string, parts: Iterable<string | Uint8Array>): void {
  const target = prepareNew(path);
  viaTempSync(
    target,
    (fd) => {
      writePartsSync(fd, parts);
      fs.fsyncSync(fd);
    },
    () => renameToFree(target.temp, target.path),
  );
  syncDirSync(dirname(target.path));
}

/**
 * Renames a file, or a link as a link, to a name that is free, on the same file system. Throws `EEXIST` when the name
 * is taken, `EXDEV` across file systems.
 */
export function renameToFree(from: string, to: string): void {
  if (fs.lstatSync(from).isSymbolicLink()) {
    // Some systems give the file behind a link the second name, not the link.
    fs.symlinkSync(fs.readlinkSync(from), to);
    fs.unlinkSync(from);
    return;
  }
  try {
    fs.linkSync(from, to);
  } catch (error) {
    if (!CANNOT_LINK.has(nodeCode(error) ?? '')) throw error;
    // Taking the name first makes it ours to rename over.
    fs.closeSync(createPrivateSync(to));
    renameOverOwn(from, to);
    return;
  }
  fs.unlinkSync(from);
}

function renameOverOwn(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    fs.unlinkSync(to);
    throw error;
  }
}

function prepare(path: string): Target {
  const real = behindLinks(resolve(path));
  const existing = fs.statSync(real, { throwIfNoEntry: false });
  // A rename asks only the folder, so the file's own protection has to be looked at.
  if (existing !== undefined) fs.accessSync(real, fs.constants.W_OK);
  return prepareAt(real, existing);
}

function prepareNew(path: string): Target {
  const absolute = resolve(path);
  if (fs.lstatSync(absolute, { throwIfNoEntry: false }) !== undefined) {
    throw Object.assign(new Error(`EEXIST: file already exists, open '${path}'`), { code: 'EEXIST', path });
  }
  return prepareAt(absolute, undefined);
}

function prepareAt(path: string, existing: fs.Stats | undefined): Target {
  ensurePrivateDirSync(dirname(path));
  removeStaleTemps(dirname(path), basename(path));
  return { path, temp: tempPathFor(path), existing };
}

/** The path that a chain of links leads to, even when nothing is there yet. */
function behindLinks(path: string): string {
  let at = path;
  for (let hops = 0; hops < 40 && fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink(); hops += 1) {
    at = resolve(fs.realpathSync(dirname(at)), fs.readlinkSync(at));
  }
  return at;
}

async function viaTemp(target: Target, fill: (fd: number) => Promise<void>, publish: () => void): Promise<void> {
  const fd = createTemp(target);
  try {
    await fill(fd).finally(() => fs.closeSync(fd));
    publish();
  } catch (error) {
    fs.rmSync(target.temp, { force: true });
    throw error;
  }
}

function viaTempSync(target: Target, fill: (fd: number) => void, publish: () => void): void {
  const fd = createTemp(target);
  try {
    try {
      fill(fd);
    } finally {
      fs.closeSync(fd);
    }
    publish();
  } catch (error) {
    fs.rmSync(target.temp, { force: true });
    throw error;
  }
}

function createTemp({ temp, existing }: Target): number {
  const fd = createPrivateSync(temp);
  if (existing === undefined) return fd;
  try {
    const own = fs.fstatSync(fd);
    if (own.uid !== existing.uid || own.gid !== existing.gid) keepOwner(fd, existing);
    const mode = existing.mode & 0o777;
    if ((own.mode & 0o777) !== mode) fs.fchmodSync(fd, mode);
    return fd;
  } catch (error) {
    fs.closeSync(fd);
    fs.rmSync(temp, { force: true });
    throw error;
  }
}

function keepOwner(fd: number, existing: fs.Stats): void {
  try {
    fs.fchownSync(fd, existing.uid, existing.gid);
  } catch (error) {
    // Only root may give files away; anyone else who may replace this file then owns it.
    if (nodeCode(error) !== 'EPERM') throw error;
  }
}

async function fillDurably(fd: number, parts: FileParts): Promise<void> {
  await writeParts(fd, parts);
  await fsync(fd);
}

/** Writes what has come while the next part is being made ready. */
async function writeParts(fd: number, parts: FileParts): Promise<void> {
  const pending = new PendingBytes();
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const part of parts) {
      if (!pending.add(part)) continue;
      await writing;
      writing = writeFully(fd, pending.take());
      // Its failure is thrown at the next turn; until then it must not count as forgotten.
      writing.catch(() => undefined);
    }
  } finally {
    // The descriptor is closed after this, so nothing may still be under way on it.
    await writing;
  }
  await writeFully(fd, pending.take());
}

async function writeFully(fd: number, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await write(fd, bytes, written, bytes.length - written, null)).bytesWritten;
  }
}

function writePartsSync(fd: number, parts: Iterable<string | Uint8Array>): void {
  const pending = new PendingBytes();
  for (const part of parts) {
    if (pending.add(part)) writeFullySync(fd, pending.take());
  }
  writeFullySync(fd, pending.take());
}

/** Collects parts until a write is worth its while. */
class PendingBytes {
  #parts: Uint8Array[] = [];
  #sizeBytes = 0;

  add(part: string | Uint8Array): boolean {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    this.#parts.push(bytes);
    this.#sizeBytes += bytes.length;
    return this.#sizeBytes >= WRITE_SIZE_BYTES;
  }

  take(): Uint8Array {
    const [only] = this.#parts;
    const bytes = only !== undefined && this.#parts.length === 1 ? only : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#sizeBytes = 0;
    return bytes;
  }
}
