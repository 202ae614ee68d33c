import { execFile } from 'node:child_process';
import { nodeCode } from '../errors.ts';
import { agentOf, fileKeysOf, isSessionOrLock, sessionsNamedIn } from './process-arguments.ts';
import type { ProcessTable, RunningProcess } from './process-table-types.ts';
import { terminalIdsOf } from './terminal-ids.ts';

interface OpenFiles {
  cwd: string;
  readonly written: string[];
}

/** Every process but this one, from `ps` and `lsof`: systems without `/proc`. */
export async function readLsofTable(agentNames: readonly string[]): Promise<ProcessTable> {
  const [ps, lsof] = await Promise.all([
    run('ps', ['-axww', '-o', 'pid=,uid=,tty=,command=']),
    run('lsof', ['-n', '-P', '-w', '-F', 'pfan']),
  ]);
  if (ps === undefined) return { processes: [], blindness: 'there is no ps to ask' };
  const openFiles = parseLsof(lsof ?? '');
  const processes = parsePs(ps, openFiles, agentNames).filter((item) => item.pid !== process.pid);
  return lsof === undefined ? { processes, blindness: 'there is no lsof to ask' } : { processes };
}

function parsePs(
  text: string,
  openFiles: ReadonlyMap<number, OpenFiles>,
  agentNames: readonly string[],
): readonly RunningProcess[] {
  return text.split('\n').flatMap((line): RunningProcess[] => {
    const [, pidText, uidText, tty = '', command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (command === undefined) return [];
    const pid = Number(pidText);
    const files = openFiles.get(pid);
    const args = command.split(/\s+/);
    const agent = agentOf(args, agentNames);
    const base = {
      pid,
      uid: Number(uidText),
      command: command.slice(0, 200),
      ...(files && { written: files.written }),
    };
    if (agent === undefined) return [{ ...base, named: [], terminals: [] }];
    const terminals = terminalIdsOf({}, tty.startsWith('?') ? undefined : `/dev/${tty}`).map((terminal) => terminal.id);
    return [{ ...base, agent, named: sessionsNamedIn(args, files?.cwd ?? '/'), terminals }];
  });
}

/** `lsof -F pfan`: one line a fact: process, then for each descriptor its name, access and file. */
function parseLsof(text: string): ReadonlyMap<number, OpenFiles> {
  const found = new Map<number, OpenFiles>();
  let current: OpenFiles = { cwd: '/', written: [] };
  let descriptor = '';
  let access = '';
  for (const line of text.split('\n')) {
    const value = line.slice(1);
    if (line.startsWith('p')) {
      current = { cwd: '/', written: [] };
      found.set(Number(value), current);
    } else if (line.startsWith('f')) {
      descriptor = value;
      access = '';
    } else if (line.startsWith('a')) {
      access = value;
    } else if (line.startsWith('n')) {
      if (descriptor === 'cwd') current.cwd = value;
      else if (isSessionOrLock(value) && access !== 'r') current.written.push(...fileKeysOf(value));
    }
  }
  return found;
}

/** The standard output, whatever the status (lsof complains with 1); undefined when there is no such program. */
function run(program: string, args: readonly string[]): Promise<string | undefined> {
  const options = { maxBuffer: 256 * 1024 * 1024, timeout: 20_000 };
  return new Promise((done) => {
    execFile(program, args, options, (error, stdout) => done(nodeCode(error) === undefined ? stdout : undefined));
  });
}
