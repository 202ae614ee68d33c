import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import {
  createFile,
  createFileSync,
  renameToFree,
  replaceFile,
  replaceFileSync,
} from '../../src/session/atomic-write.ts';
import { tempPathFor } from '../../src/session/temp-files.ts';
import { makeTempDir } from './temp-dir.ts';

const sourceUrl = JSON.stringify(new URL('../../src/session/atomic-write.ts', import.meta.url).href);

/** Runs `body` in a process of its own with `path` defined; it may kill itself. */
function runScript(dir: string, path: string, body: string): void {
  const script = join(dir, 'script.mts');
  const lines = [
    `import * as atomic from ${sourceUrl};`,
    `const path = ${JSON.stringify(path)};`,
    "const die = () => process.kill(process.pid, 'SIGKILL');",
    body,
  ];
  fs.writeFileSync(script, lines.join('\n'));
  const { stderr, status, signal } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  if (status !== 0 && signal !== 'SIGKILL') throw new Error(stderr);
}

function makeDataDir(): { readonly dir: string; readonly data: string; readonly path: string } {
  const dir = makeTempDir();
  const data = join(dir, 'data');
  fs.mkdirSync(data);
  return { dir, data, path: join(data, 'a.jsonl') };
}

describe.each([
  ['replaceFile', replaceFile],
  ['replaceFileSync', async (path: string, parts: Iterable<string | Uint8Array>) => replaceFileSync(path, parts)],
])('%s', (_name, replace) => {
  test('any parts come out as they went in, joined', async () => {
    const { path } = makeDataDir();
    const part = fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 50 }));
    await fc.assert(
      fc.asyncProperty(fc.array(part), async (parts) => {
        await replace(path, parts);
        expect(fs.readFileSync(path)).toEqual(Buffer.concat(parts.map((item) => Buffer.from(item as string))));
      }),
      { numRuns: 25 },
    );
  });

  test('parts larger than a write come out whole', async () => {
    const { path } = makeDataDir();
    const parts = ['a'.repeat(200_000), Buffer.alloc(700_000, 'b'), 'c'.repeat(100_000), 'd'];
    await replace(path, parts);
    expect(fs.readFileSync(path, 'utf8')).toBe(parts.map(String).join(''));
  });

  test('keeps the mode of the file, gives 0600 to a new one', async () => {
    const { path } = makeDataDir();
    await replace(path, ['x']);
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    fs.chmodSync(path, 0o640);
    await replace(path, ['y']);
    expect(fs.statSync(path).mode & 0o777).toBe(0o640);
  });

  test('follows links to the file and leaves them links', async () => {
    const { dir, data, path } = makeDataDir();
    fs.writeFileSync(path, 'old');
    fs.symlinkSync('data/a.jsonl', join(dir, 'relative'));
    fs.symlinkSync(join(dir, 'relative'), join(dir, 'absolute'));
    await replace(join(dir, 'absolute'), ['new']);
    expect(fs.readFileSync(path, 'utf8')).toBe('new');
    expect(fs.readlinkSync(join(dir, 'absolute'))).toBe(join(dir, 'relative'));
    expect(fs.readdirSync(data)).toEqual(['a.jsonl']);
  });

  test('follows a link to a file that is yet to be', async () => {
    const { dir, path } = makeDataDir();
    fs.symlinkSync('data/a.jsonl', join(dir, 'link'));
    await replace(join(dir, 'link'), ['new']);
    expect(fs.readFileSync(path, 'utf8')).toBe('new');
    expect(fs.lstatSync(join(dir, 'link')).isSymbolicLink()).toBe(true);
  });

  test('a failing source leaves the old file and no other', async () => {
    const { data, path } = makeDataDir();
    fs.writeFileSync(path, 'old');
    function* parts() {
      yield 'a'.repeat(400_000);
      throw new Error('torn');
    }
    await expect(replace(path, parts())).rejects.toThrow('torn');
    expect(fs.readFileSync(path, 'utf8')).toBe('old');
    expect(fs.readdirSync(data)).toEqual(['a.jsonl']);
  });

  test('a failing rename leaves the old file and no other', async () => {
    const { data, path } = makeDataDir();
    fs.mkdirSync(join(path, 'full'), { recursive: true });
    await expect(replace(path, ['new'])).rejects.toMatchObject({ code: expect.stringMatching(/EISDIR|ENOTEMPTY/) });
    expect(fs.readdirSync(data)).toEqual(['a.jsonl']);
  });

  test('a name as long as the file system allows can be replaced', async () => {
    const { data } = makeDataDir();
    const path = join(data, `${'n'.repeat(249)}.jsonl`);
    await replace(path, ['x']);
    expect(fs.readFileSync(path, 'utf8')).toBe('x');
  });

  test('a temporary file that a dead process left for this file is removed, no other', async () => {
    const { dir, data, path } = makeDataDir();
    runScript(dir, path, 'await atomic.replaceFile(path, (function* () { yield "x"; die(); })());');
    runScript(dir, `${path}.b`, 'await atomic.replaceFile(path, (function* () { yield "x"; die(); })());');
    expect(fs.readdirSync(data)).toHaveLength(2);
    const foreign = ['.a.jsonl.1a2b3c4d.tmp', '.a.jsonl.000000-999999-00000000.tmp', basename(tempPathFor(path))];
    for (const name of foreign) fs.writeFileSync(join(data, name), '');
    await replace(path, ['new']);
    const left = fs.readdirSync(data).filter((name) => !foreign.includes(name));
    expect(left).toEqual([expect.stringMatching(/^\.a\.jsonl\.b\./), 'a.jsonl']);
    expect(fs.readdirSync(data)).toHaveLength(2 + foreign.length);
  });

  test('a temporary file of a namesake that ran before this process is removed', async () => {
    const { data, path } = makeDataDir();
    const stale = tempPathFor(path);
    fs.writeFileSync(stale, '');
    fs.utimesSync(stale, 1, 1);
    await replace(path, ['new']);
    expect(fs.readdirSync(data)).toEqual(['a.jsonl']);
  });

  test.runIf(process.getuid?.() !== 0)('a file without write permission is left alone', async () => {
    const { path } = makeDataDir();
    fs.writeFileSync(path, 'old', { mode: 0o400 });
    await expect(replace(path, ['new'])).rejects.toMatchObject({ code: 'EACCES' });
  });
});

