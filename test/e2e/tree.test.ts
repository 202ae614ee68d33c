import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
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

test('without a terminal it names its --json twin', async () => {
  using folder = new AgentFolder();
  const file = addBranched(folder);
  const { status, stderr } = await runBough(['tree', file], { home: folder.home });
  expect(status).toBe(2);
  expect(stderr).toContain('--json');
});
