import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { AgentFolder, snapshotFolder } from './agent-folder.ts';
import { BOUGH, cleanEnvironment, ROOT, runBough } from './environment.ts';
import { addSample, sessionLines } from './sample-sessions.ts';

const REAL = [
  '01-pi-v1-glued-line-compaction.jsonl',
  '02-pi-v1-glued-last-line-images.jsonl',
  '03-gjc-v3-blobrefs-badline-orphan-compaction.jsonl',
  '05-gjc-v3-badline-orphan.jsonl',
  '06-kimchi-v3-custom-entries.jsonl',
  '08-pi-v3-linear-chinese.jsonl',
  '12-fixture-pi-v3-branch-label-unknown-type.jsonl',
  '14-fixture-omp-title-slot-first-line-branch.jsonl',
] as const;

function realFolder(): AgentFolder {
  const folder = new AgentFolder('xcsh');
  for (const name of REAL) folder.addFixture(name);
  return folder;
}

function run(folder: AgentFolder, ...args: string[]) {
  return runBough(args, { home: folder.home, cwd: folder.project });
}

async function json(folder: AgentFolder, ...args: string[]) {
  const { stdout, stderr, status } = await run(folder, ...args, '--json');
  expect(`${status} ${stderr}`).toMatch(/^0/);
  return JSON.parse(stdout);
}

describe('real files', () => {
  test('are all listed, in the order of their last real entries', async () => {
    using folder = realFolder();
    const { total, sessions } = await json(folder, 'list', '--all');
    expect(total).toBe(8);
    const numbers = sessions.map((session: { path: string }) => path.basename(session.path).slice(0, 2));
    expect(numbers).toEqual(['03', '05', '06', '08', '14', '02', '01', '12']);
    const damaged = sessions.map((session: { damagedLines: number }) => session.damagedLines);
    expect(damaged).toEqual([1, 1, 0, 0, 0, 0, 0, 0]);
  });

  test.each([
    [REAL[0], 463, []],
    [REAL[1], 1013, []],
    [REAL[2], 586, [31]],
    [REAL[3], 194, [118]],
    [REAL[4], 111, []],
    [REAL[5], 341, []],
    [REAL[6], 17, []],
    [REAL[7], 8, []],
  ])('%s has %i entries in its tree, damage in place', async (name, entries, damagedLines) => {
    using folder = realFolder();
    const file = folder.addFixture(name);
    const { nodes, damage, leafId } = await json(folder, 'tree', file);
    expect(nodes).toHaveLength(entries);
    expect(new Set(nodes.map((node: { id: string }) => node.id)).size).toBe(entries);
    expect(damage.map(({ line }: { line: number }) => line)).toEqual(damagedLines);
    const marked = nodes.filter((node: { mark: string | null }) => node.mark !== null);
    expect(marked.map((node: { mark: string; line: number }) => [node.mark, node.line])).toEqual(
      damagedLines.map((line) => ['damaged', line]),
    );
    expect(nodes.some((node: { id: string; active: boolean }) => node.id === leafId && node.active)).toBe(true);
  });

  test('two values glued on a line are two entries of that line', async () => {
    using folder = realFolder();
    const { nodes } = await json(folder, 'tree', folder.addFixture(REAL[0]));
    const glued = nodes.filter((node: { line: number }) => node.line === 440);
    expect(glued.map((node: { role: string }) => node.role)).toEqual(['assistant', 'user']);
    expect(glued[1].parentId).toBe(glued[0].id);
  });

  test('what hangs from a damaged line is shown in its place', async () => {
    using folder = realFolder();
    const { nodes } = await json(folder, 'tree', folder.addFixture(REAL[3]));
    const damaged = nodes.find((node: { mark: string }) => node.mark === 'damaged');
    const child = nodes.find((node: { parentId: string }) => node.parentId === damaged.id);
    expect(child).toMatchObject({ mark: null, depth: damaged.depth + 1, active: true });
  });

  test.each([REAL[0], REAL[1]])('%s, which has no ids, gets the same ones at every run', async (name) => {
    using folder = realFolder();
    const file = folder.addFixture(name);
    const first = await json(folder, 'tree', file);
    const second = await json(folder, 'tree', file);
    expect(first.nodes.map((node: { id: string }) => node.id)).toEqual(
      second.nodes.map((node: { id: string }) => node.id),
    );
    expect(first.nodes[0].id).toMatch(/^[0-9a-f]{8}$/);
  });

  test("the header on omp's second line is found", async () => {
    using folder = realFolder();
    const { session } = await json(folder, 'tree', folder.addFixture(REAL[7]));
    expect(session).toMatchObject({ id: 'omp_session_custom_id', cwd: '/tmp/omp-project', title: 'OMP fixture title' });
  });

  test('no command changes a byte, an mtime or a folder', async () => {
    using folder = realFolder();
    const before = snapshotFolder(folder.home);
    await run(folder, 'list', '--all');
    await run(folder, 'list', '--all', '--json');
    for (const name of REAL) {
      const file = path.join(folder.path, 'sessions', '--fixtures--', name);
      for (const command of ['show', 'context']) await run(folder, command, file);
      await run(folder, 'tree', file, '--json');
    }
    await run(folder, 'resume', '--print');
    const after = snapshotFolder(folder.home);
    const ours = /^\.cache(\/|$)/;
    const kept = Object.entries(after).filter(([name]) => !ours.test(name));
    const wanted = Object.entries(before);
    // The compile cache makes ~/.cache, which touches the home folder itself and nothing else.
    expect(kept.filter(([name]) => name !== '.')).toEqual(wanted.filter(([name]) => name !== '.'));
  });
});

