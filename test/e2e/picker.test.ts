import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { AgentFolder, snapshotFolder } from './agent-folder.ts';
import { BOUGH } from './environment.ts';
import { addSample } from './sample-sessions.ts';
import { checkScreen, checkTerminalRestored, Screen } from './screen.ts';

const OMP_FIXTURE = '14-fixture-omp-title-slot-first-line-branch.jsonl';

function folderOfThree(): AgentFolder {
  const folder = new AgentFolder();
  addSample(folder, { id: '00000000000000a1', prompt: 'mend the parser', at: '2026-03-03T00:00:00.000Z' });
  addSample(folder, { id: '00000000000000b2', prompt: 'write the docs', at: '2026-03-02T00:00:00.000Z' });
  addSample(folder, { id: '00000000000000c3', prompt: 'elsewhere', cwd: '/w', at: '2026-03-01T00:00:00.000Z' });
  return folder;
}

function start(folder: AgentFolder, args: readonly string[] = [], size: { cols?: number; rows?: number } = {}): Screen {
  const env = { HOME: folder.home, PATH: folder.searchPath };
  return Screen.start(args, { cols: 100, rows: 24, env, cwd: folder.project, ...size });
}

test('driven key by key: filter, move, scope, help, resize, resume', async () => {
  using folder = folderOfThree();
  const agent = folder.installAgent('xcsh', 7);
  const before = snapshotFolder(folder.path);
  using screen = start(folder);
  await screen.ready();
  await screen.until(/❯ mend the parser/);
  expect(screen.text()).not.toContain('elsewhere');
  await screen.press('tab').until('elsewhere');
  await screen
    .type('docs')
    .until((shown) => /❯ write the docs/.test(shown.text()) && !shown.text().includes('elsewhere'));
  await screen.press('esc').until('elsewhere');
  await screen.press('tab').until((shown) => !shown.text().includes('elsewhere'));
  await screen.press('?').until('Keys');
  checkScreen(screen);
  await screen.press('esc').until('mend the parser');
  await screen.resize(40, 10).until((shown) => shown.line(9) !== '' && shown.text().includes('mend the parser'));
  checkScreen(screen);
  await screen.resize(100, 24).until((shown) => shown.line(23) !== '' && shown.text().includes('write the docs'));
  await screen.press('down').until(/❯ write the docs/);
  screen.press('enter');
  expect(await screen.exited).toBe(7);
  const file = path.join(folder.path, 'sessions', '--project--', '2026-01-01T00-00-00-000Z_00000000000000b2.jsonl');
  expect(agent.runs()).toMatchObject([
    { argv: ['--session', file], cwd: folder.project, isTerminal: [true, true, true] },
  ]);
  expect(agent.runs()[0]?.stty).toMatch(/\bicanon\b.*\becho\b/s);
  checkTerminalRestored(screen);
  expect(snapshotFolder(folder.path)).toEqual(before);
});

describe('an agent is never started on a file that it would replace', () => {
  test.each([
    ["omp's form", (folder: AgentFolder) => folder.addFixture(OMP_FIXTURE), 'OMP', "omp's"],
    [
      'a torn header',
      (folder: AgentFolder) => folder.addSession('--x--', 'torn.jsonl', '{"type":"session","id":"x","cwd":"/\n'),
      'torn.jsonl',
      'no session header',
    ],
    [
      'an empty file',
      (folder: AgentFolder) => folder.addSession('--x--', 'empty.jsonl', ''),
      'empty.jsonl',
      'the file is empty',
    ],
  ])('%s', async (_name, add, shown, reason) => {
    using folder = new AgentFolder('xcsh');
    const agent = folder.installAgent('xcsh');
    const file = add(folder);
    const before = snapshotFolder(folder.path);
    using screen = start(folder, ['--all']);
    await screen.until(shown);
    await screen.press('enter').until(reason);
    await screen.press('esc').until(/Enter resume/);
    await screen.press('esc').exited;
    expect(agent.runs()).toEqual([]);
    expect(snapshotFolder(folder.path)).toEqual(before);
    expect(file).toContain(folder.path);
  });
});

describe('the terminal is left as it was found (E02)', () => {
  test.each([
    ['Esc', (screen: Screen) => screen.press('esc'), 0],
    ['Ctrl+C', (screen: Screen) => screen.press('ctrl+c'), 130],
    ['SIGTERM', (screen: Screen) => screen.kill('SIGTERM'), 143],
    ['SIGHUP', (screen: Screen) => screen.kill('SIGHUP'), 129],
    ['SIGINT', (screen: Screen) => screen.kill('SIGINT'), 130],
  ])('after %s', async (_name, leave, status) => {
    using folder = folderOfThree();
    using screen = start(folder);
    await screen.until('mend the parser');
    await screen.ready();
    leave(screen);
    expect(await screen.exited).toBe(status);
    checkTerminalRestored(screen);
  });
});

test('escape sequences in data reach the terminal as text alone (X01)', async () => {
  using folder = new AgentFolder();
  addSample(folder, {
    id: '00000000000000a1',
    prompt: 'l1\rl2\b\b',
    title: '\u001b]52;c;cHduZWQ=\u0007\u001b[2Jx\u009b31m',
    cwd: '/w/\u001b[31m',
    at: '2026-03-01T00:00:00.000Z',
  });
  using screen = start(folder, ['--all']);
  await screen.until(/❯ .*x/);
  await screen.ready();
  checkScreen(screen);
  expect(screen.raw).not.toContain('cHduZWQ=\u0007');
  expect(screen.raw).not.toContain('\u001b]52');
});

describe('pick', () => {
  test('prints the choice on a captured stdout', async () => {
    using folder = folderOfThree();
    const script = path.join(folder.home, 'pick.sh');
    writeFileSync(script, `chosen=$('${process.execPath}' '${BOUGH}' pick --print id docs); echo "chosen: $chosen"\n`);
    const env = { HOME: folder.home, PATH: folder.searchPath };
    using screen = Screen.run('/bin/sh', [script], { cols: 100, rows: 24, env, cwd: folder.project });
    await screen.until(/❯ write the docs/);
    await screen.ready();
    screen.press('enter');
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toContain('chosen: 00000000000000b2');
    checkTerminalRestored(screen);
  });
});

test('a machine without sessions is told so, and offered the demo', async () => {
  using folder = new AgentFolder();
  using screen = Screen.start([], {
    cols: 80,
    rows: 24,
    env: { HOME: path.join(folder.home, 'empty') },
    cwd: folder.project,
  });
  await screen.until('bough --demo');
  await screen.ready();
  screen.press('esc');
  expect(await screen.exited).toBe(0);
});
