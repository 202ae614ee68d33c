import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSession, nodesOnPath } from '../../src/session/loaded-session.ts';
import { SessionFile } from '../../src/session/scan.ts';
import { AgentFolder, snapshotFolder } from './agent-folder.ts';
import { runBough } from './environment.ts';
import { addSample } from './sample-sessions.ts';
import { checkScreen, checkTerminalRestored, Screen } from './screen.ts';

const header = {
  type: 'session',
  version: 3,
  id: '00000000000000d4',
  timestamp: '2026-03-01T00:00:00.000Z',
  cwd: '/w',
};

function said(id: string, parentId: string | null, role: string, text: string): string {
  const message = { role, content: [{ type: 'text', text }], stopReason: 'stop' };
  return `${JSON.stringify({ type: 'message', id, parentId, timestamp: '2026-03-01T00:00:00.000Z', message })}\n`;
}

/** A session with a branch at its first answer; gives its path. */
function addBranched(folder: AgentFolder): string {
  addSample(folder, { id: '00000000000000a1', prompt: 'mend the parser', at: '2026-03-03T00:00:00.000Z' });
  const file = path.join(folder.path, 'sessions', '--project--', '2026-03-01T00-00-00-000Z_00000000000000d4.jsonl');
  writeFileSync(
    file,
    `${JSON.stringify({ ...header, cwd: folder.project })}\n` +
      said('aa', null, 'user', 'start here') +
      said('bb', 'aa', 'assistant', 'two ways lead on') +
      said('cc', 'bb', 'user', 'the left one') +
      said('dd', 'cc', 'assistant', 'left is done, with a needle') +
      said('ee', 'bb', 'user', 'the right one') +
      said('ff', 'ee', 'assistant', 'right is done'),
  );
  return file;
}

function start(folder: AgentFolder, args: readonly string[]): Screen {
  const env = { HOME: folder.home, PATH: folder.searchPath };
  return Screen.start(args, { cols: 110, rows: 24, env, cwd: folder.project });
}

test('driven key by key: search, fold, filter, compare, context, a file that grows, leave', async () => {
  using folder = new AgentFolder();
  const file = addBranched(folder);
  const before = snapshotFolder(folder.path);
  using screen = start(folder, ['tree', file]);
  await screen.ready();
  await screen.until(/› │ • assistant: right is done/);
  await screen.until('Path to here');
  await screen.type('needle').until((shown) => /› {0,3}assistant: left is done/.test(shown.text()));
  await screen.until('active entry is no hit');
  screen.press('f3');
  await screen
    .press('esc')
    .until((shown) => shown.text().includes('Type to search') && /› +assistant: left/.test(shown.text()));
  await screen.press('alt+o').until(/⊞ user: the left one +\+1/);
  await screen.press('alt+e').until(/› +assistant: left is done/);
  await screen
    .press('alt+u')
    .until((shown) => shown.text().includes('[user]') && !shown.text().includes('assistant: right'));
  await screen.press('alt+d').until('[default]');
  await screen.press('alt+c').until('The active branch');
  checkScreen(screen);
  await screen.press('esc').until('[default]');
  await screen.press('alt+x').until('4 messages, about');
  await screen.press('esc').until('[default]');
  await screen.press('alt+g').until(/› │ • assistant: right is done/);
  expect(snapshotFolder(folder.path)).toEqual(before);
  appendFileSync(file, said('gg', 'ff', 'user', 'and it goes on'));
  await screen.until(/› │ • user: and it goes on/);
  await screen.resize(40, 10).until((shown) => shown.line(9) !== '' && shown.text().includes('and it goes on'));
  checkScreen(screen);
  screen.press('esc');
  expect(await screen.exited).toBe(0);
  checkTerminalRestored(screen);
});

test('from the list and back to it, keys of one burst included', async () => {
  using folder = new AgentFolder();
  addBranched(folder);
  using screen = start(folder, []);
  await screen.ready();
  await screen.until('start here');
  await screen.type('start').until(/❯ start here/);
  await screen.press('ctrl+t', 'home').until(/› • user: start here/);
  await screen.press('esc').until(/❯ start here/);
  screen.press('ctrl+c');
  expect(await screen.exited).toBe(130);
  checkTerminalRestored(screen);
});

/** The last line of a file, and the entry from which the engine goes on. */
function endOf(file: string): {
  readonly last: Record<string, unknown>;
  readonly path: string[];
  readonly lines: number;
} {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  using source = new SessionFile(file);
  const session = loadSession(source);
  const path = nodesOnPath(session, session.leaf).map(({ id }) => id);
  return { last: JSON.parse(lines.at(-1) ?? ''), path, lines: lines.length };
}