describe('list', () => {
  test('tells age and order by the last real entry, not by the file (M01)', async () => {
    using folder = new AgentFolder();
    const day = (n: number) => `2026-03-0${n}T12:00:00.000Z`;
    for (const n of [3, 1, 2])
      addSample(folder, { id: `000000000000000${n}`, prompt: `day ${n}`, at: day(n) }, Date.UTC(2026, 5, 9 - n));
    const { sessions } = await json(folder, 'list');
    expect(sessions.map((session: { firstMessage: string }) => session.firstMessage)).toEqual([
      'day 3',
      'day 2',
      'day 1',
    ]);
    expect(sessions[0].modified).toBe(Date.parse(day(3)));
  });

  test('shows this folder only, and every folder with --all (I01)', async () => {
    using folder = new AgentFolder();
    addSample(folder, { id: '0000000000000001', prompt: 'here', at: '2026-03-01T00:00:00.000Z' });
    addSample(folder, { id: '0000000000000002', prompt: 'elsewhere', cwd: '/w/a-b', at: '2026-03-02T00:00:00.000Z' });
    const prompts = async (...args: string[]) =>
      (await json(folder, 'list', ...args)).sessions.map((session: { firstMessage: string }) => session.firstMessage);
    expect(await prompts()).toEqual(['here']);
    expect(await prompts('--all')).toEqual(['elsewhere', 'here']);
  });

  test('shows every folder, and says so, where this one has no session', async () => {
    using folder = new AgentFolder();
    addSample(folder, { id: '0000000000000001', prompt: 'elsewhere', cwd: '/w', at: '2026-03-01T00:00:00.000Z' });
    const { stdout, stderr } = await run(folder, 'list');
    expect(stdout).toContain('elsewhere');
    expect(stderr).toContain('listing every folder');
  });

  test('hides sub-agents and stubs with a count, never damaged files (L02)', async () => {
    using folder = new AgentFolder();
    const real = addSample(folder, { id: '0000000000000001', prompt: 'real', at: '2026-03-01T00:00:00.000Z' });
    const nested = path.join('--project--', path.basename(real, '.jsonl'));
    const sub = sessionLines({ id: 'sub', cwd: folder.project, prompt: 'task', at: '2026-03-02T00:00:00.000Z' });
    folder.addSession(nested, '0-Task.jsonl', sub);
    folder.addSession('--project--', 'stub.jsonl', sub.slice(0, 1));
    folder.addSession('--project--', 'broken.jsonl', '{broken header\n');
    const { stdout, stderr } = await run(folder, 'list', '--all');
    expect(stdout).toContain('real');
    expect(stdout).toContain('(no session header) broken.jsonl');
    expect(stdout).not.toContain('task');
    expect(stderr).toContain('2 sub-agent and empty sessions are hidden');
    expect((await json(folder, 'list', '--all', '--hidden')).total).toBe(4);
  });

  test('NULs, garbage and a torn end hide nothing behind them, and stay as they are (R01)', async () => {
    using folder = new AgentFolder();
    const at = '2026-03-01T00:00:00.000Z';
    const [header] = sessionLines({ id: 'damaged', cwd: folder.project, prompt: '', at });
    const entry = (id: string, parentId: string | null): string =>
      JSON.stringify({ type: 'message', id, parentId, timestamp: at, message: { role: 'user', content: `say ${id}` } });
    const whole = [JSON.stringify(header), entry('m1', null), entry('m2', 'm1'), '\0'.repeat(500), entry('m3', 'm2')];
    const text = [...whole, '{not json', entry('m4', 'lost'), entry('m5', 'm4').slice(0, 60)].join('\n');
    const file = folder.addSession('--p--', 'damaged.jsonl', text);
    const before = snapshotFolder(folder.path);
    expect((await json(folder, 'list')).sessions).toMatchObject([{ damagedLines: 3, messageCount: 4 }]);
    const { nodes, damage } = await json(folder, 'tree', file);
    const shown = nodes.filter(({ type }: { type: string }) => type === 'message');
    expect(shown.map(({ id, mark }: { id: string; mark: string | null }) => [id, mark])).toEqual([
      ['m4', 'orphan'],
      ['m1', null],
      ['m2', null],
      ['m3', null],
    ]);
    expect(damage).toHaveLength(3);
    expect(snapshotFolder(folder.path)).toEqual(before);
  });

  test('with a limit reads no more files than it must, and tells the same', async () => {
    using folder = new AgentFolder();
    const generator = path.join(ROOT, 'bench', 'make-corpus.mjs');
    const shape = ['--sessions', '60', '--projects', '3', '--mean-kb', '8', '--median-kb', '5', '--malformed', '0.3'];
    execFileSync(process.execPath, [generator, '--out', folder.path, ...shape], { stdio: 'ignore' });
    const [oldest] = (await json(folder, 'list', '--all')).sessions.slice(-1);
    // A fork that costs nothing of its own, at the top of the list.
    const fork = { type: 'session', version: 3, id: 'fork', timestamp: '2030-01-01T00:00:00.000Z', cwd: '/w' };
    const copied = readFileSync(oldest.path, 'utf8').split('\n').slice(1).join('\n');
    folder.addSession('--w--', 'fork.jsonl', `${JSON.stringify({ ...fork, parentSession: oldest.path })}\n${copied}`);
    // Shown for its damage, though it has no prompt.
    folder.addSession('--w--', 'stub.jsonl', `${JSON.stringify({ ...fork, id: 'stub' })}\n{torn\n`);
    // Last worked on long before its last line, as its tail does not tell.
    const labels = Array.from({ length: 100 }, (_, n) => {
      return { type: 'label', id: `l${n}`, parentId: 'a1', timestamp: '2031-01-01T00:00:00.000Z', targetId: 'u1' };
    });
    const labelled = sessionLines({ id: 'labelled', cwd: '/w', prompt: 'labelled', at: '2029-01-01T00:00:00.000Z' });
    const begun = { ...labelled[0], timestamp: '2001-01-01T00:00:00.000Z' };
    folder.addSession('--w--', 'labelled.jsonl', [begun, ...labelled.slice(1), ...labels]);
    for (const sort of ['recent', 'created', 'size', 'cost']) {
      const all = await json(folder, 'list', '--all', '--sort', sort);
      for (const limit of [1, 7, 100]) {
        const cache = path.join(folder.home, `${sort}${limit}`);
        const args = ['list', '--all', '--json', '--sort', sort, '--limit', String(limit)];
        const { stdout } = await runBough(args, { home: folder.home, env: { XDG_CACHE_HOME: cache } });
        expect(JSON.parse(stdout)).toEqual({ ...all, sessions: all.sessions.slice(0, limit) });
        const db = new DatabaseSync(path.join(cache, 'bough', 'catalog.db'), { readOnly: true });
        const read = Number(db.prepare('SELECT count(*) AS n FROM files').get()?.['n']);
        db.close();
        expect(read < all.total / 2).toBe(sort !== 'cost' && limit < 10);
      }
    }
  });

  test('an unidentified file has id null and is listed with its damage (R02)', async () => {
    using folder = new AgentFolder();
    const [, message] = sessionLines({ id: 'x', cwd: '/w', prompt: 'lost', at: '2026-03-01T00:00:00.000Z' });
    folder.addSession('--project--', 'torn.jsonl', `{broken header\n${JSON.stringify(message)}\n`);
    const { sessions } = await json(folder, 'list', '--all');
    expect(sessions).toMatchObject([{ id: null, firstMessage: 'lost', damagedLines: 1, entryCount: 1 }]);
  });

  test('searches, and says when nothing matches', async () => {
    using folder = new AgentFolder();
    addSample(folder, { id: '0000000000000001', prompt: 'fix the parser', at: '2026-03-01T00:00:00.000Z' });
    addSample(folder, { id: '0000000000000002', prompt: 'write docs', at: '2026-03-02T00:00:00.000Z' });
    expect((await json(folder, 'list', 'parser')).total).toBe(1);
    const { stdout, stderr, status } = await run(folder, 'list', 'zzzzqqq');
    expect([stdout, status]).toEqual(['', 0]);
    expect(stderr).toContain('no session matches "zzzzqqq"');
  });

  test('escapes never reach stdout, as table or as JSON (X01)', async () => {
    using folder = new AgentFolder();
    const title = '\u001b]52;c;cHduZWQ=\u0007\u001b[2Jx\u009b31m\u007f';
    addSample(folder, {
      id: '0000000000000001',
      prompt: 'l1\rl2\b\b',
      title,
      cwd: '/w/\u001b[31m',
      at: '2026-03-01T00:00:00.000Z',
    });
    for (const args of [
      ['list', '--all'],
      ['list', '--all', '--json'],
      ['show', '0000'],
      ['tree', '0000', '--json'],
    ]) {
      const { stdout } = await run(folder, ...args);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    }
    expect((await json(folder, 'list', '--all')).sessions[0].title).toBe(title);
  });

  test('a folder that is no agent folder is an error with its name', async () => {
    using folder = new AgentFolder();
    const { stderr, status } = await run(folder, 'list', '--agent-dir', '/nowhere/at/all');
    expect([status, stderr]).toEqual([3, expect.stringContaining('/nowhere/at/all')]);
  });

  test('a file that is a link to nowhere is listed with the reason', async () => {
    using folder = new AgentFolder();
    const real = addSample(folder, { id: '0000000000000001', prompt: 'real', at: '2026-03-01T00:00:00.000Z' });
    symlinkSync('/nowhere', path.join(path.dirname(real), 'gone.jsonl'));
    expect((await run(folder, 'list', '--all')).stdout).toContain('(unreadable)');
  });
});

