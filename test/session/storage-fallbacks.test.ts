import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemorySessionStorage } from '../../src/session/session-storage.ts';
import type { SessionStorage, SessionStorageWriter, SessionStorageWriterOptions } from '../../src/session/storage.ts';
import { createFileSync, openReader, replaceFile } from '../../src/session/storage-fallbacks.ts';
import { type Fault, FaultyStorage } from './faulty-storage.ts';

const path = '/s/a.jsonl';

/** Knows the names that were opened, since listings leave out hidden ones. */
class RecordingStorage extends FaultyStorage {
  readonly opened: string[] = [];

  override openWriter(file: string, options?: SessionStorageWriterOptions): SessionStorageWriter {
    this.opened.push(file);
    return super.openWriter(file, options);
  }
}

/** A storage with the calls of the document and no other. */
function makeForeign(faults: readonly Fault[] = []) {
  const memory = new MemorySessionStorage();
  memory.ensureDirSync('/s');
  const faulty = new RecordingStorage(memory, faults);
  const foreign: SessionStorage = {
    ensureDirSync: (dir) => faulty.ensureDirSync(dir),
    existsSync: (file) => faulty.existsSync(file),
    writeTextSync: (file, text) => faulty.writeTextSync(file, text),
    statSync: (file) => faulty.statSync(file),
    listFilesSync: (dir, pattern) => faulty.listFilesSync(dir, pattern),
    exists: (file) => faulty.exists(file),
    readText: (file) => faulty.readText(file),
    readTextPrefix: (file, sizeBytes) => faulty.readTextPrefix(file, sizeBytes),
    writeText: (file, text) => faulty.writeText(file, text),
    rename: (from, to) => faulty.rename(from, to),
    unlink: (file) => faulty.unlink(file),
    openWriter: (file, options) => faulty.openWriter(file, options),
  };
  return { memory, faulty, foreign };
}

describe.each([
  ['a storage of ours', () => new MemorySessionStorage()],
  ['a foreign storage', () => makeForeign().foreign],
])('%s', (_name, make: () => SessionStorage) => {
  test('reads windows of bytes', async () => {
    const storage = make();
    storage.writeTextSync(path, 'a€b');
    const reader = await openReader(storage, path);
    expect(Buffer.from(await reader.read(1, 3)).toString()).toBe('€');
    expect(Buffer.from(await reader.read(4, 100)).toString()).toBe('b');
    expect((await reader.stat()).size).toBe(5);
    await reader.close();
  });

  test('does not open a reader on a missing file', async () => {
    await expect(openReader(make(), path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('replaces a file by any parts, wherever its characters are cut', async () => {
    const storage = make();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.array(fc.nat(50)), async (text, cuts) => {
        const bytes = Buffer.from(text);
        const ends = [...cuts, bytes.length].sort((a, b) => a - b);
        await replaceFile(
          storage,
          path,
          ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)),
        );
        expect(await storage.readText(path)).toBe(bytes.toString());
      }),
      { numRuns: 50 },
    );
  });

  test('calls a replacement off when the guard throws', async () => {
    const storage = make();
    storage.writeTextSync(path, 'old');
    const guard = () => {
      throw new Error('changed');
    };
    await expect(replaceFile(storage, path, ['new'], { guard })).rejects.toThrow('changed');
    expect(await storage.readText(path)).toBe('old');
  });

  test('creates a file only where there is none', async () => {
    const storage = make();
    createFileSync(storage, path, ['a', Buffer.from('b')]);
    expect(() => createFileSync(storage, path, ['c'])).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(await storage.readText(path)).toBe('ab');
  });
});

test('whichever call of a foreign storage fails, the old file stays and no other is left', async () => {
  const untroubled = makeForeign();
  untroubled.memory.writeTextSync(path, 'old');
  await replaceFile(untroubled.foreign, path, ['one\n', 'two\n']);
  expect(untroubled.faulty.calls).toEqual(['openWriter', 'writeLine', 'writeLine', 'writeLine', 'fsync', 'rename']);
  for (const code of ['EIO', 'ENOSPC', 'EACCES'] as const) {
    for (let nth = 1; nth <= untroubled.faulty.calls.length; nth += 1) {
      const { memory, faulty, foreign } = makeForeign([{ nth, code, arrivingCharacters: 1 }]);
      memory.writeTextSync(path, 'old');
      await expect(replaceFile(foreign, path, ['one\n', 'two\n'])).rejects.toMatchObject({ code });
      expect(await memory.readText(path)).toBe('old');
      expect(faulty.opened).toEqual([expect.stringMatching(/\.tmp$/)]);
      expect(faulty.opened.filter((file) => memory.existsSync(file))).toEqual([]);
    }
  }
});