describe('changes', () => {
  test('a label is set and cleared in place, each as one line that moves nothing', async () => {
    using folder = new AgentFolder();
    const file = addBranched(folder);
    using screen = start(folder, ['tree', file]);
    await screen.ready();
    await screen.until(/› │ • assistant: right is done/);
    await screen.press('home', 'down').until(/› {0,3}• assistant: two ways/);
    await screen.press('L').until('Label ❯');
    await screen.type('both ways').until('Label ❯ both ways');
    checkScreen(screen);
    await screen.press('enter').until(/› {0,3}• \[both ways\] assistant: two ways/);
    expect(screen.text()).not.toContain('active entry hidden');
    const { last, path, lines } = endOf(file);
    expect(lines).toBe(8);
    expect(last).toMatchObject({ type: 'label', targetId: 'bb', label: 'both ways', parentId: 'ff' });
    expect(path.slice(0, -1)).toEqual(['aa', 'bb', 'ee', 'ff']);
    await screen.press('alt+n').until('Label ❯ both ways');
    await screen.press('esc').until('Type to search');
    expect(endOf(file).lines).toBe(8);
    await screen.press('alt+n').until('Label ❯ both ways');
    await screen.press('ctrl+u', 'enter').until(/› {0,3}• assistant: two ways/);
    expect(endOf(file)).toMatchObject({ lines: 9, last: { type: 'label', targetId: 'bb' } });
    await screen.press('alt+z').until(/› {0,3}• \[both ways\] assistant: two ways/);
    expect(screen.text()).toContain('✓ cut the line off');
    await screen.press('alt+z').until(/› {0,3}• assistant: two ways/);
    await screen.press('alt+z').until('! there is no change to undo');
    expect(endOf(file).lines).toBe(7);
    screen.press('esc');
    expect(await screen.exited).toBe(0);
  });

  test('a change is undone in the list too, which tells what was done', async () => {
    using folder = new AgentFolder();
    const file = addBranched(folder);
    const before = readFileSync(file);
    await runBough(['label', file, 'bb', 'x'], { home: folder.home });
    expect(endOf(file).lines).toBe(8);
    using screen = start(folder, []);
    await screen.ready();
    await screen.until('start here');
    await screen.press('alt+z').until('✓ cut the line off');
    expect(readFileSync(file)).toEqual(before);
    await screen.press('esc').exited;
  });

  test('branches in place: appends one line, copies the text, then starts the agent there', async () => {
    using folder = new AgentFolder();
    const agent = folder.installAgent('xcsh', 7);
    const file = addBranched(folder);
    using screen = start(folder, ['tree', file]);
    await screen.ready();
    await screen.until(/› │ • assistant: right is done/);
    await screen.type('left one').until(/› {0,3}user: the left one/);
    await screen.press('enter').until('Go on from here?');
    await screen.until('appends one line to');
    checkScreen(screen);
    await screen.press('down', 'enter').until('Summary ❯');
    await screen.type('the right way failed').until('Summary ❯ the right way failed');
    expect(endOf(file).lines).toBe(7);
    screen.press('enter');
    expect(await screen.exited).toBe(7);
    checkTerminalRestored(screen);
    const { last, path: way, lines } = endOf(file);
    expect(lines).toBe(8);
    expect(last).toMatchObject({
      type: 'branch_summary',
      parentId: 'bb',
      fromId: 'bb',
      summary: 'the right way failed',
    });
    expect(way.slice(0, -1)).toEqual(['aa', 'bb']);
    expect(agent.runs()).toMatchObject([{ argv: ['--session', file], cwd: folder.project }]);
    expect(screen.raw).toContain(`\u001b]52;c;${Buffer.from('the left one').toString('base64')}`);
    expect(screen.text()).toContain('appended one line to');
  });

  test('branches into a new file from the list, and leaves the source as it was', async () => {
    using folder = new AgentFolder();
    const agent = folder.installAgent('xcsh');
    const file = addBranched(folder);
    const before = readFileSync(file);
    using screen = start(folder, []);
    await screen.ready();
    await screen.until('start here');
    await screen.type('start').until(/❯ start here/);
    await screen.press('ctrl+t').until(/› │ • assistant: right is done/);
    await screen.type('needle').until(/› {0,3}assistant: left is done/);
    await screen.press('enter').until('writes a new file beside');
    screen.press('down', 'down', 'enter');
    expect(await screen.exited).toBe(0);
    expect(readFileSync(file)).toEqual(before);
    const [, made = ''] = agent.runs()[0]?.argv ?? [];
    expect(made).not.toBe(file);
    expect(endOf(made).path).toEqual(['aa', 'bb', 'cc', 'dd']);
  });

  test('where the session is already it says so, and resumes it as it is', async () => {
    using folder = new AgentFolder();
    const agent = folder.installAgent('xcsh');
    const file = addBranched(folder);
    const before = snapshotFolder(folder.path);
    using screen = start(folder, ['tree', file]);
    await screen.ready();
    await screen.until(/› │ • assistant: right is done/);
    await screen.press('enter').until('already at this point');
    await screen.until('Resume it as it is');
    screen.press('enter');
    expect(await screen.exited).toBe(0);
    expect(agent.runs()).toMatchObject([{ argv: ['--session', file] }]);
    expect(snapshotFolder(folder.path)).toEqual(before);
  });

  test('an agent that does not start leaves the file as it was', async () => {
    using folder = new AgentFolder();
    const file = addBranched(folder);
    const program = path.join(folder.searchPath.split(path.delimiter)[0] ?? '', 'xcsh');
    writeFileSync(program, '#!/no/such/interpreter\n', { mode: 0o755 });
    const before = readFileSync(file);
    using screen = start(folder, ['tree', file]);
    await screen.ready();
    await screen.type('needle').until(/› {0,3}assistant: left is done/);
    await screen.press('enter').until('appends one line to');
    screen.press('enter');
    expect(await screen.exited).not.toBe(0);
    expect(screen.text()).toContain('the agent did not start');
    expect(readFileSync(file)).toEqual(before);
  });

  test("a file in omp's form in xcsh's folder is neither labelled nor branched", async () => {
    using folder = new AgentFolder('xcsh');
    const agent = folder.installAgent('xcsh');
    const file = folder.addFixture('14-fixture-omp-title-slot-first-line-branch.jsonl');
    const before = snapshotFolder(folder.path);
    using screen = start(folder, ['tree', file]);
    await screen.ready();
    await screen.until('›');
    await screen.press('L').until('Label ❯');
    await screen.type('x').press('enter').until('! nothing was written');
    await screen.press('enter').until('Not possible');
    checkScreen(screen);
    await screen.press('esc').until('Type to search');
    screen.press('esc');
    expect(await screen.exited).toBe(0);
    expect(agent.runs()).toEqual([]);
    expect(snapshotFolder(folder.path)).toEqual(before);
  });
});

