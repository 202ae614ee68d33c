import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { AgentFolder, snapshotFolder } from './agent-folder.ts';
import { runBough } from './environment.ts';
import { addSample, sessionLines } from './sample-sessions.ts';
import { checkScreen, Screen } from './screen.ts';

const DAY_MS = 86_400_000;

function idOf(number: number): string {
  return number.toString(16).padStart(16, '0');
}

function dayOf(number: number): string {
  return new Date(Date.parse('2026-01-01T00:00:00.000Z') + number * DAY_MS).toISOString();
}

function start(folder: AgentFolder, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Screen {
  const all = { HOME: folder.home, PATH: folder.searchPath, ...env };
  return Screen.start(args, { cols: 100, rows: 24, env: all, cwd: folder.project });
}

async function run(folder: AgentFolder, ...args: readonly string[]): Promise<{ status: number; stdout: string }> {
  return await runBough(args, { home: folder.home, cwd: folder.project });
}

interface Hit {
  readonly path: string;
  readonly entryId: string | null;
  readonly snippet: string;
  readonly onActivePath: boolean | null;
}

async function search(folder: AgentFolder, ...args: readonly string[]): Promise<{ total: number; hits: Hit[] }> {
  const { status, stdout } = await run(folder, 'search', '--json', ...args);
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

/** A session whose tool gave back so much. */
function addLarge(folder: AgentFolder, number: number, sizeBytes: number): void {
  const file = addSample(folder, { id: idOf(number), prompt: `large ${number}`, at: dayOf(number) });
  const descriptor = openSync(file, 'a');
  const text = 'tool output, line after line\\n'.repeat(16_000);
  const head = `{"type":"message","id":"`;
  for (let written = 0, n = 0; written < sizeBytes; n++) {
    const line = `${head}r${n}","parentId":"a1","timestamp":"${dayOf(number)}","message":{"role":"toolResult","toolCallId":"c${n}","toolName":"bash","content":[{"type":"text","text":"${text}"}],"isError":false,"timestamp":1}}\n`;
    written += writeSync(descriptor, line);
  }
  closeSync(descriptor);
}

test('thousands of sessions and very large ones: rows at once, keys while reading, little memory (S01)', async () => {
  using folder = new AgentFolder();
  for (let n = 0; n < 1_500; n++) addSample(folder, { id: idOf(n), prompt: `prompt ${n}`, at: dayOf(n % 300) });
  for (let n = 1_500; n < 1_503; n++) addLarge(folder, n, 50_000_000);
  using screen = start(folder, ['--all'], { NODE_OPTIONS: '--max-old-space-size=512' });
  await screen.ready();
  await screen.until(/❯ large 1502[\s\S]*prompt \d+[\s\S]*prompt \d+/);
  screen.press('down', 'down', 'down', 'down', 'down');
  await screen.until(/❯ prompt \d+/);
  checkScreen(screen);
  screen.press('esc');
  expect(await screen.exited).toBe(0);
});

test('the oldest of many sessions is reached by End, by search and by id (L01)', async () => {
  using folder = new AgentFolder();
  const agent = folder.installAgent('xcsh');
  for (let n = 0; n < 250; n++) {
    const prompt = n === 0 ? 'the very first one' : `prompt ${n}`;
    const file = addSample(folder, { id: idOf(n), prompt, at: dayOf(n / 2) });
    if (n > 0) continue;
    const said = { role: 'user', content: 'is it far to zanzibar from here', timestamp: 1 };
    const line = { type: 'message', id: 'z1', parentId: 'a1', timestamp: dayOf(0), message: said };
    const later = Array.from({ length: 40 }, (_, turn) => ({
      ...line,
      id: `y${turn}`,
      parentId: turn === 0 ? 'z1' : `y${turn - 1}`,
      message: { ...said, content: `later ${turn}` },
    }));
    appendFileSync(file, [line, ...later].map((value) => `${JSON.stringify(value)}\n`).join(''));
  }
  using screen = start(folder, ['--all']);
  await screen.ready();
  await screen.until((shown) => / 1\/250$/.test(shown.line(1)));
  await screen.press('end').until(/❯ the very first one/);
  await screen.type('zanzibar').until(/❯ ≡ .*zanzibar/);
  expect(screen.text()).toContain('1/1');
  await screen.press('ctrl+o').until((shown) => /Esc back/.test(shown.text()) && /far to zanzibar/.test(shown.text()));
  // At the top, not at the end of what was said after it.
  expect([1, 2, 3].map((n) => screen.line(n)).join(' ')).toContain('far to zanzibar');
  await screen.press('esc').until(/❯ ≡/);
  screen.press('enter');
  expect(await screen.exited).toBe(0);
  expect(agent.runs()[0]?.argv.join(' ')).toContain(idOf(0));
  expect((await run(folder, 'resume', '--print', idOf(0))).stdout).toContain(idOf(0));
});

test('sub-agents and stubs are hidden in both scopes, with a count and a key (L02)', async () => {
  using folder = new AgentFolder();
  addSample(folder, { id: 'aaaa', prompt: 'the real one', at: dayOf(1) });
  for (let n = 0; n < 30; n++) {
    const lines = sessionLines({ id: idOf(n), cwd: folder.project, prompt: `task ${n}`, at: dayOf(5) });
    folder.addSession('--project--/2026-01-01T00-00-00-000Z_aaaa', `${n}-task.jsonl`, lines);
  }
  folder.addSession(
    '--project--',
    'b.jsonl',
    sessionLines({ id: 'bbbb', cwd: folder.project, prompt: '', at: dayOf(9) }).slice(0, 1),
  );
  using screen = start(folder);
  await screen.ready();
  await screen.until((shown) => /❯ the real one/.test(shown.text()) && shown.line(1).endsWith(' 1/1'));
  await screen.press('tab').until(/● All/);
  expect(screen.text()).not.toContain('task 1');
  await screen.press('alt+h').until((shown) => shown.text().includes('/32') && shown.text().includes('task 1'));
  screen.press('ctrl+c');
  expect(await screen.exited).toBe(130);
});

test('order and ages come from the entries, and looking changes nothing (M01)', async () => {
  using folder = new AgentFolder();
  const files = [1, 2, 3].map((n) => addSample(folder, { id: idOf(n), prompt: `day ${n}`, at: dayOf(n) }));
  for (const [index, file] of files.toReversed().entries())
    utimesSync(file, 1_800_000_000 + index, 1_800_000_000 + index);
  const before = snapshotFolder(folder.path);
  for (const args of [['list', '--json'], ['search', 'day'], ['index'], ['list', '--json']]) await run(folder, ...args);
  using screen = start(folder);
  await screen.ready();
  await screen.until(/day 3[\s\S]*day 2[\s\S]*day 1/);
  await screen.press('ctrl+o').until(/Answer to day 3/);
  await screen.press('esc').until(/❯ day 3/);
  screen.press('esc');
  await screen.exited;
  const { stdout } = await run(folder, 'list', '--json');
  expect(JSON.parse(stdout).sessions.map((session: { firstMessage: string }) => session.firstMessage)).toEqual([
    'day 3',
    'day 2',
    'day 1',
  ]);
  expect(snapshotFolder(folder.path)).toEqual(before);
});

test('sessions of two folders in one bucket stay apart (I01)', async () => {
  using folder = new AgentFolder();
  const cwd = path.join(folder.home, 'w', 'a-b', 'c');
  mkdirSync(cwd, { recursive: true });
  addSample(folder, { id: 'aaaa', prompt: 'mine', cwd, at: dayOf(1) });
  addSample(folder, { id: 'bbbb', prompt: 'foreign', cwd: path.join(folder.home, 'w', 'a', 'b-c'), at: dayOf(2) });
  for (let round = 0; round < 2; round++) {
    const { stdout } = await runBough(['list', '--json'], { home: folder.home, cwd });
    expect(JSON.parse(stdout).sessions.map((session: { id: string }) => session.id)).toEqual(['aaaa']);
  }
  expect(JSON.parse((await run(folder, 'list', '--json', '--all')).stdout).total).toBe(2);
});

test('a session that grows and one that appears are shown while the screen is open', async () => {
  using folder = new AgentFolder();
  const first = addSample(folder, { id: 'aaaa', prompt: 'the first', at: dayOf(1) });
  addSample(folder, { id: 'bbbb', prompt: 'the second', at: dayOf(2) });
  using screen = start(folder);
  await screen.ready();
  await screen.until(/the first/);
  await screen.press('down').until(/❯ the first/);
  addSample(folder, { id: 'cccc', prompt: 'the third', at: dayOf(3) });
  await screen.until((shown) => /the third[\s\S]*the second[\s\S]*❯ the first/.test(shown.text()));
  const said = { role: 'user', content: 'and now a marzipan question', timestamp: 1 };
  const line = { type: 'message', id: 'n1', parentId: 'a1', timestamp: dayOf(9), message: said };
  appendFileSync(first, `${JSON.stringify(line)}\n`);
  await screen.until((shown) => /❯ the first[\s\S]*the third/.test(shown.text()));
  await screen.type('marzipan').until(/❯ ≡ .*marzipan/);
  screen.press('ctrl+c');
  await screen.exited;
});

describe('search', () => {
  test('finds every branch, tells which is active, and takes nothing for syntax (Q01)', async () => {
    using folder = new AgentFolder();
    const said = (id: string, parentId: string | null, content: string): object => ({
      type: 'message',
      id,
      parentId,
      timestamp: dayOf(1),
      message: { role: 'user', content, timestamp: 1 },
    });
    const texts = [
      'fix multi-agent bug',
      "don't use C++ or foo::bar",
      'open src/session/manager.ts',
      '--error-on-warnings flag',
      '100% AND 50% NOT done',
      'a"b"c',
    ];
    const [header] = sessionLines({ id: 'aaaa', cwd: folder.project, prompt: '', at: dayOf(1) });
    const entries = texts.map((text, n) => said(`e${n}`, n === 0 ? null : 'e0', text));
    folder.addSession('--project--', 'a_aaaa.jsonl', [header ?? {}, ...entries]);
    const found = async (text: string): Promise<(string | null)[]> =>
      (await search(folder, '--', text)).hits.map(({ entryId }) => entryId).sort();
    expect(await found('multi-agent')).toEqual(['e0']);
    expect(await found("don't")).toEqual(['e1']);
    expect(await found('foo::bar')).toEqual(['e1']);
    expect(await found('src/session')).toEqual(['e2']);
    expect(await found('--error-on-warnings')).toEqual(['e3']);
    expect(await found('100%')).toEqual(['e4']);
    expect(await found('NOT done')).toEqual(['e4']);
    expect(await found('NEAR(a b)')).toEqual([]);
    expect(await found('"unbalanced')).toEqual([]);
    for (const text of ['"', '*', '(', '^', '-', ':', 'p:x', 'x'.repeat(10_000)]) await found(text);
    const { hits } = await search(folder, 'multi-agent');
    expect(hits[0]?.onActivePath).toBe(true);
    expect((await search(folder, 'warnings')).hits[0]?.onActivePath).toBe(false);
  });

  test('pictures are never searched, tool output only on request', async () => {
    using folder = new AgentFolder();
    const file = addSample(folder, { id: 'aaaa', prompt: 'see this', at: dayOf(1) });
    const image = { type: 'image', mimeType: 'image/png', data: `iVBOR${'w0KGgo'.repeat(300)}` };
    const result = { role: 'toolResult', toolCallId: 'c', toolName: 'bash', isError: false, timestamp: 1 };
    const content = [image, { type: 'text', text: 'said "quoted\\path" in the Output' }];
    const base = { type: 'message', parentId: 'a1', timestamp: dayOf(1) };
    const lines = [
      { ...base, id: 'i1', message: { role: 'user', content: [image], timestamp: 1 } },
      { ...base, id: 't1', message: { ...result, content } },
    ];
    appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect((await search(folder, 'iVBOR')).total).toBe(0);
    expect((await search(folder, '--tool-output', 'iVBOR')).total).toBe(0);
    expect((await search(folder, 'quoted\\path')).total).toBe(0);
    const { hits } = await search(folder, '--tool-output', '"quoted\\path"', 'output');
    expect(hits.map(({ entryId }) => entryId)).toEqual(['t1']);
  });

  test('a catalog that is damaged, foreign or in the way is no matter', async () => {
    using folder = new AgentFolder();
    addSample(folder, { id: 'aaaa', prompt: 'find me', at: dayOf(1) });
    const cache = path.join(folder.home, '.cache', 'bough');
    const catalog = path.join(cache, 'catalog.db');
    expect((await search(folder, 'answer')).total).toBe(1);
    expect(statSync(cache).mode & 0o777).toBe(0o700);
    expect(statSync(catalog).mode & 0o777).toBe(0o600);
    for (const bytes of [Buffer.from('no database at all, but some text'.repeat(200)), Buffer.alloc(8192, 1)]) {
      writeFileSync(catalog, bytes);
      expect((await search(folder, 'answer')).total).toBe(1);
      expect((await search(folder, 'answer')).total).toBe(1);
    }
  });

  test.each(["row = '{damaged'", "calls = x'00'"])('nor is one whose %s', async (damage) => {
    using folder = new AgentFolder();
    const file = addSample(folder, { id: 'aaaa', prompt: 'find me', at: dayOf(1) });
    expect((await search(folder, 'answer')).total).toBe(1);
    const db = new DatabaseSync(path.join(folder.home, '.cache', 'bough', 'catalog.db'));
    db.exec(`UPDATE files SET ${damage}`);
    db.close();
    // A fork, so that the figures of both are looked at.
    const header = { type: 'session', version: 3, id: 'bbbb', timestamp: dayOf(2), cwd: folder.project };
    folder.addSession('--p--', 'b.jsonl', [{ ...header, parentSession: file }]);
    const { status, stdout } = await run(folder, 'list', '--json', '--all', '--hidden');
    expect({ status, total: JSON.parse(stdout).total }).toEqual({ status: 0, total: 2 });
  });
});
