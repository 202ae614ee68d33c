import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { XCSH_SCHEMA } from '../session/history-helpers.ts';
import { AgentFolder, snapshotFolder } from './agent-folder.ts';
import { BOUGH, runBough } from './environment.ts';
import { addSample } from './sample-sessions.ts';
import { checkScreen, checkTerminalRestored, Screen } from './screen.ts';

const AT = '2026-03-03T10:00:00.000Z';

interface Stored {
  readonly prompt: string;
  readonly at?: string;
  readonly cwd?: string;
}

function store(file: string, prompts: readonly Stored[]): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA journal_mode=WAL; ${XCSH_SCHEMA}`);
  const insert = db.prepare('INSERT INTO history(prompt, created_at, cwd) VALUES (?, ?, ?)');
  for (const { prompt, at = AT, cwd } of prompts) insert.run(prompt, Date.parse(at) / 1000, cwd ?? null);
  db.close();
}

/** An agent's folder with a history of three prompts, one of them in a session. */
function folderOfThree(): AgentFolder {
  const folder = new AgentFolder();
  addSample(folder, { id: '00000000000000a1', prompt: 'mend the parser', at: AT }, Date.parse(AT));
  store(path.join(folder.path, 'history.db'), [
    { prompt: 'an older prompt', at: '2026-03-01T10:00:00.000Z', cwd: '/elsewhere' },
    { prompt: 'mend the parser', at: '2026-03-02T10:00:00.000Z', cwd: folder.project },
    { prompt: 'mend the parser', cwd: folder.project },
  ]);
  return folder;
}

function start(folder: AgentFolder, args: readonly string[] = ['history']): Screen {
  return Screen.start(args, { cols: 100, rows: 24, env: { HOME: folder.home }, cwd: folder.project });
}

function run(folder: AgentFolder, ...args: string[]) {
  return runBough(args, { home: folder.home, cwd: folder.project });
}

async function json(folder: AgentFolder, ...args: string[]) {
  const { stdout, stderr, status } = await run(folder, 'history', '--json', ...args);
  expect(`${status} ${stderr}`).toBe('0 ');
  return JSON.parse(stdout);
}

describe('the screen', () => {
  test('finds a prompt by typing, opens its session, comes back, and prints it', async () => {
    using folder = folderOfThree();
    const before = snapshotFolder(folder.path);
    using screen = start(folder);
    await screen.ready();
    await screen.until(/❯ mend the parser .*×2.*older prompt/s);
    await screen.type('arser').until((shown) => !shown.text().includes('an older'));
    checkScreen(screen);
    await screen.press('ctrl+o').until(/❯ You ← this prompt.*Answer to mend the parser/s);
    checkScreen(screen);
    await screen.press('esc').until(/1\/1/);
    screen.press('enter');
    expect(await screen.exited).toBe(0);
    checkTerminalRestored(screen);
    expect(screen.text().trim()).toBe('mend the parser');
    expect(snapshotFolder(folder.path)).toEqual(before);
  });

  test('goes from everywhere to this folder and back', async () => {
    using folder = folderOfThree();
    using screen = start(folder);
    await screen.ready();
    await screen.until('an older prompt');
    await screen.press('tab').until((shown) => !shown.text().includes('an older') && shown.text().includes('mend'));
    await screen.press('tab').until('an older prompt');
  });

  test('in $(…) the prompt is on stdout exactly, the screen on the terminal', async () => {
    using folder = new AgentFolder();
    const prompt = 'first line\n\n\tsecond \u001b[31mline\u0007 é 日本';
    store(path.join(folder.path, 'history.db'), [{ prompt }]);
    const out = path.join(folder.project, 'out');
    const command = `'${process.execPath}' '${BOUGH}' history > '${out}'`;
    using screen = Screen.run('/bin/sh', ['-c', command], { env: { HOME: folder.home }, cwd: folder.project });
    await screen.ready();
    await screen.until(/❯ first line second line/);
    screen.press('enter');
    expect(await screen.exited).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe(`${prompt}\n`);
    expect(screen.raw).not.toContain('\u001b[31mline');
  });

  test('on a terminal no stored control character reaches it (X01)', async () => {
    using folder = new AgentFolder();
    store(path.join(folder.path, 'history.db'), [{ prompt: 'a\u001b]52;c;cHduZWQ=\u0007b\u001b[2Jc\u009b31m' }]);
    using screen = start(folder);
    await screen.ready();
    await screen.until('abc');
    screen.press('enter');
    expect(await screen.exited).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be sent
    expect(screen.raw).not.toMatch(/\u001b\]52|\u0007|\u009b/);
    checkTerminalRestored(screen);
  });

  test.each([
    ['Esc', (screen: Screen) => screen.press('esc'), 1],
    ['Ctrl+C', (screen: Screen) => screen.press('ctrl+c'), 130],
    ['SIGTERM', (screen: Screen) => screen.kill('SIGTERM'), 143],
  ])('%s leaves the terminal as it was, and prints nothing', async (_name, leave, status) => {
    using folder = folderOfThree();
    using screen = start(folder);
    await screen.ready();
    await screen.until(/❯ mend the parser/);
    leave(screen);
    expect(await screen.exited).toBe(status);
    checkTerminalRestored(screen);
    expect(screen.text().trim()).toBe('');
  });

  test('without any history it says where it looked', async () => {
    using folder = new AgentFolder();
    using screen = start(folder);
    await screen.until(/No agent has kept a prompt history.*history\.db.*history import/s);
  });
});

/** Another process that holds a database exclusively, so that nobody can read it, until its input ends. */
async function hold(file: string): Promise<ChildProcess> {
  const script = `
    const { DatabaseSync } = require('node:sqlite');
    const db = new DatabaseSync(process.argv[1], { timeout: 5000 });
    db.exec('PRAGMA journal_mode=DELETE; BEGIN EXCLUSIVE');
    console.log('held');
    process.stdin.on('end', () => { db.exec('COMMIT'); db.close(); }).resume();`;
  const child = spawn(process.execPath, ['-e', script, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout!, 'data');
  return child;
}

describe('a database that another process holds exclusively (D01)', () => {
  test('the screen opens, answers keys, shows the others, and takes it in when it is free', async () => {
    using folder = folderOfThree();
    store(path.join(folder.home, '.omp', 'agent', 'history.db'), [{ prompt: 'of another agent' }]);
    const holder = await hold(path.join(folder.path, 'history.db'));
    using screen = start(folder);
    await screen.ready();
    await screen.until(/! the prompt history .*locked/);
    await screen.until(/❯ of another agent/);
    await screen.type('an').until(/❯ an /);
    await screen.press('f1').until('Keys');
    await screen.press('esc').until(/❯ of another agent/);
    holder.stdin?.end();
    await once(holder, 'exit');
    let typed = 'an';
    await screen.until((shown) => {
      if (/an older prompt/.test(shown.text())) return true;
      // Any other text asks anew.
      if (shown.text().includes(`❯ ${typed} `) && !shown.line(1).includes('…')) {
        shown.type(typed === 'an' ? ' o' : '\u007f\u007f');
        typed = typed === 'an' ? 'an o' : 'an';
      }
      return false;
    });
    await screen.press('esc').until((shown) => shown.text().includes('mend the parser'));
  });

  test('the command tells it on stderr and gives the rest', async () => {
    using folder = folderOfThree();
    store(path.join(folder.home, '.omp', 'agent', 'history.db'), [{ prompt: 'of another agent' }]);
    await hold(path.join(folder.path, 'history.db'));
    const { stdout, stderr, status } = await run(folder, 'history', '--json');
    expect(status).toBe(0);
    expect(stderr).toMatch(/^bough: the prompt history .*locked by another process\n$/);
    expect(JSON.parse(stdout)).toMatchObject({ total: 1, prompts: [{ id: 'omp:1', prompt: 'of another agent' }] });
  });
});

describe('history --json', () => {
  test('gives each prompt with its count and the sessions where it was sent', async () => {
    using folder = folderOfThree();
    const session = path.join(
      folder.path,
      'sessions',
      '--project--',
      '2026-01-01T00-00-00-000Z_00000000000000a1.jsonl',
    );
    expect(await json(folder)).toEqual({
      version: 1,
      total: 2,
      prompts: [
        {
          id: 'xcsh:3',
          prompt: 'mend the parser',
          created_at: Date.parse(AT) / 1000,
          cwd: folder.project,
          count: 2,
          sessions: [{ path: session, id: '00000000000000a1', entryId: 'u1' }],
        },
        {
          id: 'xcsh:1',
          prompt: 'an older prompt',
          created_at: Date.parse('2026-03-01T10:00:00.000Z') / 1000,
          cwd: '/elsewhere',
          count: 1,
          sessions: [],
        },
      ],
    });
  });

  test('is narrowed by words, folder and limit, with the total of all', async () => {
    using folder = folderOfThree();
    expect(await json(folder, 'older')).toMatchObject({ total: 1, prompts: [{ prompt: 'an older prompt' }] });
    expect(await json(folder, '--cwd', '.')).toMatchObject({ total: 1, prompts: [{ prompt: 'mend the parser' }] });
    const limited = await json(folder, '--limit', '1');
    expect([limited.total, limited.prompts.length]).toEqual([2, 1]);
  });

  test('a word that is a command is text behind search and behind --', async () => {
    using folder = new AgentFolder();
    store(path.join(folder.path, 'history.db'), [{ prompt: 'rm the old files' }]);
    expect(await json(folder, 'search', 'rm')).toMatchObject({ total: 1 });
    expect(await json(folder, '--', 'rm')).toMatchObject({ total: 1 });
    expect((await run(folder, 'history', 'search', 'old', 'files', '--json')).stdout).toContain('rm the old files');
  });

  test('control characters are escaped', async () => {
    using folder = new AgentFolder();
    store(path.join(folder.path, 'history.db'), [{ prompt: 'a\u001b[31m\u009bb' }]);
    const { stdout } = await run(folder, 'history', '--json');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(JSON.parse(stdout).prompts[0].prompt).toBe('a\u001b[31m\u009bb');
  });

  test('no query is an error (Q01)', async () => {
    using folder = new AgentFolder();
    const prompts = ['fix multi-agent bug', "don't use C++ or foo::bar", '--error-on-warnings flag', 'a"b"c'];
    store(
      path.join(folder.path, 'history.db'),
      prompts.map((prompt) => ({ prompt })),
    );
    const known: [string, number][] = [
      ['multi-agent', 1],
      ["don't", 1],
      ['foo::bar', 1],
      ['--error-on-warnings', 1],
      ['"', 1],
      ['*', 0],
      ['(', 0],
      ['^', 0],
      ['NEAR(a b)', 0],
      ['p:x', 0],
      ['"unbalanced', 0],
      ['x'.repeat(10_000), 0],
      ['AND', 0],
      ['NOT bug', 0],
    ];
    for (const [query, total] of known) expect(await json(folder, '--', query), query).toMatchObject({ total });
    // An argument cannot hold a NUL; the machine's own tests ask for one.
    const anyQuery = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((query) => !query.includes('\0'));
    for (const query of fc.sample(anyQuery, 12)) await json(folder, '--', query);
  }, 120_000);

  test('without a terminal the screen names its twin', async () => {
    using folder = folderOfThree();
    for (const args of [['history'], ['history', 'mend'], ['history', 'search', 'mend']]) {
      const { status, stdout, stderr } = await run(folder, ...args);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toContain('bough history --json');
    }
  });
});

describe('what changes a history', () => {
  test('add, import and rm, from the first prompt to the last', async () => {
    using folder = folderOfThree();
    using pi = new AgentFolder('pi');
    addSample(pi, { id: '00000000000000b2', prompt: 'said to pi', at: AT });
    const all = (...args: string[]) =>
      run(folder, '--agent-dir', folder.path, '--agent-dir', pi.path, 'history', ...args);
    expect((await all('import')).stderr).toMatch(/1 prompt imported from 1 session, 0 known already/);
    expect((await all('import')).stderr).toMatch(/0 prompts imported from 1 session, 1 known already/);
    expect((await all('add', 'brand', 'new')).stderr).toContain(path.join(folder.path, 'history.db'));
    const list = async (): Promise<string[]> =>
      JSON.parse((await all('--json')).stdout).prompts.map(({ prompt }: { prompt: string }) => prompt);
    expect(await list()).toEqual(['brand new', 'mend the parser', 'said to pi', 'an older prompt']);

    const refused = await all('rm', 'parser');
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringMatching(/mend the parser \(2 times\).*--yes/s)]);
    const removed = await all('rm', 'parser', '--yes');
    expect(removed.status).toBe(0);
    expect(removed.stderr).toMatch(/removed 2 rows.*still stands in 1 session file/s);
    expect((await all('rm', 'bough:1', '--yes')).stderr).toContain('said to pi');
    expect((await all('import')).stderr).toMatch(/0 prompts imported .* 1 left out because you removed them/);
    expect(await list()).toEqual(['brand new', 'an older prompt']);
    expect((await all('rm', 'nothing like it', '--yes')).status).toBe(3);
    expect((await all('rm', 'xcsh:99', '--yes')).status).toBe(3);
    expect((await all('rm', '--yes')).status).toBe(2);
    expect((await all('add', ' ')).status).toBe(2);
    expect(existsSync(path.join(pi.path, 'history.db'))).toBe(false);
  });

  test('on a terminal rm shows what would go, and asks', async () => {
    using folder = folderOfThree();
    using no = start(folder, ['history', 'rm', 'parser']);
    await no.until('Remove them? This cannot be undone. [y/N]');
    expect(no.text()).toContain('mend the parser (2 times)');
    no.type('n\r');
    expect(await no.exited).toBe(0);
    expect((await json(folder)).total).toBe(2);
    using yes = start(folder, ['history', 'rm', 'parser']);
    await yes.until('[y/N]');
    yes.type('y\r');
    expect(await yes.exited).toBe(0);
    expect((await json(folder)).total).toBe(1);
  });
});

describe('completion', () => {
  const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

  test.each(['bash', 'zsh', 'fish'])('the script for %s is well formed', async (shell) => {
    using folder = new AgentFolder();
    const { stdout, status } = await run(folder, 'completion', shell);
    expect(status).toBe(0);
    for (const word of ['list', 'history', 'import', 'completion', 'Alt+J']) expect(stdout).toContain(word);
    if (!isInstalled(shell)) return;
    const checked = spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' });
    expect([checked.status, checked.stderr]).toEqual([0, '']);
  });

  test('another shell is refused, and the known ones are named', async () => {
    using folder = new AgentFolder();
    const { status, stderr } = await run(folder, 'completion', 'tcsh');
    expect(status).toBe(2);
    expect(stderr).toContain('bash, zsh, fish');
  });

  test.runIf(isInstalled('bash'))('bash completes, and its key puts a prompt on the line as one word', async () => {
    using folder = new AgentFolder();
    const prompt = 'don\'t\nrun $(touch pwned); `this` "please"';
    store(path.join(folder.path, 'history.db'), [{ prompt }, { prompt: 'the newest', at: '2026-03-04T10:00:00.000Z' }]);
    const bin = path.join(folder.home, 'bin');
    mkdirSync(bin);
    writeFileSync(path.join(bin, 'bough'), `#!/bin/sh\nexec '${process.execPath}' '${BOUGH}' "$@"\n`);
    chmodSync(path.join(bin, 'bough'), 0o755);
    using shell = Screen.run('bash', ['--noprofile', '--norc', '-i'], {
      cols: 100,
      env: { HOME: folder.home, PATH: `${bin}:${process.env['PATH']}`, PS1: '> ' },
      cwd: folder.project,
    });
    await shell.until('> ');
    await shell.type('eval "$(bough completion bash)"; echo rea""dy\r').until('\nready');
    await shell.type('bough histo\t').until('bough history ');
    await shell.type('im\t').until('bough history import ');
    await shell.press('ctrl+u').until((screen) => !screen.text().includes('history import'));
    await shell.type("printf '<%s>\\n' ").until('printf');
    shell.press('alt+j');
    await shell.until((screen) => screen.modes.alternateScreen && screen.text().includes('the newest'));
    await shell.type('touch').until((screen) => !screen.text().includes('the newest'));
    shell.press('enter');
    await shell.until((screen) => !screen.modes.alternateScreen && screen.text().includes('touch pwned'));
    await shell.press('enter').until('<don\'t\nrun $(touch pwned); `this` "please">');
    expect(existsSync(path.join(folder.project, 'pwned'))).toBe(false);
  });
});
