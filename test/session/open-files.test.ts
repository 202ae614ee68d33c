import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { spawn as spawnInTerminal } from '@lydell/node-pty';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findHolder, snapshotProcesses } from '../../src/session/open-files.ts';
import { agentOf } from '../../src/session/process-arguments.ts';
import { readLsofTable } from '../../src/session/process-table-lsof.ts';
import { makeTempDir } from './temp-dir.ts';

interface Place {
  readonly agentDir: string;
  readonly folder: string;
  readonly session: string;
}

function makePlace(): Place {
  const agentDir = join(makeTempDir(), 'agent');
  const folder = join(agentDir, 'sessions', '-p');
  fs.mkdirSync(folder, { recursive: true });
  const session = join(folder, '2026-12-01T02-25-30-047Z_0123456789abcdef.jsonl');
  fs.writeFileSync(session, 'x\n');
  return { agentDir, folder, session };
}

interface StartOptions {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** Opens this file with these flags for as long as it runs. */
  readonly open?: readonly [path: string, flags: string];
}

/** A real process that runs a script of that name until the test ends. */
async function start(name: string, args: readonly string[], options: StartOptions = {}): Promise<ChildProcess> {
  const script = join(makeTempDir(), name);
  const open = options.open ? `require('node:fs').openSync(...${JSON.stringify(options.open)});` : '';
  fs.writeFileSync(script, `${open} console.log('ready'); setInterval(() => {}, 1000);`);
  const child = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env['PATH'], ...options.env },
    cwd: options.cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

const linux = process.platform === 'linux';

test('a file that nobody has is free', async () => {
  expect(await findHolder(makePlace().session)).toEqual({ state: 'free' });
});

describe('descriptors', () => {
  test('a process that has the file open for writing holds it', async () => {
    const { session } = makePlace();
    const child = await start('anything', [], { open: [session, 'a'] });
    const holder = await findHolder(session);
    expect(holder).toMatchObject({ state: 'held', how: 'descriptor', pid: child.pid });
    expect(holder).toHaveProperty('command', expect.stringContaining('anything'));
  });

  test('a reader does not hold it, nor does this process', async () => {
    const { session } = makePlace();
    await start('tail', [session], { open: [session, 'r'] });
    const fd = fs.openSync(session, 'a');
    expect(await findHolder(session)).toEqual({ state: 'free' });
    fs.closeSync(fd);
  });

  test.runIf(linux)('a link to the file is the file, and so is the one that took its name', async () => {
    const { session, folder } = makePlace();
    await start('anything', [], { open: [session, 'a'] });
    fs.symlinkSync(session, join(folder, 'link.jsonl'));
    expect(await findHolder(join(folder, 'link.jsonl'))).toMatchObject({ how: 'descriptor' });
    fs.writeFileSync(join(folder, 'new'), 'new');
    fs.renameSync(join(folder, 'new'), session);
    expect(await findHolder(session)).toMatchObject({ how: 'descriptor' });
  });

  test('one snapshot serves many files', async () => {
    const { session, folder } = makePlace();
    await start('anything', [], { open: [session, 'a'] });
    const snapshot = await snapshotProcesses();
    fs.writeFileSync(join(folder, 'other.jsonl'), '');
    expect(snapshot.holderOf(session).state).toBe('held');
    expect(snapshot.holderOf(join(folder, 'other.jsonl')).state).toBe('free');
    expect(snapshot.holderOf(join(folder, 'none.jsonl')).state).toBe('free');
  });
});

