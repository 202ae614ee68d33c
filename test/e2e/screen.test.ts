import { utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { AgentFolder, snapshotFolder } from './agent-folder.ts';
import { keyBytes } from './keys.ts';
import { checkScreen, checkTerminalRestored, Screen } from './screen.ts';

function shell(script: string, cols = 20, rows = 5): Screen {
  return Screen.run('/bin/sh', ['-c', script], { cols, rows });
}

it.each([
  ['a', 'a'],
  ['?', '?'],
  ['+', '+'],
  ['ctrl+t', '\x14'],
  ['alt+p', '\x1bp'],
  ['shift+l', 'L'],
  ['enter', '\r'],
  ['esc', '\x1b'],
  ['shift+tab', '\x1b[Z'],
  ['down', '\x1b[B'],
  ['ctrl+left', '\x1b[1;5D'],
  ['alt+right', '\x1b[1;3C'],
  ['f1', '\x1bOP'],
  ['f3', '\x1bOR'],
  ['shift+f3', '\x1b[1;2R'],
  ['f5', '\x1b[15~'],
  ['pagedown', '\x1b[6~'],
  ['delete', '\x1b[3~'],
  ['ctrl+space', '\0'],
  ['alt++', '\x1b+'],
])('the key %s has the bytes of xterm', (chord, bytes) => {
  expect(keyBytes(chord)).toBe(bytes);
});

it.each(['pgdown', 'hyper+a', 'ctrl+é'])('the key %s, which no keyboard has, throws', (chord) => {
  expect(() => keyBytes(chord)).toThrow(/no such/);
});

it('the screen shows what was drawn, and the status it ended with', async () => {
  using screen = shell('printf "one\\r\\ntwo 木"; exit 3');
  expect(await screen.exited).toBe(3);
  expect([screen.line(0), screen.line(1), screen.line(99)]).toEqual(['one', 'two 木', '']);
  expect(screen.cursor).toEqual({ x: 6, y: 1 });
});

it('after output longer than the window its last rows are on the screen', async () => {
  using screen = shell('seq 1 50');
  await screen.exited;
  expect(screen.text()).toBe('47\n48\n49\n50\n');
});

it('death by a signal is told as a shell tells it', async () => {
  using screen = shell('kill -TERM $$');
  expect(await screen.exited).toBe(143);
});

it('waiting for what never comes ends when the program does, and shows the screen', async () => {
  using screen = shell('printf here');
  await expect(screen.until('there')).rejects.toThrow(/exited with 0 without there in\nhere/);
});

it('nothing of the developer is in the environment', async () => {
  using screen = shell('env | cut -d= -f1 | sort | tr "\\n" " "', 200);
  await screen.exited;
  const names = screen
    .text()
    .trim()
    .split(' ')
    .filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name));
  expect(names).toEqual(['HOME', 'LANG', 'PATH', 'SHELL', 'TERM', 'TZ']);
});

it('a row is as wide as the window at most', async () => {
  using screen = shell('printf "aaaaaaaaaa木木木木木"');
  await screen.exited;
  checkScreen(screen);
});

it('a row that is wider is found', async () => {
  using screen = shell('printf "aaaaaaaaaaa木木木木木"');
  await screen.exited;
  expect(() => checkScreen(screen)).toThrow(/wider than 20 cells/);
});

it.each([
  ['erase scrollback', '\\033[3J'],
  ['BEL', '\\007'],
])('%s in the output is found', async (name, bytes) => {
  using screen = shell(`printf 'x${bytes}'`);
  await screen.exited;
  expect(() => checkScreen(screen)).toThrow(`sent ${name}`);
});

it('a terminal that was not restored is found', async () => {
  using screen = shell("printf '\\033[?1049h\\033[?25l\\033[?2004h'");
  await screen.exited;
  expect(() => checkTerminalRestored(screen)).toThrow(
    '{"alternateScreen":true,"bracketedPaste":true,"cursorVisible":false}',
  );
});

it('a terminal that was restored is not complained about', async () => {
  using screen = shell("printf '\\033[?1049h\\033[?25l\\033[?2004h\\033[?2004l\\033[?25h\\033[?1049l'");
  await screen.exited;
  checkTerminalRestored(screen);
});

it('a stand-in agent notes how it was started', async () => {
  using folder = new AgentFolder();
  const agent = folder.installAgent('xcsh', 5);
  using screen = Screen.run('/bin/sh', ['-c', "exec xcsh --session '/a b/c.jsonl'"], {
    cwd: folder.project,
    env: { PATH: folder.searchPath },
  });
  expect(await screen.exited).toBe(5);
  const [run] = agent.runs();
  expect(run).toMatchObject({
    argv: ['--session', '/a b/c.jsonl'],
    cwd: folder.project,
    isTerminal: [true, true, true],
  });
  expect(run?.stty).toMatch(/ icanon /);
});

it('a snapshot tells apart what differs in content, in time, or in being there at all', () => {
  using folder = new AgentFolder();
  const fixture = folder.addFixture('12-fixture-pi-v3-branch-label-unknown-type.jsonl');
  const other = folder.addSession('--w--', 'a.jsonl', [{ type: 'session' }], 1_000);
  const before = snapshotFolder(folder.path);
  expect(snapshotFolder(folder.path)).toEqual(before);
  utimesSync(fixture, 5, 5);
  expect(snapshotFolder(folder.path)).not.toEqual(before);
  const between = snapshotFolder(folder.path);
  writeFileSync(other, '{"type":"Session"}\n');
  utimesSync(other, 1, 1);
  expect(snapshotFolder(folder.path)).not.toEqual(between);
  const after = snapshotFolder(folder.path);
  writeFileSync(path.join(folder.path, 'new'), '');
  expect(Object.keys(snapshotFolder(folder.path))).toEqual([...Object.keys(after), 'new'].sort());
});
