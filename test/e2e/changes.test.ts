import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AgentFolder, type AgentName, snapshotFolder } from './agent-folder.ts';
import { runBough } from './environment.ts';
import { addSample, sessionLines } from './sample-sessions.ts';
import { Screen } from './screen.ts';

const ID = '01a05e1000000000';

function folderOfOne(agent: AgentName = 'xcsh'): { folder: AgentFolder; file: string } {
  const folder = new AgentFolder(agent);
  const file = addSample(folder, { id: ID, prompt: 'fix the parser', title: 'Parser', at: '2026-03-01T00:00:00.000Z' });
  return { folder, file };
}

function run(folder: AgentFolder, ...args: string[]) {
  return runBough(args, { home: folder.home, cwd: folder.project, env: { PATH: folder.searchPath } });
}

async function json(folder: AgentFolder, ...args: string[]) {
  const { stdout, stderr, status } = await run(folder, ...args, '--json');
  expect(`${status} ${stderr}`).toMatch(/^0/);
  return JSON.parse(stdout);
}

function lastLine(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '');
}

/** Another process that has the file open until the test ends. */
async function holdOpen(file: string): Promise<void> {
  const script = `require('node:fs').openSync(process.argv[1], 'a'); console.log('open'); process.stdin.resume();`;
  const child = spawn(process.execPath, ['-e', script, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
}

describe('label', () => {
  test('sets, changes, lists and clears, each in one line', async () => {
    const { folder, file } = folderOfOne();
    using _ = folder;
    const set = await run(folder, 'label', '01a05e', 'u1', 'plan a');
    expect(set).toEqual({ status: 0, stdout: '', stderr: 'bough: labelled u1 "plan a"\n' });
    expect(lastLine(file)).toMatchObject({ type: 'label', targetId: 'u1', label: 'plan a', parentId: 'a1' });
    const changed = await json(folder, 'label', '01a05e', '#2', 'plan b');
    expect(changed).toEqual({
      version: 1,
      path: file,
      entryId: 'u1',
      label: 'plan b',
      formerLabel: 'plan a',
      changed: true,
    });
    expect((await json(folder, 'labels')).labels).toEqual([
      {
        path: file,
        id: ID,
        cwd: folder.project,
        entryId: 'u1',
        line: 2,
        type: 'message',
        role: 'user',
        label: 'plan b',
        labelled: Date.parse(String(lastLine(file)['timestamp'])),
        text: 'fix the parser',
      },
    ]);
    expect((await run(folder, 'labels')).stdout).toMatch(/plan b +01a05e1000000000 +u1 +fix the parser/);
    expect((await run(folder, 'label', '01a05e', 'u1', '--clear')).stderr).toBe(
      'bough: took the label "plan b" off u1\n',
    );
    expect(await json(folder, 'labels')).toEqual({ version: 1, total: 0, labels: [] });
    expect((await run(folder, 'labels')).stderr).toContain('no entry of any session has a label');
  });

  test('a text that looks like an option stands behind --', async () => {
    const { folder, file } = folderOfOne();
    using _ = folder;
    await run(folder, 'label', ID, 'u1', '--', '--hard');
    expect(lastLine(file)).toMatchObject({ label: '--hard' });
  });

  test.each([
    ['neither a text nor --clear', []],
    ['a blank text', [' ']],
    ['a text and --clear', ['x', '--clear']],
  ])('%s is a usage error', async (_name, args) => {
    const { folder } = folderOfOne();
    using _ = folder;
    const before = snapshotFolder(folder.path);
    expect((await run(folder, 'label', ID, 'u1', ...args)).status).toBe(2);
    expect(snapshotFolder(folder.path)).toEqual(before);
  });

  test('escapes in a label never reach the terminal (X01)', async () => {
    const { folder, file } = folderOfOne();
    using _ = folder;
    const label = 'a\u001b]0;pwn\u0007b';
    const entry = { type: 'label', id: 'l1', parentId: 'a1', timestamp: 'x', targetId: 'u1', label };
    writeFileSync(file, `${readFileSync(file, 'utf8')}${JSON.stringify(entry)}\n`);
    for (const args of [['labels'], ['labels', '--json'], ['label', ID, 'u1', '--clear']]) {
      const { stdout, stderr } = await run(folder, ...args);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    }
  });
});

describe('branch', () => {
  test('in place says beforehand what it does, and prints the new leaf', async () => {
    const { folder, file } = folderOfOne();
    using _ = folder;
    await run(folder, 'label', ID, 'u1', 'x');
    const { status, stdout, stderr } = await run(folder, 'branch', ID, 'u1');
    expect(status).toBe(0);
    expect(stderr.split('\n')[0]).toBe(`bough: appends one line to ${file}`);
    expect(lastLine(file)).toMatchObject({ type: 'branch_summary', parentId: null, fromId: 'root', summary: '' });
    const { leafId, nodes } = await json(folder, 'tree', file);
    expect(stdout).toBe(`${leafId}\n`);
    expect(nodes.filter((node: { active: boolean }) => node.active)).toHaveLength(1);
    expect((await json(folder, 'context', file)).messages).toEqual([]);
  });

  test('as JSON tells leaf, point and the text to send again', async () => {
    const { folder, file } = folderOfOne();
    using _ = folder;
    const branched = await json(folder, 'branch', ID, 'u1', '--summary', 'it failed');
    expect(branched).toEqual({
      version: 1,
      kind: 'appended',
      path: file,
      leafId: lastLine(file)['id'],
      fromId: null,
      text: 'fix the parser',
    });
    expect((await json(folder, 'context', file)).messages).toMatchObject([{ message: { summary: 'it failed' } }]);
  });

  test('where the session goes on already, it says so and writes nothing', async () => {
    const { folder } = folderOfOne();
    using _ = folder;
    const before = snapshotFolder(folder.path);
    const { status, stdout, stderr } = await run(folder, 'branch', ID, 'a1');
    expect([status, stdout, stderr]).toEqual([0, 'a1\n', 'bough: already at this point\n']);
    expect(snapshotFolder(folder.path)).toEqual(before);
  });

  test('as a new file prints its leaf and path, and leaves the source as it was', async () => {
    const { folder, file } = folderOfOne();
    using _ = folder;
    const before = [readFileSync(file, 'utf8'), statSync(file).mtimeMs];
    const { stdout } = await run(folder, 'branch', ID, 'a1', '--new');
    const [leaf, created] = stdout.trimEnd().split('\n');
    expect(lastLine(created ?? '')).toMatchObject({ id: leaf, type: 'message' });
    expect([readFileSync(file, 'utf8'), statSync(file).mtimeMs]).toEqual(before);
    const { sessions } = await json(folder, 'list');
    expect(sessions.map((session: { title: string }) => session.title)).toEqual(['Parser', 'Parser']);
  });

  test.each([
    ['in place', [], (file: string, started: string) => started === file],
    ['as a new file', ['--new'], (file: string, started: string) => started !== file],
  ])('%s with --resume starts the agent on it', async (_name, args, isExpected) => {
    const { folder, file } = folderOfOne();
    using _ = folder;
    const agent = folder.installAgent('xcsh', 7);
    const { status } = await run(folder, 'branch', ID, args.length > 0 ? 'a1' : 'u1', '--resume', ...args);
    expect(status).toBe(7);
    const [start] = agent.runs();
    expect(start).toMatchObject({ argv: ['--session', expect.any(String)], cwd: folder.project });
    expect(isExpected(file, start?.argv[1] ?? '')).toBe(true);
    expect(readFileSync(start?.argv[1] ?? '', 'utf8')).toContain(ID);
  });

  test.each([
    ['in place', []],
    ['as a new file', ['--new']],
  ])('%s without the agent at hand writes nothing', async (_name, args) => {
    const { folder } = folderOfOne();
    using _ = folder;
    const before = snapshotFolder(folder.path);
    const { status, stderr } = await run(folder, 'branch', ID, 'a1', '--resume', ...args);
    expect([status, stderr]).toEqual([1, expect.stringContaining('xcsh is not on PATH')]);
    expect(snapshotFolder(folder.path)).toEqual(before);
  });

  test.each([
    ['in place', [], 'u1'],
    ['as a new file', ['--new'], 'a1'],
  ])('%s is taken back when the agent cannot be started', async (_name, args, entry) => {
    const { folder, file } = folderOfOne();
    using _ = folder;
    const before = readFileSync(file, 'utf8');
    folder.installAgent('xcsh');
    // Found on PATH, and refused by the system.
    const program = path.join(folder.searchPath.split(path.delimiter)[0] ?? '', 'xcsh');
    writeFileSync(program, '#!/nowhere/interpreter\n');
    const { status, stderr } = await run(folder, 'branch', ID, entry, '--resume', ...args);
    expect(status).not.toBe(0);
    expect(stderr).toContain('the agent did not start');
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect((await json(folder, 'list')).total).toBe(1);
    expect((await run(folder, 'undo')).stderr).toContain('there is no change to undo');
  });

  test('a session outside the agent folders asks on a terminal before anything is written', async () => {
    using folder = new AgentFolder();
    const agent = folder.installAgent('xcsh');
    const file = path.join(folder.project, 'elsewhere.jsonl');
    const lines = sessionLines({ id: ID, cwd: folder.project, prompt: 'p', at: '2026-03-01T00:00:00.000Z' });
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const before = readFileSync(file, 'utf8');
    expect((await run(folder, 'branch', file, 'u1', '--resume')).status).toBe(5);
    const env = { HOME: folder.home, PATH: folder.searchPath };
    using screen = Screen.start(['branch', file, 'u1', '--resume'], { env, cwd: folder.project, cols: 200 });
    await screen.until('[y/N]');
    expect(readFileSync(file, 'utf8')).toBe(before);
    screen.type('y').press('enter');
    expect(await screen.exited).toBe(0);
    expect(agent.runs()).toHaveLength(1);
    expect(lastLine(file)).toMatchObject({ type: 'branch_summary' });
  });
});

describe('undo', () => {
  test('takes changes back, the last one first, until there is none', async () => {
    const { folder, file } = folderOfOne();
    using _ = folder;
    const before = readFileSync(file, 'utf8');
    await run(folder, 'label', ID, 'u1', 'x');
    await run(folder, 'branch', ID, 'u1');
    const { path: created } = await json(folder, 'branch', ID, 'a1', '--new');
    expect(await json(folder, 'undo')).toMatchObject({
      version: 1,
      undone: 'branch_file',
      path: created,
      how: 'removed',
    });
    expect(await json(folder, 'undo')).toMatchObject({ undone: 'branch', path: file, how: 'cut_off' });
    const { status, stdout, stderr } = await run(folder, 'undo');
    expect([status, stdout, stderr]).toEqual([0, '', `bough: cut the line off ${file}: u1 has no label again\n`]);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect((await run(folder, 'undo')).status).toBe(3);
  });

  test("Bough's own journal is nobody else's to read", async () => {
    const { folder } = folderOfOne();
    using _ = folder;
    await run(folder, 'label', ID, 'u1', 'x');
    const state = path.join(folder.home, '.local', 'state', 'bough');
    expect(statSync(state).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(state, 'journal.jsonl')).mode & 0o777).toBe(0o600);
  });
});

describe('refusals have status 5, a reason, and leave every byte and time', () => {
  const commands = [
    ['label', ['u1', 'x']],
    ['branch', ['u1']],
  ] as const;

  test.each(commands)('%s of a session that is open', async (command, args) => {
    const { folder, file } = folderOfOne();
    using _ = folder;
    await holdOpen(file);
    const before = snapshotFolder(folder.path);
    const { status, stderr } = await run(folder, command, ID, ...args);
    expect([status, stderr]).toEqual([5, expect.stringMatching(/is open in process \d+/)]);
    expect(snapshotFolder(folder.path)).toEqual(before);
  });

  test.each(commands)("%s of a session of omp's", async (command, args) => {
    const { folder } = folderOfOne('omp');
    using _ = folder;
    const before = snapshotFolder(folder.path);
    const { status, stderr } = await run(folder, command, ID, ...args);
    expect([status, stderr]).toEqual([5, expect.stringContaining("only reads omp's sessions")]);
    expect(snapshotFolder(folder.path)).toEqual(before);
  });

  test.each(commands)('%s of a file that is no session', async (command, args) => {
    using folder = new AgentFolder();
    const file = folder.addSession('--project--', 'notes.jsonl', 'my notes\n');
    const before = snapshotFolder(folder.path);
    const { status, stderr } = await run(folder, command, file, ...args);
    expect([status, stderr]).toEqual([5, expect.stringContaining('has no session header')]);
    expect(snapshotFolder(folder.path)).toEqual(before);
  });

  test('undo of a session that is open', async () => {
    const { folder, file } = folderOfOne();
    using _ = folder;
    await run(folder, 'label', ID, 'u1', 'x');
    await holdOpen(file);
    const before = snapshotFolder(folder.path);
    expect((await run(folder, 'undo')).status).toBe(5);
    expect(snapshotFolder(folder.path)).toEqual(before);
  });

  test('an entry that is not there has status 3', async () => {
    const { folder } = folderOfOne();
    using _ = folder;
    for (const [command, args] of commands) {
      expect((await run(folder, command, ID, 'nope', ...args.slice(1))).status).toBe(3);
    }
  });
});

test("changes to the demo are no business of the user's journal", async () => {
  using folder = new AgentFolder();
  const { sessions } = await json(folder, 'list', '--demo', '--all');
  const { id } = sessions.find((session: { agent: string }) => session.agent === 'xcsh');
  expect((await run(folder, 'label', '--demo', id, '#3', 'x')).status).toBe(0);
  expect((await run(folder, 'undo')).status).toBe(3);
});
