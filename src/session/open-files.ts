import fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { nodeCode } from '../errors.ts';
import { type Breadcrumb, listBreadcrumbs } from './breadcrumbs.ts';
import { agentFoldersOf, getTerminalSessionsDir } from './paths.ts';
import { isProcessAlive } from './process-alive.ts';
import { fileKeysOf, idKey } from './process-arguments.ts';
import { readProcessTable } from './process-table.ts';
import type { ProcessTable, RunningProcess } from './process-table-types.ts';

/** Who has a session file, as far as can be known. `unknown` has to be treated as held before a rewrite. */
export type Holder =
  | { readonly state: 'free' }
  | {
      readonly state: 'held';
      readonly pid: number;
      /** The command line, from data: neutralise before drawing. */
      readonly command: string;
      readonly how: 'descriptor' | 'argument' | 'lock' | 'breadcrumb';
      /** Since when, in epoch milliseconds: of the lock, the breadcrumb or the process. */
      readonly sinceMs?: number;
    }
  | { readonly state: 'unknown'; readonly reason: string };

export interface ProcessSnapshot {
  /** Who has this session file open; cheap enough for thousands of rows. This process itself never counts. */
  holderOf(sessionPath: string): Holder;
}

export interface SnapshotOptions {
  /** The agents' programs and the folders of their breadcrumbs; a folder not named here is any agent's. */
  readonly agents?: readonly { readonly command: string; readonly breadcrumbsDir?: string }[];
}

const FAMILY = [{ command: 'xcsh' }, { command: 'omp' }, { command: 'pi' }];
/** A lock without a holder's number in it is a moment old, or left by a crash. */
const UNREADABLE_LOCK_MS = 60_000;
/** Boot time is kept in whole seconds, and clocks are adjusted. */
const CLOCK_SLACK_MS = 5000;

/** File systems that other machines may write to, or that hide the processes of a host, by their `statfs` type. */
const SHARED_FILE_SYSTEMS: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'CIFS',
  4266872130: 'SMB',
  16914839: '9P',
  1702057286: 'FUSE',
  12805120: 'Ceph',
  1397113167: 'AFS',
  198183888: 'Lustre',
  1196443219: 'GPFS',
  2020557398: 'VirtualBox',
  3133910204: 'VMware',
};

/**
 * Looks at all processes once. The picture ages at once: take a new one right before a decision (`findHolder`), and
 * let one serve a whole list.
 */
export async function snapshotProcesses(options: SnapshotOptions = {}): Promise<ProcessSnapshot> {
  const agents = options.agents ?? FAMILY;
  return new Snapshot(await readProcessTable(agents.map((agent) => agent.command)), agents);
}

/** Who has one session file open at this moment. */
export async function findHolder(sessionPath: string, options: SnapshotOptions = {}): Promise<Holder> {
  return (await snapshotProcesses(options)).holderOf(sessionPath);
}

class Snapshot implements ProcessSnapshot {
  readonly #table: ProcessTable;
  readonly #agents: NonNullable<SnapshotOptions['agents']>;
  readonly #writers = new Map<string, RunningProcess>();
  readonly #starters = new Map<string, RunningProcess>();
  readonly #breadcrumbs = new Map<string, ReadonlyMap<string, readonly Breadcrumb[]>>();
  readonly #breadcrumbsDirs = new Map<string, string>();
  readonly #hiddenNames = new Map<string, ReadonlySet<string>>();
  readonly #shares = new Map<string, string | undefined>();

  constructor(table: ProcessTable, agents: NonNullable<SnapshotOptions['agents']>) {
    this.#table = table;
    this.#agents = agents;
    for (const item of table.processes) {
      for (const key of item.written ?? []) this.#writers.set(key, item);
      for (const key of item.named) this.#starters.set(key, item);
    }
  }

  holderOf(sessionPath: string): Holder {
    const path = resolve(sessionPath);
    const keys = fileKeysOf(path);
    const lock = this.#holderByLock(path);
    if (lock?.state === 'held') return lock;
    return (
      this.#holderByDescriptor(keys) ??
      this.#holderByArgument(path, keys) ??
      this.#holderByBreadcrumb(path, keys) ??
      lock ??
      this.#unknownFor(path) ?? { state: 'free' }
    );
  }

  #holderByDescriptor(keys: readonly string[]): Holder | undefined {
    const writer = firstOf(this.#writers, keys);
    return writer && heldBy(writer, 'descriptor', writer.startedMs);
  }

  #holderByArgument(path: string, keys: readonly string[]): Holder | undefined {
    const id = basename(path, '.jsonl').split('_').at(-1) ?? '';
    const starter = firstOf(this.#starters, [...keys, idKey(id)]);
    return starter && heldBy(starter, 'argument', starter.startedMs);
  }

  #holderByLock(path: string): Holder | undefined {
    const hiddenNames = this.#hiddenNamesIn(dirname(path));
    if (hiddenNames.size === 0) return undefined;
    const lockName = `.${basename(path)}.lock`;
    const lockPath = join(dirname(path), lockName);
    const holder = hiddenNames.has(lockName) ? this.#holderOfLock(lockPath) : undefined;
    // The file of an operating system's lock stays for good: only a process that has it open counts.
    const owner = hiddenNames.has(`${lockName}.os`) ? firstOf(this.#writers, fileKeysOf(`${lockPath}.os`)) : undefined;
    return holder ?? (owner && heldBy(owner, 'lock', owner.startedMs));
  }