describe('labels of all sessions', () => {
  test('from the list: narrowed, opened at the entry, and back', async () => {
    using folder = new AgentFolder();
    const file = addBranched(folder);
    await runBough(['label', file, 'cc', 'older mark'], { home: folder.home });
    await runBough(['label', '00000000000000a1', 'u1', 'parser mark'], { home: folder.home });
    using screen = start(folder, []);
    await screen.ready();
    await screen.until('start here');
    await screen.press('ctrl+g').until(/› parser mark .*\n.*older mark/);
    checkScreen(screen);
    await screen.type('left').until((shown) => /› older mark/.test(shown.text()) && !shown.text().includes('parser'));
    await screen.press('enter').until(/›.*\[older mark\] user: the left one/);
    await screen.press('esc').until(/› older mark/);
    await screen.press('esc').until(/ {2}parser mark .*\n› older mark/);
    await screen.press('esc').until(/❯ .*(start here|mend the parser)/);
    screen.press('ctrl+c');
    expect(await screen.exited).toBe(130);
    checkTerminalRestored(screen);
  });

  test("from a tree to another session's, and to another entry of the same, and back the same way", async () => {
    using folder = new AgentFolder();
    const file = addBranched(folder);
    await runBough(['label', file, 'cc', 'left mark'], { home: folder.home });
    await runBough(['label', '00000000000000a1', 'u1', 'parser mark'], { home: folder.home });
    using screen = start(folder, ['tree', file]);
    await screen.ready();
    await screen.until(/› │ • assistant: right is done/);
    await screen.press('alt+u').until('[user]');
    await screen.press('ctrl+g').until(/› parser mark/);
    await screen.press('down').until(/› left mark/);
    await screen.press('enter').until(/›.*\[left mark\] user: the left one/);
    await screen.press('ctrl+g').until(/› parser mark/);
    await screen.press('enter').until(/› +• \[parser mark\] user: mend the parser/);
    await screen.press('down').until(/› +• assistant: Answer/);
    await screen
      .press('esc')
      .until((shown) => /›.*\[left mark\]/.test(shown.text()) && shown.text().includes('[user]'));
    screen.press('esc');
    expect(await screen.exited).toBe(0);
    checkTerminalRestored(screen);
  });
});

test('without a terminal it names its --json twin', async () => {
  using folder = new AgentFolder();
  const file = addBranched(folder);
  const { status, stderr } = await runBough(['tree', file], { home: folder.home });
  expect(status).toBe(2);
  expect(stderr).toContain('--json');
});