describe('command lines', () => {
  test('an agent that was started on the file holds it, however it was named', async () => {
    const { session, folder } = makePlace();
    const name = session.slice(folder.length + 1);
    const forms = [['--session', session], [`--session=${session}`], ['-r', name], ['--resume', '0123456789ABCDEF']];
    for (const args of forms) {
      const child = await start('xcsh', args, { cwd: folder });
      expect(await findHolder(session)).toMatchObject({ state: 'held', how: 'argument', pid: child.pid });
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  test('forking from the file does not hold it, nor does naming it to another program', async () => {
    const { session } = makePlace();
    await start('omp', ['--fork', session]);
    await start('vim', [session]);
    expect(await findHolder(session)).toEqual({ state: 'free' });
  });

  test('agents are told by program or script', () => {
    const names = ['xcsh', 'omp', 'pi'];
    expect(agentOf(['/usr/bin/xcsh', '-c'], names)).toBe('xcsh');
    expect(agentOf(['node', '--no-warnings', '/usr/bin/pi'], names)).toBe('pi');
    expect(agentOf(['/opt/bun', '/x/omp.ts'], names)).toBe('omp');
    expect(agentOf(['pi -c'], names)).toBe('pi');
    expect(agentOf(['python', 'pi'], names)).toBeUndefined();
    expect(agentOf(['node', '/home/pi/x.js'], names)).toBeUndefined();
    expect(agentOf([], names)).toBeUndefined();
  });
});

describe('lock files', () => {
  function lockOf({ session, folder }: Place): string {
    return join(folder, `.${session.slice(folder.length + 1)}.lock`);
  }

  test('the lock of a living process holds the file', async () => {
    const place = makePlace();
    const child = await start('omp', []);
    const sinceMs = Date.now();
    fs.writeFileSync(lockOf(place), `${child.pid}:${sinceMs}`);
    expect(await findHolder(place.session)).toMatchObject({ state: 'held', how: 'lock', pid: child.pid, sinceMs });
  });

  test('the lock of a dead process does not', async () => {
    const place = makePlace();
    const child = await start('omp', []);
    child.kill('SIGKILL');
    await once(child, 'exit');
    fs.writeFileSync(lockOf(place), `${child.pid}:${Date.now()}`);
    expect(await findHolder(place.session)).toEqual({ state: 'free' });
  });

  test.runIf(linux)('a lock older than the process that now has its number does not', async () => {
    const place = makePlace();
    const child = await start('anything', []);
    fs.writeFileSync(lockOf(place), `${child.pid}:${Date.now() - 3_600_000}`);
    expect(await findHolder(place.session)).toEqual({ state: 'free' });
  });

  test('a lock without a holder is unknown at first, and void when it is old', async () => {
    const place = makePlace();
    fs.writeFileSync(lockOf(place), '');
    expect(await findHolder(place.session)).toMatchObject({ state: 'unknown' });
    fs.utimesSync(lockOf(place), 1, 1);
    expect(await findHolder(place.session)).toEqual({ state: 'free' });
  });

  test('the file of a system lock holds only while a process has it open', async () => {
    const place = makePlace();
    const gate = `${lockOf(place)}.os`;
    fs.writeFileSync(gate, '');
    expect(await findHolder(place.session)).toEqual({ state: 'free' });
    const child = await start('omp', [], { open: [gate, 'r+'] });
    expect(await findHolder(place.session)).toMatchObject({ state: 'held', how: 'lock', pid: child.pid });
  });
});

describe('breadcrumbs', () => {
  function crumb({ agentDir, folder }: Place, id: string, sessionFile: string): void {
    fs.mkdirSync(join(agentDir, 'terminal-sessions'), { recursive: true });
    fs.writeFileSync(join(agentDir, 'terminal-sessions', id), `${folder}\n${sessionFile}\n`);
  }

  test.runIf(linux)('an idle agent in the pane of a breadcrumb holds the file that it names, no other', async () => {
    const place = makePlace();
    const other = join(place.folder, 'other.jsonl');
    fs.writeFileSync(other, '');
    crumb(place, 'tmux-%4711', place.session);
    expect(await findHolder(place.session)).toEqual({ state: 'free' });
    await start('xcsh', ['-c'], { env: { TMUX_PANE: '%4710' } });
    expect(await findHolder(place.session)).toEqual({ state: 'free' });
    const child = await start('xcsh', ['-c'], { env: { TMUX_PANE: '%4711' } });
    await start('xcsh', ['-c'], { env: { TMUX_PANE: '%4712' } });
    const snapshot = await snapshotProcesses();
    expect(snapshot.holderOf(place.session)).toMatchObject({ state: 'held', how: 'breadcrumb', pid: child.pid });
    expect(snapshot.holderOf(other)).toEqual({ state: 'free' });
  });

  test('an agent on the device of a breadcrumb holds the file; another program there does not', async () => {
    const place = makePlace();
    const dir = makeTempDir();
    for (const name of ['omp', 'vim']) {
      const script = join(dir, name);
      fs.writeFileSync(script, 'setInterval(() => {}, 1000); console.log("at " + process.argv[1]);');
      const terminal = spawnInTerminal('sh', ['-c', `tty; exec "${process.execPath}" "${script}" -c`], { env: {} });
      let output = '';
      await new Promise<void>((done) => {
        terminal.onData((data) => {
          output += data;
          if (output.includes('at ')) done();
        });
      });
      const tty = /\/dev\/(\S+)/.exec(output)?.[1]?.replaceAll('/', '-') ?? '';
      crumb(place, tty, place.session);
      const holder = await findHolder(place.session);
      if (name === 'omp') expect(holder).toMatchObject({ state: 'held', how: 'breadcrumb', pid: terminal.pid });
      else expect(holder).toEqual({ state: 'free' });
      const ended = new Promise((done) => terminal.onExit(done));
      terminal.kill('SIGKILL');
      await ended;
    }
  });

  test.runIf(linux)('an agent that keeps its breadcrumbs elsewhere does not hold it', async () => {
    const place = makePlace();
    crumb(place, 'tmux-%4713', place.session);
    await start('pi', ['-c'], { env: { TMUX_PANE: '%4713' } });
    const breadcrumbsDir = join(place.agentDir, 'terminal-sessions');
    const agents = [{ command: 'xcsh', breadcrumbsDir }, { command: 'pi' }];
    expect((await snapshotProcesses({ agents })).holderOf(place.session)).toEqual({ state: 'free' });
  });
});

test.runIf(linux && process.getuid?.() === 0)(
  'an agent of another user is unknown if it may write the file',
  async () => {
    const { session, agentDir } = makePlace();
    const child = await start('xcsh', []);
    const script = join(agentDir, 'look.mts');
    const url = JSON.stringify(new URL('../../src/session/open-files.ts', import.meta.url).href);
    fs.writeFileSync(
      script,
      `import { findHolder } from ${url}; console.log(JSON.stringify(await findHolder(${JSON.stringify(session)})));`,
    );
    fs.chmodSync(join(agentDir, '..'), 0o755);
    const output = execFileSync(process.execPath, [script], { uid: 65_534, gid: 65_534, encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual({ state: 'unknown', reason: expect.stringContaining(`process ${child.pid}`) });
  },
);

function hasLsof(): boolean {
  return (process.env['PATH'] ?? '').split(':').some((dir) => fs.existsSync(join(dir, 'lsof')));
}

test.runIf(hasLsof())('ps and lsof tell the same where there is no /proc', async () => {
  const { session } = makePlace();
  const child = await start('xcsh', ['--session', session], { open: [session, 'a'] });
  const reader = await start('tail', [], { open: [session, 'r'] });
  const { processes, blindness } = await readLsofTable(['xcsh']);
  expect(blindness).toBeUndefined();
  const found = processes.find((item) => item.pid === child.pid);
  expect(found).toMatchObject({ agent: 'xcsh', uid: process.getuid?.(), named: expect.arrayContaining([session]) });
  expect(found?.written).toContain(session);
  expect(processes.find((item) => item.pid === reader.pid)?.written).toEqual([]);
  expect(processes.some((item) => item.pid === process.pid)).toBe(false);
});