  #holderOfLock(lockPath: string): Holder | undefined {
    const lock = readLock(lockPath);
    if (lock === 'void') return undefined;
    if (lock === 'unreadable') return { state: 'unknown', reason: 'its lock file does not say whose it is' };
    if (lock.pid === process.pid || !isProcessAlive(lock.pid)) return undefined;
    const owner = this.#table.processes.find((item) => item.pid === lock.pid);
    const isNamesake = (owner?.startedMs ?? 0) > lock.sinceMs + CLOCK_SLACK_MS && owner?.agent === undefined;
    if (isNamesake) return undefined;
    return { state: 'held', pid: lock.pid, command: owner?.command ?? '', how: 'lock', sinceMs: lock.sinceMs };
  }

  /** An idle agent has no descriptor, and `xcsh -c` no path: its terminal's breadcrumb is all that tells. */
  #holderByBreadcrumb(path: string, keys: readonly string[]): Holder | undefined {
    const dir = remember(this.#breadcrumbsDirs, dirname(path), () => breadcrumbsDirOf(path));
    const index = this.#breadcrumbsIn(dir);
    if (index.size === 0) return undefined;
    const owners = this.#agents.filter((agent) => agent.breadcrumbsDir === dir);
    const commands = (owners.length > 0 ? owners : this.#agents).map((agent) => agent.command);
    for (const breadcrumb of keys.flatMap((key) => index.get(key) ?? [])) {
      const terminal = basename(breadcrumb.path);
      const holder = this.#table.processes.find(
        (item) => item.agent !== undefined && commands.includes(item.agent) && item.terminals.includes(terminal),
      );
      if (holder) return heldBy(holder, 'breadcrumb', breadcrumb.writtenMs);
    }
    return undefined;
  }

  #unknownFor(path: string): Holder | undefined {
    if (this.#table.blindness !== undefined) return { state: 'unknown', reason: this.#table.blindness };
    const share = this.#shareOf(dirname(path));
    if (share !== undefined) return { state: 'unknown', reason: `it lies on a shared file system (${share})` };
    const hidden = this.#table.processes.filter((item) => item.agent !== undefined && item.written === undefined);
    const stranger = hidden.length > 0 ? hidden.find((item) => mayWrite(item.uid, path)) : undefined;
    if (stranger === undefined) return undefined;
    return { state: 'unknown', reason: `${stranger.agent} of another user (process ${stranger.pid}) may have it open` };
  }

  #breadcrumbsIn(dir: string): ReadonlyMap<string, readonly Breadcrumb[]> {
    return remember(this.#breadcrumbs, dir, () => {
      const occupied = new Set(this.#table.processes.flatMap((item) => item.terminals));
      const current = listBreadcrumbs(dir).filter((breadcrumb) => occupied.has(basename(breadcrumb.path)));
      const pairs = current.flatMap((breadcrumb) =>
        fileKeysOf(breadcrumb.sessionFile).map((key) => ({ key, breadcrumb })),
      );
      const grouped = Map.groupBy(pairs, (pair) => pair.key);
      return new Map([...grouped].map(([key, group]) => [key, group.map((pair) => pair.breadcrumb)]));
    });
  }

  #hiddenNamesIn(dir: string): ReadonlySet<string> {
    return remember(this.#hiddenNames, dir, () => {
      try {
        return new Set(fs.readdirSync(dir).filter((name) => name.startsWith('.')));
      } catch (error) {
        if (nodeCode(error) === undefined) throw error;
        return new Set();
      }
    });
  }

  #shareOf(dir: string): string | undefined {
    return remember(this.#shares, dir, () => {
      try {
        return process.platform === 'linux' ? SHARED_FILE_SYSTEMS[fs.statfsSync(dir).type] : undefined;
      } catch (error) {
        if (nodeCode(error) === undefined) throw error;
        return undefined;
      }
    });
  }
}

function breadcrumbsDirOf(sessionPath: string): string {
  return agentFoldersOf(sessionPath)?.breadcrumbsDir ?? getTerminalSessionsDir();
}

/** omp's lock: `pid:ms`. `void` is gone, or names nobody and is too old to be one in the making. */
function readLock(path: string): { readonly pid: number; readonly sinceMs: number } | 'unreadable' | 'void' {
  try {
    const [, pid, sinceMs] = /^(\d+):(\d+)\s*$/.exec(fs.readFileSync(path, 'latin1')) ?? [];
    if (Number(pid) > 0) return { pid: Number(pid), sinceMs: Number(sinceMs) };
    return Date.now() - fs.statSync(path).mtimeMs > UNREADABLE_LOCK_MS ? 'void' : 'unreadable';
  } catch (error) {
    if (nodeCode(error) === 'ENOENT') return 'void';
    if (nodeCode(error) === undefined) throw error;
    return 'unreadable';
  }
}

function mayWrite(uid: number, path: string): boolean {
  try {
    const stat = fs.statSync(path);
    return uid === 0 || uid === stat.uid || (stat.mode & 0o022) !== 0;
  } catch (error) {
    if (nodeCode(error) === undefined) throw error;
    return true;
  }
}

function heldBy(
  { pid, command }: RunningProcess,
  how: 'descriptor' | 'argument' | 'lock' | 'breadcrumb',
  sinceMs: number | undefined,
): Holder {
  return { state: 'held', pid, command, how, ...(sinceMs === undefined ? {} : { sinceMs }) };
}

function firstOf(index: ReadonlyMap<string, RunningProcess>, keys: readonly string[]): RunningProcess | undefined {
  return keys.map((key) => index.get(key)).find((item) => item !== undefined);
}

function remember<V>(known: Map<string, V>, key: string, find: () => V): V {
  const before = known.get(key);
  if (before !== undefined || known.has(key)) return before as V;
  const value = find();
  known.set(key, value);
  return value;
}