test('killed at any step, a replacement leaves the old text or the new', () => {
  const { dir, path } = makeDataDir();
  const steps = [
    'await atomic.replaceFile(path, (function* () { die(); yield "new"; })());',
    'await atomic.replaceFile(path, (function* () { yield "n".repeat(400000); die(); })());',
    'await atomic.replaceFile(path, ["new"], { guard: die });',
    'await atomic.replaceFile(path, ["new"]); die();',
  ];
  const left = steps.map((step) => {
    fs.writeFileSync(path, 'old');
    runScript(dir, path, step);
    return fs.readFileSync(path, 'utf8');
  });
  expect(left).toEqual(['old', 'old', 'old', 'new']);
});

test('the content is synced before it takes the name, the folder after it', async () => {
  const { path } = makeDataDir();
  const order: string[] = [];
  const { fsyncSync, renameSync } = fs;
  vi.spyOn(fs, 'fsyncSync').mockImplementation((fd) => {
    order.push(fs.fstatSync(fd).isDirectory() ? 'sync folder' : 'sync file');
    fsyncSync(fd);
  });
  vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    order.push('rename');
    renameSync(from, to);
  });
  replaceFileSync(path, ['x']);
  replaceFileSync(path, ['y'], { isDurable: false });
  vi.restoreAllMocks();
  expect(order).toEqual(['sync file', 'rename', 'sync folder', 'rename']);
});

