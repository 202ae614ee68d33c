import { expect, test } from 'vitest';
import { AgentFolder } from './agent-folder.ts';
import { runBough } from './environment.ts';
import { sessionLines } from './sample-sessions.ts';
import { checkScreen, Screen } from './screen.ts';

const SIZES = [
  [120, 30],
  [80, 24],
  [40, 10],
] as const;

/** A session with a branch of its own for each text; the last one is the active one. */
function addTalk(folder: AgentFolder, id: string, day: number, texts: readonly string[]): void {
  const at = `2026-02-0${day}T10:00:00.000Z`;
  const lines = sessionLines({ id, cwd: folder.project, prompt: `start ${id}`, at });
  const said = texts.map((content, n) => ({
    type: 'message',
    id: `${id}${n}`,
    parentId: 'a1',
    timestamp: at,
    message: { role: 'user', content, timestamp: 1 },
  }));
  folder.addSession('--project--', `2026-01-01T00-00-00-000Z_${id}.jsonl`, [...lines, ...said]);
}

function start(folder: AgentFolder, cols: number, rows: number): Screen {
  return Screen.start([], { cols, rows, env: { HOME: folder.home }, cwd: folder.project });
}

test.each(SIZES)('F3 goes from hit to hit, in the list, the transcript and the tree (%i × %i)', async (cols, rows) => {
  using folder = new AgentFolder();
  addTalk(folder, 'bbbb', 1, ['older marzipan', 'nothing', 'older nougat']);
  addTalk(folder, 'aaaa', 2, ['newer marzipan', 'more marzipan', 'newer nougat']);
  using screen = start(folder, cols, rows);
  await screen.ready();
  screen.type('marzipan');
  await screen.until(/❯ ≡ more/);
  await screen.until(/≡ older/);
  await screen.press('f3').until(/❯ ≡ newer/);
  await screen.press('shift+f3', 'shift+f3').until(/❯ ≡ older/);
  await screen.press('f3').until(/❯ ≡ more/);
  checkScreen(screen);
  await screen.press('ctrl+o').until((shown) => /hit 1\/1/.test(shown.line(0)) && /more marzipan/.test(shown.text()));
  await screen.press('f3').until(/newer marzipan/);
  await screen.press('f3').until((shown) => /^start bbbb/.test(shown.line(0)) && /older marzipan/.test(shown.text()));
  checkScreen(screen);
  await screen.press('esc').until(/❯ ≡ older/);
  await screen.press('f3').until(/❯ ≡ more/);
  await screen.press('ctrl+t').until((shown) => /› .*more marzipan/.test(shown.text()) && /F3/.test(shown.text()));
  expect(screen.text()).toMatch(/newer nougat/);
  checkScreen(screen);
  await screen.press('f3').until(/› .*newer marzipan/);
  await screen.press('f3').until(/› .*more marzipan/);
  await screen.press('esc').until(/❯ ≡ more/);
  screen.press('ctrl+c');
  expect(await screen.exited).toBe(130);
});

test.each(SIZES)('tool output is searched on request, and opens where it stands (%i × %i)', async (cols, rows) => {
  using folder = new AgentFolder();
  const at = '2026-02-01T10:00:00.000Z';
  const call = { type: 'toolCall', id: 'c1', name: 'bash', arguments: { command: 'ls' } };
  const message = (id: string, parentId: string, own: object): object => ({
    type: 'message',
    id,
    parentId,
    timestamp: at,
    message: { ...own, timestamp: 1 },
  });
  folder.addSession('--project--', '2026-01-01T00-00-00-000Z_cccc.jsonl', [
    ...sessionLines({ id: 'cccc', cwd: folder.project, prompt: 'list the files', at }),
    message('a2', 'a1', { role: 'assistant', content: [call], model: 'm', provider: 'p', stopReason: 'toolUse' }),
    message('t1', 'a2', {
      role: 'toolResult',
      toolCallId: 'c1',
      toolName: 'bash',
      content: [{ type: 'text', text: 'marzipan.txt' }],
    }),
    message('u2', 't1', { role: 'user', content: 'thanks' }),
  ]);
  addTalk(folder, 'dddd', 2, ['more of it']);
  using screen = start(folder, cols, rows);
  await screen.ready();
  screen.type('marzipan');
  await screen.until(/No match among 2 sessions/);
  await screen.press('alt+o').until(/❯ ≡ marzipan\.txt/);
  await screen.until((shown) => cols < 80 || shown.text().includes('1 in tool output'));
  checkScreen(screen);
  await screen.press('ctrl+t').until(/› .*\[bash: ls\]/);
  await screen.press('esc').until(/❯ ≡ marzipan\.txt/);
  await screen.type('s').until(/No match among 2 sessions/);
  screen.press('ctrl+c');
  expect(await screen.exited).toBe(130);
});

