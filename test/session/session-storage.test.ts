import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { FileSessionStorage, MemorySessionStorage } from '../../src/session/session-storage.ts';
import { FaultyStorage } from './faulty-storage.ts';
import { describeStorage } from './storage-contract.ts';
import { makeTempDir } from './temp-dir.ts';

describeStorage('on disk', () => ({ storage: new FileSessionStorage(), dir: join(makeTempDir(), 'sessions') }));
describeStorage('in memory', () => ({ storage: new MemorySessionStorage(), dir: '/sessions' }));
describeStorage('on disk, through a wrapper that never fails', () => ({
  storage: new FaultyStorage(new FileSessionStorage(), []),
  dir: join(makeTempDir(), 'sessions'),
}));

const storage = new FileSessionStorage();

/** Runs TypeScript in a process of its own, under shell commands that come first. */
function runScript(prelude: string, dir: string, lines: readonly string[]): string {
  const script = join(dir, 'script.ts');
  const url = (file: string) => JSON.stringify(new URL(`../../src/session/${file}`, import.meta.url).href);
  fs.writeFileSync(
    script,
    [
      `import { FileSessionStorage } from ${url('session-storage.ts')};`,
      'const storage = new FileSessionStorage();',
      'const path = process.argv[2];',
      ...lines,
    ].join('\n'),
  );
  const path = join(dir, 'data', 'a.jsonl');
  return execFileSync('sh', ['-c', `${prelude}; exec "$0" "$@"`, process.execPath, script, path], { encoding: 'utf8' });
}

function modeOf(path: string): number {
  return fs.statSync(path).mode & 0o777;
}

describe('privacy', () => {
  for (const umask of ['000', '777']) {
    test(`files are 0600 and folders 0700 under umask ${umask}`, () => {
      const dir = makeTempDir();
      runScript(`umask ${umask}`, dir, [
        "await storage.openWriter(path).writeLine('x\\n');",
        "storage.writeTextSync(path + '.text', 'x');",
        "await storage.replaceFile(path + '.new', ['x']);",
        "storage.createFileSync(path + '.sync', ['x']);",
      ]);
      expect(modeOf(join(dir, 'data'))).toBe(0o700);
      for (const suffix of ['', '.text', '.new', '.sync']) {
        expect([suffix, modeOf(join(dir, 'data', `a.jsonl${suffix}`))]).toEqual([suffix, 0o600]);
      }
    });
  }

  test('an append and a text leave the mode of an existing file alone', async () => {
    const path = join(makeTempDir(), 'a');
    fs.writeFileSync(path, '');
    fs.chmodSync(path, 0o640);
    await storage.openWriter(path).writeLine('x\n');
    storage.writeTextSync(path, 'y');
    expect(modeOf(path)).toBe(0o640);
  });
});

describe('a failed append', () => {
  const limited = [
    "const writer = storage.openWriter(path, { onError: (error) => console.log('told', error.code) });",
    "await writer.writeLine('a'.repeat(1000) + '\\n');",
    "const failure = await writer.writeLine('b'.repeat(1000) + '\\n').catch((error) => error.code);",
    'const again = await writer.flush().catch((error) => error.code);',
    'console.log(failure, again, writer.getError()?.code);',
  ];

  test('is cut back, reported once and thrown again by later calls', () => {
    const dir = makeTempDir();
    const output = runScript('ulimit -f 3', dir, limited);
    expect(output).toBe('told EFBIG\nEFBIG EFBIG EFBIG\n');
    expect(fs.readFileSync(join(dir, 'data', 'a.jsonl'), 'utf8')).toBe(`${'a'.repeat(1000)}\n`);
  });

  test('is not cut back when someone else has written behind it', () => {
    const path = join(makeTempDir(), 'a');
    fs.writeFileSync(path, 'old\n');
    const writer = storage.openWriter(path);
    failAfter(2, () => fs.appendFileSync(path, '\nother\n'));
    return expect(writer.writeLine('new\n'))
      .rejects.toThrow('full')
      .then(() => expect(fs.readFileSync(path, 'utf8')).toBe('old\nne\nother\n'));
  });

  test('that nothing came of leaves the file alone', async () => {
    const path = join(makeTempDir(), 'a');
    fs.writeFileSync(path, 'old\n');
    const writer = storage.openWriter(path);
    failAfter(0, () => fs.appendFileSync(path, 'other\n'));
    await expect(writer.writeLine('new\n')).rejects.toThrow('full');
    expect(fs.readFileSync(path, 'utf8')).toBe('old\nother\n');
  });

  test('can be made good with a new writer', async () => {
    const path = join(makeTempDir(), 'a');
    failAfter(2, () => undefined);
    await expect(storage.openWriter(path).writeLine('new\n')).rejects.toThrow('full');
    vi.restoreAllMocks();
    await storage.openWriter(path).writeLine('new\n');
    expect(fs.readFileSync(path, 'utf8')).toBe('new\n');
  });

  /** The next write stores so many bytes, the one after it fails. */
  function failAfter(sizeBytes: number, meanwhile: () => void): void {
    const { writeSync } = fs;
    let calls = sizeBytes === 0 ? 1 : 0;
    vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, bytes: Uint8Array, offset: number) => {
      calls += 1;
      if (calls === 1) return writeSync(fd, bytes, offset, sizeBytes, null);
      vi.restoreAllMocks();
      meanwhile();
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    }) as typeof fs.writeSync);
  }
});