test('a guard sees the old file with everything written, and can call it off', async () => {
  const { data, path } = makeDataDir();
  fs.writeFileSync(path, 'old');
  let seen: readonly (string | number)[] = [];
  const guard = () => {
    const temp = fs.readdirSync(data).find((name) => name.endsWith('.tmp')) ?? '';
    seen = [fs.readFileSync(path, 'utf8'), fs.statSync(join(data, temp)).size];
    throw new Error('changed');
  };
  await expect(replaceFile(path, ['newer'], { guard })).rejects.toThrow('changed');
  expect(seen).toEqual(['old', 5]);
  expect(fs.readdirSync(data)).toEqual(['a.jsonl']);
});

describe.each([
  ['createFile', createFile],
  ['createFileSync', async (path: string, parts: Iterable<string | Uint8Array>) => createFileSync(path, parts)],
])('%s', (_name, create) => {
  test('makes a private file in private folders', async () => {
    const { data } = makeDataDir();
    await create(join(data, 'x', 'a'), ['1', Buffer.from('2')]);
    expect(fs.readFileSync(join(data, 'x', 'a'), 'utf8')).toBe('12');
    expect(fs.statSync(join(data, 'x', 'a')).mode & 0o777).toBe(0o600);
    expect(fs.statSync(join(data, 'x')).mode & 0o777).toBe(0o700);
    expect(fs.readdirSync(join(data, 'x'))).toEqual(['a']);
  });

  test('leaves a file or a link of that name alone', async () => {
    const { data, path } = makeDataDir();
    fs.writeFileSync(path, 'old');
    fs.symlinkSync('nowhere', join(data, 'link'));
    await expect(create(path, ['new'])).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(create(join(data, 'link'), ['new'])).rejects.toMatchObject({ code: 'EEXIST' });
    expect(fs.readFileSync(path, 'utf8')).toBe('old');
    expect(fs.readdirSync(data)).toEqual(['a.jsonl', 'link']);
  });

  test('loses to a file that came while it was writing', async () => {
    const { data, path } = makeDataDir();
    function* parts() {
      yield 'new';
      fs.writeFileSync(path, 'other');
    }
    await expect(create(path, parts())).rejects.toMatchObject({ code: 'EEXIST' });
    expect(fs.readFileSync(path, 'utf8')).toBe('other');
    expect(fs.readdirSync(data)).toEqual(['a.jsonl']);
  });

  test('works where there are no hard links', async () => {
    const { data, path } = makeDataDir();
    vi.spyOn(fs, 'linkSync').mockImplementation(() => {
      throw Object.assign(new Error('no links here'), { code: 'EPERM' });
    });
    await create(path, ['new']);
    function* parts() {
      yield 'newer';
      fs.writeFileSync(`${path}.b`, 'other');
    }
    await expect(create(`${path}.b`, parts())).rejects.toMatchObject({ code: 'EEXIST' });
    vi.restoreAllMocks();
    expect(fs.readFileSync(path, 'utf8')).toBe('new');
    expect(fs.readFileSync(`${path}.b`, 'utf8')).toBe('other');
    expect(fs.readdirSync(data)).toEqual(['a.jsonl', 'a.jsonl.b']);
  });
});

describe('renameToFree', () => {
  test('moves a file, and a link as a link', () => {
    const { data, path } = makeDataDir();
    fs.writeFileSync(path, 'x');
    fs.symlinkSync('b', join(data, 'link'));
    const { ino } = fs.statSync(path);
    renameToFree(path, join(data, 'b'));
    renameToFree(join(data, 'link'), join(data, 'link2'));
    expect(fs.statSync(join(data, 'b')).ino).toBe(ino);
    expect(fs.readlinkSync(join(data, 'link2'))).toBe('b');
    expect(fs.readdirSync(data)).toEqual(['b', 'link2']);
  });

  test('never takes a name that is there', () => {
    const { data, path } = makeDataDir();
    fs.writeFileSync(path, 'x');
    fs.writeFileSync(join(data, 'b'), 'y');
    expect(() => renameToFree(path, join(data, 'b'))).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(fs.readFileSync(path, 'utf8')).toBe('x');
    expect(fs.readFileSync(join(data, 'b'), 'utf8')).toBe('y');
  });
});
