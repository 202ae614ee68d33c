import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { AgentFolder, snapshotFolder } from './agent-folder.ts';
import { runBough } from './environment.ts';
import { addSample, sessionLines } from './sample-sessions.ts';
import { Screen } from './screen.ts';

const [X, Y] = ['00000000000000a1', '00000000000000b2'] as const;

function folderOfTwo(): AgentFolder {
  const folder = new AgentFolder();
  addSample(folder, { id: X, prompt: 'older', at: '2026-03-01T00:00:00.000Z' });
  addSample(folder, { id: Y, prompt: 'newer', at: '2026-03-02T00:00:00.000Z' });
  return folder;
}

function fileOf(folder: AgentFolder, id: string): string {
  return path.join(folder.path, 'sessions', '--project--', `2026-01-01T00-00-00-000Z_${id}.jsonl`);
}

function leaveBreadcrumb(folder: AgentFolder, terminal: string, cwd: string, file: string): void {
  const dir = path.join(folder.path, 'terminal-sessions');
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, terminal), `${cwd}\n${file}\n`);
}

function run(folder: AgentFolder, args: readonly string[], env: Record<string, string> = {}) {
  const path = env['PATH'] ?? folder.searchPath;
  return runBough(['resume', ...args], { home: folder.home, cwd: folder.project, env: { ...env, PATH: path } });
}

describe('without a target', () => {
  test("takes the terminal's own session, by its pane (C01)", async () => {
    using folder = folderOfTwo();
    const agent = folder.installAgent('xcsh');
    leaveBreadcrumb(folder, 'tmux-%1', folder.project, fileOf(folder, X));
    leaveBreadcrumb(folder, 'tmux-%2', folder.project, fileOf(folder, Y));
    const { status, stderr } = await run(folder, [], { TMUX_PANE: '%1' });
    expect([status, stderr]).toEqual([0, expect.stringContaining('the last session of this terminal')]);
    expect(agent.runs().map(({ argv }) => argv)).toEqual([['--session', fileOf(folder, X)]]);
  });

  test('takes the newest of this folder where the terminal has none, and says so', async () => {
    using folder = folderOfTwo();
    const agent = folder.installAgent('xcsh');
    const { stderr } = await run(folder, []);
    expect(stderr).toContain('the newest session of this folder');
    expect(agent.runs()[0]?.argv).toEqual(['--session', fileOf(folder, Y)]);
  });

  test('passes over breadcrumbs of other folders, stubs and sub-agents (L02)', async () => {
    using folder = folderOfTwo();
    folder.installAgent('xcsh');
    const lines = sessionLines({ id: 'sub', cwd: folder.project, prompt: 'task', at: '2026-04-01T00:00:00.000Z' });
    const stub = folder.addSession('--project--', 'stub.jsonl', lines.slice(0, 1));
    folder.addSession(path.join('--project--', path.basename(fileOf(folder, X), '.jsonl')), '0-Task.jsonl', lines);
    leaveBreadcrumb(folder, 'tmux-%1', '/elsewhere', fileOf(folder, X));
    leaveBreadcrumb(folder, 'tmux-%2', folder.project, stub);
    for (const TMUX_PANE of ['%1', '%2']) {
      const { stdout } = await run(folder, ['--print'], { TMUX_PANE });
      expect(stdout).toContain(Y);
    }
  });

  test('finds sessions by the header, whatever their folder is called (I01)', async () => {
    using folder = new AgentFolder();
    folder.installAgent('xcsh');
    addSample(folder, { id: X, prompt: 'elsewhere', cwd: '/w/a-b', at: '2026-03-09T00:00:00.000Z' });
    addSample(folder, { id: Y, prompt: 'here', at: '2026-03-02T00:00:00.000Z' });
    expect((await run(folder, ['--print'])).stdout).toContain(Y);
  });

  test('says when this folder has none, and creates nothing', async () => {
    using folder = new AgentFolder();
    addSample(folder, { id: X, prompt: 'elsewhere', cwd: '/w', at: '2026-03-09T00:00:00.000Z' });
    const before = snapshotFolder(folder.path);
    const { status, stderr } = await run(folder, []);
    expect([status, stderr]).toEqual([3, expect.stringContaining('no session belongs to')]);
    expect(snapshotFolder(folder.path)).toEqual(before);
  });
});

describe('with a target', () => {
  test("passes the agent's own arguments on, and its exit status back", async () => {
    using folder = folderOfTwo();
    const agent = folder.installAgent('xcsh', 7);
    const { status } = await run(folder, [X, '--', '--model', 'a b']);
    expect(status).toBe(7);
    expect(agent.runs()[0]).toMatchObject({
      argv: ['--session', fileOf(folder, X), '--model', 'a b'],
      cwd: folder.project,
    });
  });

  test('--print gives a line that a shell runs to the same effect', async () => {
    using folder = new AgentFolder();
    const agent = folder.installAgent('xcsh');
    const cwd = path.join(folder.project, "it's $HOME");
    mkdirSync(cwd);
    addSample(folder, { id: X, prompt: 'x', cwd, at: '2026-03-01T00:00:00.000Z' });
    const { stdout } = await run(folder, ['--print', X]);
    using screen = Screen.run('/bin/sh', ['-c', stdout], { env: { HOME: folder.home, PATH: folder.searchPath } });
    expect(await screen.exited).toBe(0);
    expect(agent.runs()).toMatchObject([{ argv: ['--session', fileOf(folder, X)], cwd }]);
  });

  test('an agent that is not installed leaves its command', async () => {
    using folder = folderOfTwo();
    const { status, stdout, stderr } = await run(folder, [X], { PATH: '/usr/bin:/bin' });
    expect([status, stdout]).toEqual([1, expect.stringContaining(`xcsh --session ${fileOf(folder, X)}`)]);
    expect(stderr).toContain('xcsh is not on PATH');
  });

  test('a folder that is gone is said; --here goes on in this one (I02)', async () => {
    using folder = new AgentFolder();
    const agent = folder.installAgent('xcsh');
    const cwd = path.join(folder.project, 'gone');
    mkdirSync(cwd);
    addSample(folder, { id: X, prompt: 'x', cwd, at: '2026-03-01T00:00:00.000Z' });
    rmSync(cwd, { recursive: true });
    const refused = await run(folder, [X]);
    expect([refused.status, refused.stderr]).toEqual([3, expect.stringContaining(`${cwd} is gone`)]);
    expect((await run(folder, [X, '--here'])).status).toBe(0);
    expect(agent.runs().map((started) => started.cwd)).toEqual([folder.project]);
  });

  test("a file in omp's form in xcsh's folder is refused, with the reason", async () => {
    using folder = new AgentFolder('xcsh');
    const agent = folder.installAgent('xcsh');
    const file = folder.addFixture('14-fixture-omp-title-slot-first-line-branch.jsonl');
    const { status, stderr } = await run(folder, [file]);
    expect([status, stderr]).toEqual([5, expect.stringContaining("omp's")]);
    expect(agent.runs()).toEqual([]);
  });

  test('a file outside the agent folders is not started without a yes', async () => {
    using folder = folderOfTwo();
    const agent = folder.installAgent('xcsh');
    const other = path.join(folder.home, '.pi', 'agent');
    mkdirSync(path.join(other, 'sessions'), { recursive: true });
    const args = [fileOf(folder, X), '--agent-dir', other];
    expect((await run(folder, args)).status).toBe(5);
    expect(agent.runs()).toEqual([]);
    expect((await run(folder, [...args, '--yes'])).status).toBe(0);
    expect(agent.runs()).toHaveLength(1);
  });
});