describe('a target', () => {
  function folderOfTwo(): AgentFolder {
    const folder = new AgentFolder();
    addSample(folder, { id: '01a05e1000000000', prompt: 'first', at: '2026-03-01T00:00:00.000Z' });
    addSample(folder, { id: '01a05e1100000000', prompt: 'second', at: '2026-03-02T00:00:00.000Z' });
    return folder;
  }

  test.each([
    ['a prefix of two lists both', '01a05e', 4, ['01a05e1000000000', '01a05e1100000000', 'first']],
    ['an empty one is an error', '', 2, ['empty string']],
    [
      'an unknown one is an error with near matches',
      '01a05f',
      3,
      ['no session "01a05f"', 'near it', '01a05e1000000000'],
    ],
    ['a path that is not there is an error', './nope.jsonl', 3, ['no file at']],
  ])('%s (C02)', async (_name, target, wanted, parts) => {
    using folder = folderOfTwo();
    const before = snapshotFolder(folder.path);
    const { status, stderr, stdout } = await run(folder, 'show', target);
    expect([status, stdout]).toEqual([wanted, '']);
    for (const part of parts) expect(stderr).toContain(part);
    expect(snapshotFolder(folder.path)).toEqual(before);
  });

  test.each(['01a05e10', '01A05E1000000000', '2026-01-01T00-00-00-000Z_01a05e10'])('%s means one', async (target) => {
    using folder = folderOfTwo();
    expect((await json(folder, 'show', target)).session.id).toBe('01a05e1000000000');
  });

  test('an entry is found by id and by line, and an unknown one is an error', async () => {
    using folder = folderOfTwo();
    expect((await json(folder, 'show', '01a05e10', '--entry', 'u1')).items).toHaveLength(1);
    expect((await json(folder, 'show', '01a05e10', '--entry', '#3')).entryId).toBe('a1');
    expect((await run(folder, 'show', '01a05e10', '--entry', 'nope')).status).toBe(3);
  });
});

