import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { transformSync } from 'esbuild';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { cleanEnvironment, ROOT, TemporaryFolder } from './environment.ts';
import { Screen } from './screen.ts';

interface Runtime {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly isSupported: boolean;
}

const PINNED = realpathSync(path.join(ROOT, 'node_modules', 'node', 'bin', 'node'));

/** Every Node on this machine's PATH and in the usual places, each once. */
function runtimesOfThisMachine(): Runtime[] {
  const places = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/bin', '/usr/local/bin', '/opt/node/bin'];
  const candidates = [PINNED, ...places.map((folder) => path.join(folder, 'node'))].filter((file) => existsSync(file));
  return [...new Set(candidates.map((file) => realpathSync(file)))].map((file) => {
    const version = execFileSync(file, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
    const [major = 0, minor = 0] = version.split('.').map(Number);
    return { name: `Node ${version}`, command: [file], isSupported: major >= 24 || (major === 22 && minor >= 16) };
  });
}

const WAIT = { timeout: 20_000, interval: 10 };

const folders: TemporaryFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder[Symbol.dispose]();
});

function temporaryFolder(): string {
  const folder = new TemporaryFolder();
  folders.push(folder);
  return folder.path;
}

// A machine that has no Node too old for Bough plays one: the launcher asks nothing but the version.
const pretend = new TemporaryFolder();
afterAll(() => pretend[Symbol.dispose]());
const pretender = path.join(pretend.path, 'pretend.cjs');
writeFileSync(pretender, "Object.defineProperty(process.versions, 'node', { value: '20.11.1' });\n");
const runtimes = runtimesOfThisMachine();
const old: Runtime = runtimes.find((runtime) => !runtime.isSupported) ?? {
  name: 'a Node that says it is 20.11.1',
  command: [PINNED, '--require', pretender],
  isSupported: false,
};

const everyRuntime = [...new Set([...runtimes, old])];

/** The launcher in a package of its own, with a program of ours as the built one. */
function packageOf(program: string | undefined, { hasOwnNode = true } = {}): string {
  const root = temporaryFolder();
  mkdirSync(path.join(root, 'bin'));
  for (const file of ['bough.cjs', 'load.cjs'])
    copyFileSync(path.join(ROOT, 'bin', file), path.join(root, 'bin', file));
  writeFileSync(path.join(root, 'package.json'), '{"type":"module"}');
  if (program !== undefined) {
    mkdirSync(path.join(root, 'dist'));
    writeFileSync(path.join(root, 'dist', 'cli.js'), program);
  }
  if (hasOwnNode) {
    mkdirSync(path.join(root, 'node_modules', 'node', 'bin'), { recursive: true });
    symlinkSync(PINNED, path.join(root, 'node_modules', 'node', 'bin', 'node'));
  }
  return path.join(root, 'bin', 'bough.cjs');
}

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** In a process group of its own. */
  readonly isGroup?: boolean;
}

