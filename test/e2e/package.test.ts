import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
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
