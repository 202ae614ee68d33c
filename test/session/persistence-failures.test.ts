import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SessionManager } from '../../src/session/session-manager.ts';
import { FileSessionStorage, MemorySessionStorage } from '../../src/session/session-storage.ts';
import type { SessionStorage } from '../../src/session/storage.ts';
import { useAgentFolder } from './agent-folder.ts';
import { type Fault, FaultyStorage } from './faulty-storage.ts';
import { answer, user } from './session-helpers.ts';
import { fileOf, headerLine, userLine } from './session-text.ts';

const place = useAgentFolder();

function hush(): void {
  const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => warning.mockRestore());
}

/** Appends that throw a stored error count all the same. */
function attempt(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/EIO|ENOSPC|EACCES/) });
  }
}

async function idsOnDisk(storage: SessionStorage, path: string): Promise<string[]> {
  const session = await SessionManager.open(path, undefined, storage, { breadcrumb: false });
  return session.getEntries().map((entry) => entry.id);
}

/** A little life of a session; gives the ids that a flush acknowledged. */
async function live(session: SessionManager): Promise<Set<string>> {
  const acknowledged = new Set<string>();
  const flush = async () => {
    const ids = session.getEntries().map((entry) => entry.id);
    const [outcome] = await Promise.allSettled([session.flush()]);
    if (outcome?.status === 'fulfilled') for (const id of ids) acknowledged.add(id);
  };
  attempt(() => session.appendMessage(user('a')));
  attempt(() => session.appendMessage(answer('b')));
  await flush();
  attempt(() => session.appendMessage(user('c')));
  attempt(() => session.appendMessage(answer('d')));
  await flush();
  await Promise.allSettled([session.setSessionName('T', 'user')]);
  attempt(() => session.appendLabelChange(session.getEntries()[0]?.id ?? '', 'L'));
  await flush();
  attempt(() => session.appendMessage(user('e')));
  await Promise.allSettled([session.close()]);
  attempt(() => session.appendMessage(answer('f')));
  await flush();
  return acknowledged;
}

const CALLS = ['openWriter', 'writeLine', 'fsync', 'statSync', 'replaceFile', 'openReader', 'read'] as const;
const CODES = ['EIO', 'ENOSPC', 'EACCES'] as const;

describe.each([
  ['on disk', () => new FileSessionStorage()],
  ['in memory', () => new MemorySessionStorage()],
])('a call that fails %s', (_name, make) => {
  const run = async (faults: readonly Fault[]) => {
    hush();
    const inner = make();
    const storage = new FaultyStorage(inner, faults);
    const dir = place.sessionDir;
    const session = SessionManager.create('/w', dir, storage, { breadcrumb: false });
    const acknowledged = await live(session);
    return { inner, session, acknowledged, path: session.getSessionFile() ?? '' };
  };

  test.each(CALLS.flatMap((call) => CODES.map((code) => [call, code] as const)))(
    'each %s in turn with %s: nothing acknowledged is lost, and a later flush writes the rest',
    async (call, code) => {
      for (let nth = 1; nth <= 8; nth++) {
        const { inner, session, acknowledged, path } = await run([{ nth, call, code }]);
        const expected = session.getEntries().map((entry) => entry.id);
        expect(expected).toHaveLength(7);
        expect(session.getLeafId()).toBe(expected.at(-1));
        expect(session.getBranch().map((entry) => entry.id)).toEqual(expected);
        const onDisk = await idsOnDisk(inner, path);
        expect(onDisk).toEqual(expect.arrayContaining([...acknowledged]));
        await session.flush();
        expect(await idsOnDisk(inner, path)).toEqual(expected);
        await session.close();
      }
    },
  );

  test.each([1, 20, 100, 200])(
    'a write that stops after %i characters: the entry comes whole, before newer ones',
    async (arrivingCharacters) => {
      for (let nth = 1; nth <= 4; nth++) {
        const { inner, session, path } = await run([{ nth, call: 'writeLine', code: 'ENOSPC', arrivingCharacters }]);
        await session.flush();
        const expected = session.getEntries().map((entry) => entry.id);
        expect([...new Set(await idsOnDisk(inner, path))]).toEqual(expected);
        await session.close();
      }
    },
  );
});