function start(runtime: Runtime, launcher: string, { env = {}, isGroup = false }: StartOptions = {}) {
  const [file, ...args] = runtime.command;
  const child = spawn(file, [...args, launcher, 'one', 'two words'], {
    env: cleanEnvironment(temporaryFolder(), env),
    detached: isGroup,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const closed = once(child, 'close').then(([status, signal]) => ({ status, signal, stdout, stderr }));
  return { child, closed, output: () => stdout };
}

async function run(runtime: Runtime, launcher: string, env: Readonly<Record<string, string>> = {}, input = '') {
  const { child, closed } = start(runtime, launcher, { env });
  child.stdin.end(input);
  return closed;
}

it('a Node of any age can read the launcher', () => {
  const source = readFileSync(path.join(ROOT, 'bin', 'bough.cjs'), 'utf8');
  expect(transformSync(source, { target: 'es5' }).code).toBe(transformSync(source, { target: 'esnext' }).code);
});

describe.each(everyRuntime)('under $name', (runtime) => {
  const WHO =
    'console.log(JSON.stringify([process.version, process.argv.slice(2), process.env.BOUGH_HANDED_OVER ?? null]))';

  it('the program runs on a Node that it can use, with its arguments', async () => {
    const { stdout, stderr, status } = await run(runtime, packageOf(WHO));
    const used = runtime.isSupported ? runtime : { command: [PINNED] };
    const version = execFileSync(used.command[0] ?? '', ['--version'], { encoding: 'utf8' }).trim();
    expect([JSON.parse(stdout), stderr, status]).toEqual([[version, ['one', 'two words'], null], '', 0]);
  });

  it('the exit status is passed on', async () => {
    expect((await run(runtime, packageOf('process.exitCode = 7'))).status).toBe(7);
  });

  it('death by a signal is passed on', async () => {
    const { signal } = await run(runtime, packageOf("process.kill(process.pid, 'SIGKILL')"));
    expect(signal).toBe('SIGKILL');
  });

  it('stdin is passed on', async () => {
    const program = "process.stdin.setEncoding('utf8').on('data', (text) => process.stdout.write(text.toUpperCase()))";
    expect((await run(runtime, packageOf(program), {}, 'a line\nand one more')).stdout).toBe('A LINE\nAND ONE MORE');
  });

  it('a program that does not load says why and exits 70', async () => {
    const { status, stdout, stderr } = await run(runtime, packageOf("throw new Error('no such luck')"));
    expect([status, stdout]).toEqual([70, '']);
    expect(stderr).toContain('Error: no such luck');
  });

  it('a missing build is said in one line', async () => {
    const { status, stdout, stderr } = await run(runtime, packageOf(undefined));
    expect([status, stdout]).toEqual([69, '']);
    expect(stderr).toMatch(/^bough: not built yet; run `npm ci && npm run build` in [^\n]+\n$/);
  });

  it('only the warning about node:sqlite is silenced', async () => {
    const program = `
      process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning');
      process.emitWarning('something else', 'ExperimentalWarning');
      await import('node:sqlite');`;
    const { stderr } = await run(runtime, packageOf(program));
    expect(stderr).toContain('something else');
    expect(stderr).not.toContain('SQLite');
  });

  it('compiled code is kept in a private folder below the XDG cache', async () => {
    const caches = path.join(temporaryFolder(), 'caches');
    await run(runtime, packageOf(''), { XDG_CACHE_HOME: caches });
    const modes = ['bough', 'bough/code'].map((name) => statSync(path.join(caches, name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700]);
  });

  it('a cache folder that cannot be made costs nothing but time', async () => {
    const file = path.join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const { status, stderr } = await run(runtime, packageOf(''), { XDG_CACHE_HOME: file });
    expect([status, stderr]).toEqual([0, '']);
  });
});

describe.each(everyRuntime)('under $name', (runtime) => {
  // SIGTERM is the fence: what was sent before it has arrived by then.
  const COUNT = `
    const seen = [];
    for (const name of ['SIGINT', 'SIGHUP', 'SIGQUIT']) process.on(name, () => { seen.push(name); console.log(name); });
    process.on('SIGTERM', () => { console.log('all: ' + seen.join()); process.exit(0); });
    setInterval(() => {}, 1000);
    console.log('started');`;

  it.each(['SIGINT', 'SIGHUP', 'SIGQUIT'] as const)('%s sent to the process arrives once', async (signal) => {
    const { child, closed, output } = start(runtime, packageOf(COUNT));
    await vi.waitUntil(() => output().includes('started'), WAIT);
    child.kill(signal);
    await vi.waitUntil(() => output().includes(signal), WAIT);
    child.kill('SIGTERM');
    expect((await closed).stdout).toContain(`all: ${signal}\n`);
  });

  it('a signal sent to the process group arrives once', async () => {
    const { child, closed, output } = start(runtime, packageOf(COUNT), { isGroup: true });
    await vi.waitUntil(() => output().includes('started'), WAIT);
    process.kill(-child.pid!, 'SIGINT');
    await vi.waitUntil(() => output().includes('SIGINT'), WAIT);
    child.kill('SIGTERM');
    expect((await closed).stdout).toContain('all: SIGINT\n');
  });

  it('Ctrl+C on the terminal arrives once', async () => {
    using screen = Screen.run(runtime.command[0], [...runtime.command.slice(1), packageOf(COUNT)]);
    await screen.until('started');
    screen.press('ctrl+c');
    await screen.until('SIGINT');
    screen.kill('SIGTERM');
    await screen.until(/all: SIGINT$/m);
    expect(await screen.exited).toBe(0);
  });

  it('a signal that nobody handles ends both', async () => {
    const { child, closed, output } = start(runtime, packageOf("console.log('started'); setInterval(() => {}, 1000)"));
    await vi.waitUntil(() => output().includes('started'), WAIT);
    child.kill('SIGTERM');
    expect((await closed).signal).toBe('SIGTERM');
  });

  it('the terminal is passed on, raw mode, size changes and all', async () => {
    const program = `
      process.stdin.setRawMode(true).setEncoding('utf8').on('data', (key) => {
        console.log('key ' + JSON.stringify(key));
        if (key === 'q') process.exit(3);
      });
      process.stdout.on('resize', () => console.log('size ' + process.stdout.columns + 'x' + process.stdout.rows));
      console.log('started');`;
    using screen = Screen.run(runtime.command[0], [...runtime.command.slice(1), packageOf(program)]);
    await screen.until('started');
    screen.press('ctrl+c');
    await screen.until('key "\\u0003"');
    screen.resize(50, 12);
    await screen.until('size 50x12');
    screen.type('q');
    expect(await screen.exited).toBe(3);
  });
});

it('a Node that is too old, alone, is told so in one line', async () => {
  const { status, stdout, stderr } = await run(old, packageOf('', { hasOwnNode: false }));
  expect([status, stdout]).toEqual([69, '']);
  expect(stderr).toMatch(/^bough: needs Node 22\.16, or 24 and newer; this is v[^\n]+\n$/);
});