test.each(SIZES)(
  'a pattern narrows the list; one that would take for ever holds no key up (%i × %i)',
  async (cols, rows) => {
    using folder = new AgentFolder();
    addTalk(folder, 'aaaa', 1, ['some marzipan']);
    addTalk(folder, 'bbbb', 2, ['other marzipan']);
    const at = '2026-02-03T10:00:00.000Z';
    const lines = sessionLines({ id: 'cccc', cwd: folder.project, prompt: `${'a'.repeat(60)}!`, at });
    folder.addSession('--project--', '2026-01-01T00-00-00-000Z_cccc.jsonl', lines);
    using screen = start(folder, cols, rows);
    await screen.ready();
    screen.type('re:^START.a+$');
    await screen.until((shown) => /❯ start aaaa/.test(shown.text()) && / 1\/1$/m.test(shown.text()));
    screen.type(' marzipan');
    await screen.until((shown) => /≡ some/.test(shown.text()) && !shown.text().includes('≡ other'));
    checkScreen(screen);
    await screen.press('ctrl+u').until(/Type to search/);
    await screen.type('re:(').until(/re: is no pattern yet/);
    checkScreen(screen);
    await screen.press('ctrl+u').until(/Type to search/);
    await screen.type('re:^(a+)+$').until(/re: took longer than 0\.5 s/);
    checkScreen(screen);
    await screen.type('b').until((shown) => shown.text().includes('re:^(a+)+$b'));
    await screen.press('esc').until(/Type to search/);
    await screen.until(/❯ a{8}/);
    screen.press('ctrl+c');
    expect(await screen.exited).toBe(130);
  },
);

test('bough list takes patterns too, and ends when one takes too long', async () => {
  using folder = new AgentFolder();
  addTalk(folder, 'aaaa', 1, ['x']);
  addTalk(folder, 'bbbb', 2, ['x']);
  const options = { home: folder.home, cwd: folder.project };
  const { stdout } = await runBough(['list', '--json', 're:^START.b+$'], options);
  expect(JSON.parse(stdout)).toMatchObject({ total: 1, sessions: [{ id: 'bbbb' }] });
  expect((await runBough(['list', '--json', '--', '-re:b+$'], options)).stdout).toContain('"aaaa"');
  const invalid = await runBough(['list', 're:('], options);
  expect([invalid.status, invalid.stderr]).toEqual([0, expect.stringContaining('re: is no pattern yet')]);
  const lines = sessionLines({
    id: 'c',
    cwd: folder.project,
    prompt: `${'a'.repeat(60)}!`,
    at: '2026-02-03T10:00:00.000Z',
  });
  folder.addSession('--project--', '2026-01-01T00-00-00-000Z_c.jsonl', lines);
  const slow = await runBough(['list', 're:^(a+)+$'], options);
  expect([slow.status, slow.stderr]).toEqual([2, expect.stringContaining('re: took longer than 0.5 s')]);
});

test('bough search puts the telling hits first, and a smaller limit gives the beginning of the same list', async () => {
  using folder = new AgentFolder();
  addTalk(folder, 'aaaa', 1, ['fix the marzipan', 'marzipans galore', 'the marzipan we fix']);
  for (let n = 2; n < 9; n++) addTalk(folder, `b${n}`, n, ['marzipans to fixate', 'fixing marzipans']);
  const search = async (...args: readonly string[]): Promise<{ total: number; hits: readonly object[] }> => {
    const { stdout } = await runBough(['search', '--json', ...args, 'fix', 'marzipan'], {
      home: folder.home,
      cwd: folder.project,
    });
    return JSON.parse(stdout);
  };
  const all = await search();
  expect(all.total).toBe(16);
  expect(all.hits.slice(0, 2)).toMatchObject([{ entryId: 'aaaa2' }, { entryId: 'aaaa0' }]);
  expect(Object.keys(all.hits[0] ?? {})).toEqual([
    'path',
    'id',
    'entryId',
    'role',
    'snippet',
    'timestamp',
    'onActivePath',
  ]);
  for (const limit of [1, 3, 10]) {
    const some = await search('--limit', String(limit));
    expect(some).toEqual({ ...all, hits: all.hits.slice(0, limit) });
  }
});