describe('the first error', () => {
  const open = async (faults: readonly Fault[]) => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warning.mockRestore());
    const inner = new MemorySessionStorage();
    const path = join('/m', 's.jsonl');
    inner.writeTextSync(path, fileOf(headerLine(), userLine('m1', null, 'a')));
    const storage = new FaultyStorage(inner, faults);
    const session = await SessionManager.open(path, undefined, storage);
    return { inner, path, session, warning };
  };

  test('is logged once with the file, and thrown by later operations until a flush succeeds', async () => {
    const { session, warning, inner, path } = await open([
      { nth: 1, call: 'writeLine', code: 'ENOSPC' },
      { nth: 2, call: 'writeLine', code: 'EIO' },
    ]);
    const first = session.appendMessage(user('b'));
    await vi.waitFor(() => expect(warning).toHaveBeenCalledOnce());
    expect(warning.mock.calls[0]?.[0]).toContain(path);
    expect(() => session.appendMessage(user('c'))).toThrow('ENOSPC');
    expect(session.getEntries()).toHaveLength(3);
    await expect(session.flush()).rejects.toThrow('EIO');
    expect(() => session.appendMessage(user('d'))).toThrow('EIO');
    await session.flush();
    expect(warning).toHaveBeenCalledOnce();
    session.appendMessage(user('e'));
    await session.flush();
    const texts = session.getEntries().map((entry) => entry.id);
    expect(await idsOnDisk(inner, path)).toEqual(texts);
    expect(texts[1]).toBe(first);
  });

  test('stays with its file: a new session begins clean, and the old lines are tried again', async () => {
    const { session, inner, path } = await open([
      { nth: 1, call: 'writeLine', code: 'ENOSPC' },
      { nth: 2, call: 'writeLine', code: 'ENOSPC' },
    ]);
    const lost = session.appendMessage(user('b'));
    await Promise.resolve();
    await session.newSession();
    session.appendMessage(answer('c'));
    await Promise.allSettled([session.flush()]);
    await session.flush();
    expect(await idsOnDisk(inner, path)).toEqual(['m1', lost]);
  });

  test('a sync that failed is made good by a new file', async () => {
    const { session, inner, path } = await open([{ nth: 1, call: 'fsync', code: 'EIO' }]);
    const before = inner.statSync(path).inode;
    session.appendMessage(user('b'));
    await expect(session.flush()).rejects.toThrow('EIO');
    await session.flush();
    expect(inner.statSync(path).inode).not.toBe(before);
    expect(await idsOnDisk(inner, path)).toHaveLength(2);
  });

  test('of a migration leaves the session readable, and the next flush migrates before anything is added', async () => {
    hush();
    const inner = new MemorySessionStorage();
    const old =
      '{"type":"session","id":"old","timestamp":"x","cwd":"/w"}\n{"type":"message","timestamp":"x","message":{"role":"user","content":"a"}}\n';
    inner.writeTextSync('/m/s.jsonl', old);
    const storage = new FaultyStorage(inner, [{ nth: 1, call: 'replaceFile', code: 'EACCES' }]);
    const session = await SessionManager.open('/m/s.jsonl', undefined, storage);
    expect(session.getEntries()).toHaveLength(1);
    expect(await inner.readText('/m/s.jsonl')).toBe(old);
    expect(() => session.appendMessage(user('b'))).toThrow('EACCES');
    await session.flush();
    const lines = (await inner.readText('/m/s.jsonl'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map((line) => [line.version, line.parentId])).toEqual([
      [3, undefined],
      [undefined, null],
      [undefined, lines[1].id],
    ]);
  });

  test('of a rename leaves the old title', async () => {
    const { session } = await open([{ nth: 1, call: 'replaceFile', code: 'ENOSPC' }]);
    await expect(session.setSessionName('T', 'user')).rejects.toThrow('ENOSPC');
    expect([session.getSessionName(), session.titleSource]).toEqual([undefined, undefined]);
  });

  test('of a fork, a branch or a move leaves everything where it was', async () => {
    for (const [call, act] of [
      ['replaceFile', (session: SessionManager) => session.fork()],
      ['createFileSync', async (session: SessionManager) => session.createBranchedSession('m1')],
      ['replaceFile', (session: SessionManager) => session.moveTo('/v')],
      ['unlink', (session: SessionManager) => session.moveTo('/v')],
    ] as const) {
      const { session, inner, path } = await open([{ nth: 1, call, code: 'ENOSPC' }]);
      await expect(act(session)).rejects.toThrow('ENOSPC');
      expect([session.getSessionFile(), session.getSessionId(), session.getCwd()]).toEqual([path, 'session-1', '/w']);
      session.appendMessage(user('b'));
      await session.flush();
      expect(await idsOnDisk(inner, path)).toHaveLength(2);
      expect(inner.listFilesSync('/m', '*')).toEqual([path]);
    }
  });
});
