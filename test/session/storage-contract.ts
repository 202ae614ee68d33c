import { describe, expect, test } from 'vitest';
import type { SessionStorage } from '../../src/session/storage.ts';

/** A fresh storage and an absolute folder in it that does not exist yet. */
export interface StorageUnderTest {
  readonly storage: Required<SessionStorage>;
  readonly dir: string;
}

/** What every storage must do; run on the form on disk and on the one in memory. */
export function describeStorage(name: string, make: () => StorageUnderTest): void {
  describe(`${name}: files`, () => describeFiles(make));
  describe(`${name}: listing`, () => describeListing(make));
  describe(`${name}: writer`, () => describeWriter(make));
  describe(`${name}: beyond the document`, () => describeExtras(make));
}

const missing = expect.objectContaining({ code: 'ENOENT' });

function describeFiles(make: () => StorageUnderTest): void {
  test('what was written is read back, by both forms of writing', async () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a.jsonl`, 'één\n');
    await storage.writeText(`${dir}/b/b.jsonl`, '\ufeffb\n');
    expect(await storage.readText(`${dir}/a.jsonl`)).toBe('één\n');
    expect(await storage.readText(`${dir}/b/b.jsonl`)).toBe('\ufeffb\n');
  });

  test('writing replaces longer text and keeps the file itself', async () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a`, 'a long text');
    const before = storage.statSync(`${dir}/a`);
    storage.writeTextSync(`${dir}/a`, 'short');
    expect(await storage.readText(`${dir}/a`)).toBe('short');
    await storage.writeText(`${dir}/a`, 'me');
    expect(await storage.readText(`${dir}/a`)).toBe('me');
    expect(storage.statSync(`${dir}/a`).inode).toBe(before.inode);
  });

  test('sizes are bytes, not characters', () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a`, 'é€😀');
    expect(storage.statSync(`${dir}/a`).size).toBe(9);
  });

  test('stat tells the time in both forms', () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a`, 'x');
    const stat = storage.statSync(`${dir}/a`);
    expect(Math.abs(stat.mtime.getTime() - stat.mtimeMs)).toBeLessThan(1);
  });

  test('a prefix is counted in bytes; a cut character becomes U+FFFD', async () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a`, 'ab€cd');
    expect(await storage.readTextPrefix(`${dir}/a`, 2)).toBe('ab');
    expect(await storage.readTextPrefix(`${dir}/a`, 4)).toBe('ab\ufffd');
    expect(await storage.readTextPrefix(`${dir}/a`, 4096)).toBe('ab€cd');
  });

  test('every call on a missing file fails with ENOENT', async () => {
    const { storage, dir } = make();
    storage.ensureDirSync(dir);
    const path = `${dir}/none`;
    expect(() => storage.statSync(path)).toThrow(missing);
    await expect(storage.readText(path)).rejects.toEqual(missing);
    await expect(storage.readTextPrefix(path, 10)).rejects.toEqual(missing);
    await expect(storage.rename(path, `${dir}/other`)).rejects.toEqual(missing);
    await expect(storage.unlink(path)).rejects.toEqual(missing);
    await expect(storage.openReader(path)).rejects.toEqual(missing);
    await expect(storage.truncate(path, 0)).rejects.toEqual(missing);
  });

  test('existence is told of files and of folders', async () => {
    const { storage, dir } = make();
    expect(storage.existsSync(dir)).toBe(false);
    storage.ensureDirSync(`${dir}/deep/er`);
    expect(storage.existsSync(`${dir}/deep`)).toBe(true);
    expect(await storage.exists(`${dir}/deep/er`)).toBe(true);
    expect(await storage.exists(`${dir}/a`)).toBe(false);
    storage.writeTextSync(`${dir}/a`, '');
    expect(storage.existsSync(`${dir}/a`)).toBe(true);
  });

  test('a rename keeps content and identity, and replaces what was there', async () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a`, 'a');
    storage.writeTextSync(`${dir}/b`, 'b');
    const { inode } = storage.statSync(`${dir}/a`);
    await storage.rename(`${dir}/a`, `${dir}/b`);
    expect(await storage.readText(`${dir}/b`)).toBe('a');
    expect(storage.statSync(`${dir}/b`).inode).toBe(inode);
    expect(storage.existsSync(`${dir}/a`)).toBe(false);
  });

  test('a rename into a missing folder fails and leaves the file', async () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a`, 'a');
    await expect(storage.rename(`${dir}/a`, `${dir}/no/a`)).rejects.toEqual(missing);
    expect(await storage.readText(`${dir}/a`)).toBe('a');
  });

  test('a folder cannot be written as a file', () => {
    const { storage, dir } = make();
    storage.ensureDirSync(`${dir}/sub`);
    expect(() => storage.writeTextSync(`${dir}/sub`, 'x')).toThrow(expect.objectContaining({ code: 'EISDIR' }));
  });

  test('a file in the way of a folder is an error and stays', async () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a`, 'a');
    expect(() => storage.ensureDirSync(`${dir}/a`)).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(await storage.readText(`${dir}/a`)).toBe('a');
  });

  test('unlink removes the one file', async () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a`, 'a');
    storage.writeTextSync(`${dir}/b`, 'b');
    await storage.unlink(`${dir}/a`);
    expect(storage.listFilesSync(dir, '*')).toEqual([`${dir}/b`]);
  });
}

function describeListing(make: () => StorageUnderTest): void {
  test('a pattern lists direct, visible files by name', () => {
    const { storage, dir } = make();
    for (const name of ['b.jsonl', 'a.jsonl', 'c.json', '.hidden.jsonl', 'sub/d.jsonl']) {
      storage.writeTextSync(`${dir}/${name}`, '');
    }
    expect(storage.listFilesSync(dir, '*.jsonl')).toEqual([`${dir}/a.jsonl`, `${dir}/b.jsonl`]);
    expect(storage.listFilesSync(dir, '*')).toEqual([`${dir}/a.jsonl`, `${dir}/b.jsonl`, `${dir}/c.json`]);
    expect(storage.listFilesSync(dir, 'c.json')).toEqual([`${dir}/c.json`]);
  });

  test('signs of regular expressions in a pattern are plain characters', () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a+(b).jsonl`, '');
    storage.writeTextSync(`${dir}/aab.jsonl`, '');
    expect(storage.listFilesSync(dir, 'a+(b).*')).toEqual([`${dir}/a+(b).jsonl`]);
  });

  test('a missing folder and a file list nothing', () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a`, '');
    expect(storage.listFilesSync(`${dir}/none`, '*')).toEqual([]);
    expect(storage.listFilesSync(`${dir}/a`, '*')).toEqual([]);
  });
}

function describeWriter(make: () => StorageUnderTest): void {
  test('a writer creates folders and file at once, and appends in the order of the calls', async () => {
    const { storage, dir } = make();
    const writer = storage.openWriter(`${dir}/x/a.jsonl`);
    expect(storage.existsSync(`${dir}/x/a.jsonl`)).toBe(true);
    await Promise.all([writer.writeLine('1\n'), writer.writeLine('2\n'), writer.writeLine('3\n')]);
    await writer.close();
    expect(await storage.readText(`${dir}/x/a.jsonl`)).toBe('1\n2\n3\n');
  });

  test('what was written can be read before the writer is closed', async () => {
    const { storage, dir } = make();
    const writer = storage.openWriter(`${dir}/a`);
    await writer.writeLine('1\n');
    expect(await storage.readText(`${dir}/a`)).toBe('1\n');
    await writer.close();
  });

  test('flag a keeps what is there, flag w empties the file when opened', async () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a`, 'old\n');
    const appending = storage.openWriter(`${dir}/a`, { flags: 'a' });
    await appending.writeLine('new\n');
    await appending.close();
    expect(await storage.readText(`${dir}/a`)).toBe('old\nnew\n');
    const emptying = storage.openWriter(`${dir}/a`, { flags: 'w' });
    expect(storage.statSync(`${dir}/a`).size).toBe(0);
    await emptying.writeLine('x\n');
    await emptying.close();
    expect(await storage.readText(`${dir}/a`)).toBe('x\n');
  });

  test('an append first completes the torn line of someone else', async () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a`, '{"torn":');
    const writer = storage.openWriter(`${dir}/a`);
    await writer.writeLine('{}\n');
    await writer.close();
    expect(await storage.readText(`${dir}/a`)).toBe('{"torn":\n{}\n');
  });

  test('text is written as given: no newline is added between own writes', async () => {
    const { storage, dir } = make();
    const writer = storage.openWriter(`${dir}/a`);
    await writer.writeLine('ab');
    await writer.writeLine('');
    await writer.writeLine('cd\n');
    await writer.close();
    expect(await storage.readText(`${dir}/a`)).toBe('abcd\n');
  });

  test('two writers on one file both keep their lines', async () => {
    const { storage, dir } = make();
    const first = storage.openWriter(`${dir}/a`);
    const second = storage.openWriter(`${dir}/a`);
    for (let i = 0; i < 3; i += 1) {
      await first.writeLine(`first ${i}\n`);
      await second.writeLine(`second ${i}\n`);
    }
    await Promise.all([first.close(), second.close()]);
    expect(await storage.readText(`${dir}/a`)).toBe('first 0\nsecond 0\nfirst 1\nsecond 1\nfirst 2\nsecond 2\n');
  });

  test('a closed writer refuses lines and syncs, not flushes and closes', async () => {
    const { storage, dir } = make();
    const writer = storage.openWriter(`${dir}/a`);
    await writer.fsync();
    await writer.close();
    await writer.close();
    await writer.flush();
    await expect(writer.writeLine('x\n')).rejects.toThrow('Writer closed');
    await expect(writer.fsync()).rejects.toThrow('Writer closed');
    expect(writer.getError()).toBeUndefined();
    expect(await storage.readText(`${dir}/a`)).toBe('');
  });

  test('lines go to the new file after another took the name', async () => {
    const { storage, dir } = make();
    const writer = storage.openWriter(`${dir}/a`);
    await writer.writeLine('1\n');
    await storage.replaceFile(`${dir}/a`, ['1\n', 'rewritten\n']);
    await writer.writeLine('2\n');
    await writer.close();
    expect(await storage.readText(`${dir}/a`)).toBe('1\nrewritten\n2\n');
  });

  test('a line for a deleted file fails and does not make half a session', async () => {
    const { storage, dir } = make();
    const writer = storage.openWriter(`${dir}/a`);
    await writer.writeLine('1\n');
    await storage.unlink(`${dir}/a`);
    await expect(writer.writeLine('2\n')).rejects.toEqual(missing);
    await writer.close();
    expect(storage.existsSync(`${dir}/a`)).toBe(false);
  });
}

function describeExtras(make: () => StorageUnderTest): void {
  test('a reader gives any window, short only at the end', async () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a`, '0123456789');
    const reader = await storage.openReader(`${dir}/a`);
    expect(Buffer.from(await reader.read(2, 3)).toString()).toBe('234');
    expect(Buffer.from(await reader.read(8, 10)).toString()).toBe('89');
    expect((await reader.read(10, 10)).length).toBe(0);
    expect(await reader.stat()).toEqual(storage.statSync(`${dir}/a`));
    await reader.close();
  });

  test('a reader stays with its file when another takes the name', async () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a`, 'old');
    const reader = await storage.openReader(`${dir}/a`);
    await storage.replaceFile(`${dir}/a`, ['new and longer']);
    expect(Buffer.from(await reader.read(0, 100)).toString()).toBe('old');
    await reader.close();
    expect(await storage.readText(`${dir}/a`)).toBe('new and longer');
  });

  test('truncate cuts at a byte', async () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a`, '0123456789');
    await storage.truncate(`${dir}/a`, 4);
    expect(await storage.readText(`${dir}/a`)).toBe('0123');
  });

  test('a replacement comes as text and bytes, from a generator of either kind', async () => {
    const { storage, dir } = make();
    async function* parts() {
      yield 'é';
      yield Buffer.from('\n');
    }
    await storage.replaceFile(`${dir}/x/a`, parts());
    expect(await storage.readText(`${dir}/x/a`)).toBe('é\n');
    await storage.syncDir(`${dir}/x`);
  });

  test('a replacement that fails half way leaves the old file and nothing else', async () => {
    const { storage, dir } = make();
    storage.writeTextSync(`${dir}/a`, 'old');
    function* parts() {
      yield 'new';
      throw new Error('torn');
    }
    await expect(storage.replaceFile(`${dir}/a`, parts())).rejects.toThrow('torn');
    const guard = () => {
      throw new Error('changed');
    };
    await expect(storage.replaceFile(`${dir}/a`, ['new'], { guard })).rejects.toThrow('changed');
    expect(await storage.readText(`${dir}/a`)).toBe('old');
    expect(storage.listFilesSync(dir, '*')).toEqual([`${dir}/a`]);
  });

  test('a new file never takes a name that is there', async () => {
    const { storage, dir } = make();
    storage.createFileSync(`${dir}/x/a`, ['1', Buffer.from('2')]);
    expect(() => storage.createFileSync(`${dir}/x/a`, ['3'])).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(await storage.readText(`${dir}/x/a`)).toBe('12');
  });
}