describe('without a terminal (E01)', () => {
  test('bare bough lists', async () => {
    using folder = new AgentFolder();
    addSample(folder, { id: '0000000000000001', prompt: 'the only one', at: '2026-03-01T00:00:00.000Z' });
    const { status, stdout } = await runBough([], { home: folder.home, cwd: folder.project, input: 'x' });
    expect([status, stdout]).toEqual([0, expect.stringContaining('the only one')]);
  });

  test('pick ends at once and names the alternative', async () => {
    using folder = new AgentFolder();
    const { status, stdout, stderr } = await run(folder, 'pick');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('bough list --json');
  });

  test('no session at all is explained, and the demo offered', async () => {
    using folder = new AgentFolder();
    const { stderr, status } = await runBough(['list'], {
      home: path.join(folder.home, 'nobody'),
      cwd: folder.project,
    });
    expect([status, stderr]).toEqual([0, expect.stringContaining('bough --demo')]);
  });

  test('a usage error is one line and status 2', async () => {
    using folder = new AgentFolder();
    const { status, stderr } = await run(folder, 'list', '--bogus');
    expect([status, stderr]).toEqual([2, "bough: unknown option '--bogus'\n"]);
  });
});

describe('context', () => {
  test('is what the model would see, pictures without their payload', async () => {
    using folder = realFolder();
    const { messages, models } = await json(folder, 'context', folder.addFixture(REAL[6]));
    expect(messages.map(({ message }: { message: { role: string } }) => message.role)).toEqual([
      'compactionSummary',
      'assistant',
      'branchSummary',
      'toolResult',
      'bashExecution',
      'custom',
      'custom',
    ]);
    expect(models).toEqual({ default: 'openai/gpt-5' });
    expect(JSON.stringify(messages)).not.toContain('BASE64_SECRET');
  });

  test('at a root is that entry alone', async () => {
    using folder = realFolder();
    const { messages } = await json(folder, 'context', folder.addFixture(REAL[6]), '--entry', 'u1');
    expect(messages).toHaveLength(1);
  });
});

test('the demo has sessions of its own and needs nothing', async () => {
  using folder = new AgentFolder();
  const { sessions } = await json(folder, 'list', '--demo', '--all');
  expect(sessions.length).toBeGreaterThan(8);
  expect(new Set(sessions.map((session: { agent: string }) => session.agent))).toEqual(new Set(['xcsh', 'omp', 'pi']));
});

test('a reader that has seen enough ends the program quietly', () => {
  using folder = realFolder();
  const command = `set -o pipefail; "$0" "$1" tree "$2" --json | head -c 10 >/dev/null`;
  const { status, stderr } = spawnSync('bash', ['-c', command, process.execPath, BOUGH, folder.addFixture(REAL[1])], {
    encoding: 'utf8',
    env: cleanEnvironment(folder.home),
  });
  expect([status, stderr]).toEqual([0, '']);
});
