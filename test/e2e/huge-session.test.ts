import { constants } from 'node:buffer';
import { appendFileSync, closeSync, openSync, statSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AgentFolder } from './agent-folder.ts';
import { runBough } from './environment.ts';
import { addSample } from './sample-sessions.ts';
import { Screen } from './screen.ts';

const DAY = '2026-03-03T00:00:00.000Z';
const ID = '00000000000000a1';

function line(id: string, parentId: string, message: object): string {
  return `${JSON.stringify({ type: 'message', id, parentId, timestamp: DAY, message })}\n`;
}

/** A session whose file is longer than the longest string, most of it what a tool gave back. */
function addHuge(folder: AgentFolder): string {
  const file = addSample(folder, { id: ID, prompt: 'a long day', at: DAY });
  const descriptor = openSync(file, 'a');
  const content = [{ type: 'text', text: 'output, line after line\n'.repeat(300_000) }];
  for (let n = 0; statSync(file).size <= constants.MAX_STRING_LENGTH; n++) {
    const result = { role: 'toolResult', toolCallId: `c${n}`, toolName: 'bash', content, isError: false };
    writeSync(descriptor, line(`r${n}`, n === 0 ? 'a1' : `r${n - 1}`, result));
  }
  closeSync(descriptor);
  appendFileSync(file, line('last', 'r0', { role: 'user', content: 'the very last zanzibar' }));
  return file;
}

test('a session longer than the longest string is listed, found, opened and labelled (S02)', async () => {
  using folder = new AgentFolder();
  const file = addHuge(folder);
  const run = async (...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await runBough(args, { home: folder.home, cwd: folder.project });
    expect(`${args[0]} ${status} ${stderr.replace(/^bough: (indexing|reading).*\n/gm, '')}`).toMatch(
      /^\w+ 0 (bough: labelled.*\n)?$/,
    );
    return stdout;
  };
  expect(JSON.parse(await run('list', '--json')).sessions).toMatchObject([{ id: ID, firstMessage: 'a long day' }]);
  expect(JSON.parse(await run('search', '--json', 'zanzibar')).hits).toMatchObject([{ path: file, entryId: 'last' }]);
  expect(await run('resume', '--print', ID.slice(0, 15))).toContain(file);
  expect(await run('show', ID, '--entry', 'last')).toContain('the very last zanzibar');
  await run('label', ID, 'last', 'far');
  using screen = Screen.start([], { cols: 100, rows: 24, env: { HOME: folder.home }, cwd: folder.project });
  await screen.ready();
  await screen.until(/❯ a long day/);
  await screen.press('ctrl+t').until(/the very last zanzibar/);
  screen.press('ctrl+c');
  expect(await screen.exited).toBe(130);
});