test('a replacement that the disk has no room for leaves the old file and no other', () => {
  const dir = makeTempDir();
  const output = runScript('ulimit -f 3', dir, [
    "await storage.replaceFile(path, ['old']);",
    "const parts = Array.from({ length: 5 }, () => 'x'.repeat(300_000));",
    'const failures = [];',
    'await storage.replaceFile(path, parts).catch((error) => failures.push(error.code));',
    "try { storage.createFileSync(path + '.b', parts); } catch (error) { failures.push(error.code); }",
    'console.log(failures.join());',
  ]);
  expect(output).toBe('EFBIG,EFBIG\n');
  expect(fs.readdirSync(join(dir, 'data'))).toEqual(['a.jsonl']);
  expect(fs.readFileSync(join(dir, 'data', 'a.jsonl'), 'utf8')).toBe('old');
});

test('a short write is continued', async () => {
  const path = join(makeTempDir(), 'a');
  const { writeSync } = fs;
  vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, bytes: Uint8Array, offset: number) =>
    writeSync(fd, bytes, offset, 1, null)) as typeof fs.writeSync);
  await storage.openWriter(path).writeLine('été\n');
  storage.writeTextSync(`${path}.text`, 'été');
  vi.restoreAllMocks();
  expect(fs.readFileSync(path, 'utf8')).toBe('été\n');
  expect(fs.readFileSync(`${path}.text`, 'utf8')).toBe('été');
});

test('a line is one write, its completing newline included', async () => {
  const path = join(makeTempDir(), 'a');
  fs.writeFileSync(path, 'torn');
  const writes = vi.spyOn(fs, 'writeSync');
  await storage.openWriter(path).writeLine(`${'x'.repeat(300_000)}\n`);
  expect(writes).toHaveBeenCalledTimes(1);
  writes.mockRestore();
});

test('a failed sync is kept as the error of the writer', async () => {
  const writer = storage.openWriter(join(makeTempDir(), 'a'));
  vi.spyOn(fs, 'fsync').mockImplementation(((_fd: number, done: (error: Error) => void) =>
    done(Object.assign(new Error('bad disk'), { code: 'EIO' }))) as typeof fs.fsync);
  await expect(writer.fsync()).rejects.toThrow('bad disk');
  vi.restoreAllMocks();
  await expect(writer.writeLine('x\n')).rejects.toThrow('bad disk');
  await writer.close();
});

test.runIf(process.platform === 'linux')('the descriptor of a forgotten writer is closed', () => {
  const output = runScript('true', makeTempDir(), [
    "import { readdirSync, readlinkSync } from 'node:fs';",
    "import { setFlagsFromString } from 'node:v8';",
    "import { runInNewContext } from 'node:vm';",
    "setFlagsFromString('--expose-gc');",
    "const collect = runInNewContext('gc');",
    "const count = () => readdirSync('/proc/self/fd').length;",
    'const before = count();',
    'for (let i = 0; i < 50; i += 1) storage.openWriter(path);',
    'const open = count();',
    'while (count() > before) { collect(); await new Promise((done) => setImmediate(done)); }',
    'console.log(open - before, count() - before);',
  ]);
  expect(output).toBe('50 0\n');
});

