import fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { nodeCode } from '../errors.ts';
import { agentOf, inodeKey, isSessionOrLock, sessionsNamedIn } from './process-arguments.ts';
import type { RunningProcess } from './process-table-types.ts';
import { terminalIdsOf } from './terminal-ids.ts';

/** A slice of work after which others of this thread get their turn. */
const SLICE_MS = 8;
const TICKS_PER_SECOND = 100;
/** The access bits of a descriptor's flags. */
const ACCESS_MASK = 0o3;

/** Every process but this one, from Linux's `/proc`. */
export async function readProcTable(agentNames: readonly string[]): Promise<readonly RunningProcess[]> {
  const bootMs = readBootMs();
  const processes: RunningProcess[] = [];
  let sliceEnd = performance.now() + SLICE_MS;
  for (const name of fs.readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const found = attempt(() => readProcess(pid, agentNames, bootMs));
    if (found !== undefined) processes.push(found);
    if (performance.now() < sliceEnd) continue;
    await setImmediate();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return processes;
}

function readProcess(pid: number, agentNames: readonly string[], bootMs: number): RunningProcess | undefined {
  const dir = `/proc/${pid}`;
  const args = fs
    .readFileSync(`${dir}/cmdline`, 'utf8')
    .split('\0')
    .filter((arg) => arg !== '');
  // Kernel threads have no command line.
  if (args.length === 0) return undefined;
  const agent = agentOf(args, agentNames);
  const written = attempt(() => readWrittenFiles(dir));
  return {
    pid,
    uid: fs.statSync(dir).uid,
    command: args.join(' ').slice(0, 200),
    startedMs: bootMs + readStartTicks(dir) * (1000 / TICKS_PER_SECOND),
    ...(written === undefined ? {} : { written }),
    ...(agent === undefined
      ? { named: [], terminals: [] }
      : { agent, named: readNamedSessions(dir, args), terminals: attempt(() => readTerminals(dir)) ?? [] }),
  };
}

function readWrittenFiles(dir: string): readonly string[] {
  const keys: string[] = [];
  for (const fd of fs.readdirSync(`${dir}/fd`)) {
    const target = attempt(() => fs.readlinkSync(`${dir}/fd/${fd}`));
    // A process whose file was replaced still takes it for the one of that name.
    const path = target?.replace(/ \(deleted\)$/, '');
    if (path === undefined || !isSessionOrLock(path)) continue;
    if (attempt(() => isReadOnly(`${dir}/fdinfo/${fd}`))) continue;
    keys.push(path, ...(attempt(() => [inodeKey(fs.statSync(`${dir}/fd/${fd}`))]) ?? []));
  }
  return keys;
}

function isReadOnly(fdinfoPath: string): boolean {
  const flags = /^flags:\s*([0-7]+)/m.exec(fs.readFileSync(fdinfoPath, 'utf8'))?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & ACCESS_MASK) === fs.constants.O_RDONLY;
}

function readNamedSessions(dir: string, args: readonly string[]): readonly string[] {
  const cwd = attempt(() => fs.readlinkSync(`${dir}/cwd`)) ?? '/';
  return sessionsNamedIn(args, cwd);
}

function readTerminals(dir: string): readonly string[] {
  const pairs = fs.readFileSync(`${dir}/environ`, 'utf8').split('\0');
  const env = Object.fromEntries(pairs.map((pair) => [pair.split('=', 1)[0], pair.slice(pair.indexOf('=') + 1)]));
  const tty = attempt(() => fs.readlinkSync(`${dir}/fd/0`));
  return terminalIdsOf(env, tty).map((terminal) => terminal.id);
}

/** Field 22 of `stat`, counted behind the program's name, which may hold anything. */
function readStartTicks(dir: string): number {
  const stat = fs.readFileSync(`${dir}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
}

function readBootMs(): number {
  return Number(/^btime (\d+)/m.exec(fs.readFileSync('/proc/stat', 'latin1'))?.[1] ?? 0) * 1000;
}

/** What `look` gives; undefined when the process has ended meanwhile or may not be looked at. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (nodeCode(error) === undefined) throw error;
    return undefined;
  }
}
