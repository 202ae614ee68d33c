import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanEnvironment, ROOT, TemporaryFolder } from './environment.ts';

// As a user gets it: packed, unpacked elsewhere, with nothing installed beside it.
const temporary = new TemporaryFolder();
const installed = path.join(temporary.path, 'package');
beforeAll(() => {
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', temporary.path];
  const tarball = execFileSync('npm', pack, { cwd: ROOT, encoding: 'utf8' }).trim();
  execFileSync('tar', ['-xzf', tarball], { cwd: temporary.path });
});
afterAll(() => temporary[Symbol.dispose]());

function run(args: readonly string[]): string {
  const options = { cwd: temporary.path, env: cleanEnvironment(temporary.path), encoding: 'utf8' } as const;
  return execFileSync(process.execPath, args, options);
}

it('the package holds the program, its demo and its papers, and nothing else', () => {
  expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'bin', 'demo', 'dist', 'package.json']);
  const loose = readdirSync(path.join(installed, 'dist')).filter((name) => !/^[a-z-]+-[A-Z0-9]{8}\.js$/.test(name));
  expect(loose.filter((name) => name !== 'types').sort()).toEqual([
    'THIRD-PARTY-NOTICES.txt',
    'cli.js',
    'session.js',
    'worker.js',
  ]);
});

it('the program runs', () => {
  const { version } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
  expect(run([path.join(installed, 'bin', 'bough.cjs'), '--version'])).toContain(version);
});

it('the demo has its sessions', () => {
  const output = run([path.join(installed, 'bin', 'bough.cjs'), '--demo', 'list', '--all', '--json']);
  expect(JSON.parse(output).total).toBeGreaterThan(10);
});

it('the engine can be imported', () => {
  const script = 'import(process.argv[1]).then((engine) => console.log(typeof engine.SessionManager))';
  expect(run(['-e', script, path.join(installed, 'dist', 'session.js')])).toBe('function\n');
});

it('the declarations satisfy a strict compiler in a plain project', () => {
  const project = path.join(temporary.path, 'consumer');
  mkdirSync(path.join(project, 'node_modules', '@types'), { recursive: true });
  symlinkSync(installed, path.join(project, 'node_modules', 'bough'));
  symlinkSync(path.join(ROOT, 'node_modules', '@types', 'node'), path.join(project, 'node_modules', '@types', 'node'));
  writeFileSync(path.join(project, 'package.json'), '{"type":"module"}');
  writeFileSync(
    path.join(project, 'index.ts'),
    `import { buildSessionContext, HistoryStorage, MemorySessionStorage, SessionManager } from 'bough/session';
const session = SessionManager.inMemory('/w', new MemorySessionStorage());
const id: string = session.appendMessage({ role: 'user', content: 'hello', timestamp: 1 });
const roles: string[] = buildSessionContext(session.getEntries(), id).messages.map((message) => message.role);
// @ts-expect-error An id is a string.
const wrong = () => session.branch(7);
const history: typeof HistoryStorage = HistoryStorage;
console.log(roles.join(), typeof history.open, wrong.length);
`,
  );
  const settings = {
    module: 'nodenext',
    target: 'es2024',
    strict: true,
    skipLibCheck: false,
    types: ['node'],
    noEmit: true,
  };
  writeFileSync(
    path.join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: settings, files: ['index.ts'] }),
  );
  const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '']);
  expect(run([path.join(project, 'index.ts')])).toBe('user function 0\n');
});

it('every file of the program is ASCII', () => {
  for (const name of readdirSync(path.join(installed, 'dist')))
    if (name.endsWith('.js'))
      expect(readFileSync(path.join(installed, 'dist', name)).every((byte) => byte < 0x80)).toBe(true);
});

it('whatever is bundled has its licence in the notices', () => {
  const notices = readFileSync(path.join(installed, 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  for (const name of ['ink', 'react', 'yoga-layout', 'fuse.js']) {
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'node_modules', name, 'package.json'), 'utf8'));
    expect(notices).toContain(`\n${name} ${version} (`);
  }
});
