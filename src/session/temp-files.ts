import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { nodeCode } from '../errors.ts';
import { isProcessAlive } from './process-alive.ts';

/** `.<name>.<host>-<pid>-<random>.tmp`: hidden and not ending in `.jsonl`, so no listing takes it for a session. */
const TEMP_NAME = /^\.(?<name>.+)\.(?<host>[0-9a-f]{6})-(?<pid>\d+)-[0-9a-f]{8}\.tmp$/s;
const LONGEST_NAME = 200;

let hostId: string | undefined;

/** This machine, in a temporary file's name. */
function thisHost(): string {
  hostId ??= createHash('sha256').update(hostname()).digest('hex').slice(0, 6);
  return hostId;
}

/** A new name for a temporary file in the folder of `path`, which says whose it is. */
export function tempPathFor(path: string): string {
  const id = `${thisHost()}-${process.pid}-${randomBytes(4).toString('hex')}`;
  return join(dirname(path), `.${shortName(basename(path))}.${id}.tmp`);
}

/**
 * Removes temporary files that a process of this machine left behind when it died: those for the file `name` alone, or
 * all in `dir`. Files of other machines are left, since whether their process lives cannot be known.
 */
export function removeStaleTemps(dir: string, name?: string): void {
  for (const item of namesIn(dir)) {
    const temp = TEMP_NAME.exec(item)?.groups;
    if (temp?.['host'] !== thisHost()) continue;
    if (name !== undefined && temp['name'] !== shortName(name)) continue;
    const path = join(dir, item);
    if (isAbandoned(path, Number(temp['pid']))) fs.rmSync(path, { force: true });
  }
}

function namesIn(dir: string): readonly string[] {
  try {
    return fs.readdirSync(dir);
  } catch (error) {
    // Cleaning is a courtesy: a folder that may be written but not read is no reason to fail.
    if (nodeCode(error) === undefined) throw error;
    return [];
  }
}

function isAbandoned(path: string, pid: number): boolean {
  if (pid !== process.pid) return !isProcessAlive(pid);
  // Containers start every process as the same few numbers: older than ourselves means of a namesake.
  const mtimeMs = fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
  return mtimeMs < Date.now() - process.uptime() * 1000 - 2000;
}

/** A name may be as long as the file system allows, which leaves no room for ours. */
function shortName(name: string): string {
  return Buffer.byteLength(name) <= LONGEST_NAME ? name : createHash('sha256').update(name).digest('hex');
}
