import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { AgentFolder } from './agent-folder.ts';
import { runBough } from './environment.ts';
import { addSample } from './sample-sessions.ts';
import { Screen } from './screen.ts';

const DAY = '2026-03-03T00:00:00.000Z';

function set(folder: AgentFolder, settings: unknown): string {
  const file = path.join(folder.home, '.config', 'bough', 'settings.json');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof settings === 'string' ? settings : JSON.stringify(settings));
  return file;
}

function start(folder: AgentFolder, ...args: string[]): Screen {
  const env = { HOME: folder.home, PATH: folder.searchPath };
  return Screen.start(args, { cols: 100, rows: 24, env, cwd: folder.project });
}

function run(folder: AgentFolder, ...args: string[]) {
  return runBough(args, { home: folder.home, cwd: folder.project, env: { PATH: folder.searchPath } });
}

test('sessions of a folder that is left out are listed and followed, not searched and not kept', async () => {
  using folder = new AgentFolder();
  const cwd = path.join(folder.home, 'private');
  mkdirSync(cwd);
  set(folder, { catalog: { leaveOut: ['~/private'] } });
  addSample(folder, { id: '00000000000000a1', prompt: 'an open zanzibar', at: DAY });
  const file = addSample(folder, { id: '00000000000000a2', prompt: 'a private zanzibar', cwd, at: DAY });
  const found = await run(folder, 'search', '--json', 'zanzibar');
  expect(JSON.parse(found.stdout).total).toBe(2);
  expect(found.stderr).toBe('bough: not searched, as set: 1 folder with 1 session\n');
  const { sessions } = JSON.parse((await run(folder, 'list', '--all', '--json')).stdout);
  expect(sessions.map((session: { messageCount: number }) => session.messageCount)).toEqual([2, 2]);
  using screen = start(folder, '--all');
  await screen.ready();
  await screen.until((shown) => /an open/.test(shown.text()) && /a private/.test(shown.text()));
  const second = addSample(folder, { id: '00000000000000a3', prompt: 'private too', cwd, at: DAY });
  await screen.until(/private too/);
  const line = readFileSync(file, 'utf8').split('\n')[1] ?? '';
  appendFileSync(file, `${line.replaceAll('"u1"', '"u9"').replaceAll('2026-03-03', '2030-03-03')}\n`);
  await screen.until(/a private[\s\S]*an open/);
  rmSync(second);
  await screen.until((shown) => !/private too/.test(shown.text()));
  screen.press('ctrl+c');
  await screen.exited;
  const catalog = path.join(folder.home, '.cache', 'bough', 'catalog.db');
  expect(readFileSync(catalog).includes('a private zanzibar')).toBe(false);
});

test('what is wrong with the settings is said on the screen and on stderr, and all goes on', async () => {
  using folder = new AgentFolder();
  folder.installAgent('xcsh');
  const file = set(folder, '{"catalog": {"leaveOut": ["\u001b[31mprivate"]}, "agents": {"xcsh": "xcsh"}}');
  addSample(folder, { id: '00000000000000a1', prompt: 'a prompt', at: DAY });
  const listed = await run(folder, 'list', '--all');
  expect(listed).toMatchObject({ status: 0, stdout: expect.stringContaining('a prompt') });
  expect(listed.stderr).toContain(`${file}: `);
  expect(listed.stderr.includes('\u001b')).toBe(false);
  using screen = start(folder);
  await screen.ready();
  await screen.until((shown) => /❯ a prompt/.test(shown.text()) && /settings\.json: /.test(shown.text()));
  screen.press('esc');
  await screen.exited;
  expect(await run(folder, 'resume', '00000000000000a1')).toMatchObject({
    status: 5,
    stderr: expect.stringContaining('not resumed: '),
  });
});

test('a command of the user’s own runs in the agent’s place', async () => {
  using folder = new AgentFolder();
  const agent = folder.installAgent('xcsh');
  set(folder, { agents: { xcsh: ['nice', 'xcsh', '--a b'] } });
  const file = addSample(folder, { id: '00000000000000a1', prompt: 'a prompt', at: DAY });
  expect((await run(folder, 'resume', '--print', '00000000000000a1')).stdout).toBe(
    `cd ${folder.project} && nice xcsh '--a b' --session ${file}\n`,
  );
  expect((await run(folder, 'resume', '00000000000000a1')).status).toBe(0);
  expect(agent.runs()[0]?.argv).toEqual(['--a b', '--session', file]);
});