test('exists passes on what is not a missing file', async () => {
  const dir = makeTempDir();
  fs.writeFileSync(join(dir, 'a'), '');
  await expect(storage.exists(join(dir, 'a', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test('links to files are listed, links to nothing and folders are not', () => {
  const dir = makeTempDir();
  fs.writeFileSync(join(dir, 'a.jsonl'), '');
  fs.symlinkSync('a.jsonl', join(dir, 'b.jsonl'));
  fs.symlinkSync('none', join(dir, 'c.jsonl'));
  fs.symlinkSync('e.jsonl', join(dir, 'e.jsonl'));
  fs.mkdirSync(join(dir, 'd.jsonl'));
  expect(storage.listFilesSync(dir, '*.jsonl')).toEqual([join(dir, 'a.jsonl'), join(dir, 'b.jsonl')]);
});

test('a writer follows a link to a file that is yet to be', async () => {
  const dir = makeTempDir();
  fs.symlinkSync('real.jsonl', join(dir, 'link.jsonl'));
  await storage.openWriter(join(dir, 'link.jsonl')).writeLine('x\n');
  expect(fs.readFileSync(join(dir, 'real.jsonl'), 'utf8')).toBe('x\n');
});

describe('deleting a session with its artifacts', () => {
  test('removes the file and the folder of its name, no more', async () => {
    const dir = makeTempDir();
    for (const name of ['a.jsonl', 'b.jsonl', 'a/1.bash.log', 'ab/keep']) storage.writeTextSync(join(dir, name), 'x');
    await storage.deleteSessionWithArtifacts(join(dir, 'a.jsonl'));
    expect(fs.readdirSync(dir)).toEqual(['ab', 'b.jsonl']);
  });

  test('refuses any other name and touches nothing', async () => {
    const dir = makeTempDir();
    for (const name of ['x/a.json', 'x/keep', 'x/.jsonl']) storage.writeTextSync(join(dir, name), 'x');
    for (const name of ['x/a.json', 'x', 'x/.jsonl']) {
      await expect(storage.deleteSessionWithArtifacts(join(dir, name))).rejects.toMatchObject({ code: 'refused' });
    }
    expect(fs.readdirSync(join(dir, 'x')).sort()).toEqual(['.jsonl', 'a.json', 'keep']);
  });

  test('of a missing file fails and leaves the folder', async () => {
    const dir = makeTempDir();
    storage.writeTextSync(join(dir, 'a/1.bash.log'), 'x');
    await expect(storage.deleteSessionWithArtifacts(join(dir, 'a.jsonl'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(fs.existsSync(join(dir, 'a/1.bash.log'))).toBe(true);
  });

  test('removes a link in place of the folder, not what it leads to', async () => {
    const dir = makeTempDir();
    storage.writeTextSync(join(dir, 'a.jsonl'), 'x');
    storage.writeTextSync(join(dir, 'precious/file'), 'x');
    fs.symlinkSync('precious', join(dir, 'a'));
    await storage.deleteSessionWithArtifacts(join(dir, 'a.jsonl'));
    expect(fs.readdirSync(dir)).toEqual(['precious']);
    expect(fs.existsSync(join(dir, 'precious/file'))).toBe(true);
  });

  test('names the folder that stays when it cannot be removed', async () => {
    const dir = makeTempDir();
    storage.writeTextSync(join(dir, 'a.jsonl'), 'x');
    vi.spyOn(fs.promises, 'rm').mockRejectedValueOnce(new Error('busy'));
    await expect(storage.deleteSessionWithArtifacts(join(dir, 'a.jsonl'))).rejects.toThrow(
      `Session file deleted but failed to remove artifacts directory ${join(dir, 'a')}: busy`,
    );
    vi.restoreAllMocks();
  });
});
