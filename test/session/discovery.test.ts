import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  findMostRecentSession,
  getRecentSessions,
  listAllSessions,
  listSessions,
  loadEntriesFromFile,
  matchSessions,
  resolveResumableSession,
} from '../../src/session/discovery.ts';
import { encodeCwd, setAgentDir } from '../../src/session/paths.ts';
import { FileSessionStorage, MemorySessionStorage } from '../../src/session/session-storage.ts';
import { assistantLine, fileOf, headerLine, userLine } from './session-text.ts';
import { makeTempDir } from './temp-dir.ts';

let agentDir: string;

beforeEach(() => {
  const before = process.env['PI_CODING_AGENT_DIR'];
  agentDir = makeTempDir();
  setAgentDir(agentDir);
  onTestFinished(() => {
    if (before === undefined) delete process.env['PI_CODING_AGENT_DIR'];
    else process.env['PI_CODING_AGENT_DIR'] = before;
  });
});

function put(path: string, text: string, mtimeSeconds?: number): string {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, text);
  if (mtimeSeconds !== undefined) fs.utimesSync(path, mtimeSeconds, mtimeSeconds);
  return path;
}

function inFolder(folder: string, name: string, text: string, mtimeSeconds?: number): string {
  return put(join(agentDir, 'sessions', folder, name), text, mtimeSeconds);
}

describe.each([
  ['on disk', () => new FileSessionStorage()],
  ['in memory', () => new MemorySessionStorage()],
])('loadEntriesFromFile %s', (_name, make) => {
  const load = async (text: string) => {
    const storage = make();
    const path = join(agentDir, 'a.jsonl');
    storage.writeTextSync(path, text);
    return await loadEntriesFromFile(path, storage);
  };

  test('a missing file has no entries', async () => {
    expect(await loadEntriesFromFile(join(agentDir, 'none.jsonl'), make())).toEqual([]);
  });

  test.each([
    ['an empty file', ''],
    ['text', 'notes\nmore notes\n'],
    ['entries without a header', fileOf(userLine('m1', null, 'hi'))],
    ['a header without an id', '{"type":"session","cwd":"/w"}\n'],
    ['a number as first value', fileOf('17', headerLine())],
  ])('%s has no entries', async (_kind, text) => {
    expect(await load(text)).toEqual([]);
  });

  test('garbage before the header and damage between entries are skipped', async () => {
    const text = `garbage\n${fileOf(headerLine(), userLine('m1', null, 'a'), '{not json', 'null', userLine('m2', 'm1', 'b'))}`;
    expect((await load(text)).map((entry) => entry.id)).toEqual(['session-1', 'm1', 'm2']);
  });

  test('a title line before the header is part of the header', async () => {
    const text = fileOf('{"type":"title","v":1,"title":"T"}', headerLine(), userLine('m1', null, 'a'));
    expect((await load(text)).map((entry) => entry.type)).toEqual(['session', 'message']);
  });

  test('two values on one line are both read', async () => {
    const text = fileOf(headerLine(), userLine('m1', null, 'a') + userLine('m2', 'm1', 'b'));
    expect(await load(text)).toHaveLength(3);
  });
});

test('a folder in place of a session file is an error, not an empty session', async () => {
  await expect(loadEntriesFromFile(agentDir)).rejects.toThrow(/EISDIR/);
});

describe('recent sessions', () => {
  test('they are the newest by mtime, named by title, prompt, id', async () => {
    const dir = join(agentDir, 'x');
    put(join(dir, 'a.jsonl'), fileOf(headerLine({ title: 'Titled' })), 1000);
    put(join(dir, 'b.jsonl'), fileOf(headerLine(), userLine('m1', null, '\u0007 first line \nsecond')), 3000);
    put(join(dir, 'c.jsonl'), fileOf(headerLine({ id: 'only-id' })), 2000);
    put(join(dir, 'd.jsonl'), fileOf(headerLine()), 500);
    const recent = await getRecentSessions(dir);
    expect(recent.map(({ fullName, mtime }) => [fullName, mtime])).toEqual([
      ['first line', 3_000_000],
      ['only-id', 2_000_000],
      ['Titled', 1_000_000],
    ]);
    expect(recent[0]?.timeAgo).toBe('1970-01-01');
  });

  test('a name has at most 40 characters, and no half of one', async () => {
    const dir = join(agentDir, 'x');
    put(join(dir, 'a.jsonl'), fileOf(headerLine({ title: '😀'.repeat(41) })));
    const [only] = await getRecentSessions(dir, 1);
    expect(only?.name).toBe(`${'😀'.repeat(39)}…`);
    expect(only?.timeAgo).toBe('just now');
  });

  test('a header longer than 4,096 bytes hides nothing', async () => {
    const path = put(join(agentDir, 'x', 'a.jsonl'), fileOf(headerLine({ title: 'x'.repeat(100_000) })));
    expect(await findMostRecentSession(dirname(path))).toBe(path);
  });

  test('files without a header do not count, however new', async () => {
    const dir = join(agentDir, 'x');
    const session = put(join(dir, 'a.jsonl'), fileOf(headerLine()), 1000);
    put(join(dir, 'b.jsonl'), 'text\n', 2000);
    put(join(dir, 'c.jsonl'), fileOf(userLine('m1', null, 'a')), 3000);
    expect(await findMostRecentSession(dir)).toBe(session);
  });

  test('a missing folder has none', async () => {
    expect(await findMostRecentSession(join(agentDir, 'none'))).toBeNull();
  });
});

describe('lists', () => {
  test('a session is described from all of it, and its time is that of the last thing said', async () => {
    const said = '2026-01-02T04:00:00.000Z';
    const label = {
      type: 'label',
      id: 'l1',
      parentId: 'm2',
      timestamp: '2027-01-01T00:00:00.000Z',
      targetId: 'm1',
      label: 'x',
    };
    const text = fileOf(
      headerLine({ title: 'T', parentSession: 'p', cwd: '/w' }),
      userLine('m1', null, 'one'),
      assistantLine('m2', 'm1', 'two'),
      userLine('m3', 'm1', 'three', { timestamp: said }),
      JSON.stringify(label),
    );
    const path = inFolder('--w--', 'a.jsonl', text, 9999);
    expect(await listSessions('/w')).toEqual([
      {
        path,
        id: 'session-1',
        cwd: '/w',
        title: 'T',
        parentSessionPath: 'p',
        created: new Date('2026-01-02T03:04:05.000Z'),
        modified: new Date(said),
        messageCount: 3,
        firstMessage: 'one',
        allMessagesText: 'one two three',
      },
    ]);
  });

  test('sessions of another folder in the same bucket are not this folder’s', async () => {
    inFolder('--w-a-b-c--', 'a.jsonl', fileOf(headerLine({ id: 'dash', cwd: '/w/a-b/c' })));
    inFolder('--w-a-b-c--', 'b.jsonl', fileOf(headerLine({ id: 'slash', cwd: '/w/a/b-c' })));
    expect((await listSessions('/w/a-b/c')).map((info) => info.id)).toEqual(['dash']);
    expect((await listAllSessions()).map((info) => info.id).sort()).toEqual(['dash', 'slash']);
  });

  test('folder names of every agent of the family are looked in', async () => {
    const cwd = makeTempDir();
    const relative = cwd.slice(fs.realpathSync('/tmp').length + 1);
    inFolder(encodeCwd(cwd), 'a.jsonl', fileOf(headerLine({ id: 'document', cwd })));
    inFolder(`-tmp-${relative}`, 'b.jsonl', fileOf(headerLine({ id: 'current', cwd })));
    expect((await listSessions(cwd)).map((info) => info.id).sort()).toEqual(['current', 'document']);
  });

  test('a folder reached through a link has the sessions of both its names', async () => {
    const real = makeTempDir();
    const link = join(makeTempDir(), 'link');
    fs.symlinkSync(real, link);
    inFolder(encodeCwd(real), 'a.jsonl', fileOf(headerLine({ id: 'by-real', cwd: real })));
    inFolder(encodeCwd(link), 'b.jsonl', fileOf(headerLine({ id: 'by-link', cwd: link })));
    expect((await listSessions(link)).map((info) => info.id).sort()).toEqual(['by-link', 'by-real']);
  });

  test('a folder given by name is listed whole', async () => {
    const dir = join(agentDir, 'mine');
    put(join(dir, 'a.jsonl'), fileOf(headerLine({ cwd: '/elsewhere' })));
    expect(await listSessions('/w', dir)).toHaveLength(1);
  });

  test('sub-agents’ files in artifact folders are no sessions of the list', async () => {
    inFolder('--w--', 'a.jsonl', fileOf(headerLine({ id: 'top' })));
    inFolder('--w--/a', 'task.jsonl', fileOf(headerLine({ id: 'sub' })));
    inFolder('--w--/2026-01-01T00-00-00-000Z_0123456789abcdef', 'orphan.jsonl', fileOf(headerLine({ id: 'sub' })));
    inFolder('--w--', '.hidden.jsonl', fileOf(headerLine({ id: 'hidden' })));
    inFolder('deeper/kept', 'b.jsonl', fileOf(headerLine({ id: 'nested' })));
    expect((await listAllSessions()).map((info) => info.id).sort()).toEqual(['nested', 'top']);
  });

  test('damage, null lines and messages without usage keep no session off the list', async () => {
    inFolder(
      '--w--',
      'a.jsonl',
      fileOf(headerLine(), 'null', '7', '{"type":"message","id":"a","parentId":"a","message":null}'),
    );
    inFolder('--w--', 'b.jsonl', fileOf(headerLine(), assistantLine('m', null, 'x', { usage: undefined })));
    inFolder('--w--', 'c.jsonl', 'no session\n');
    fs.mkdirSync(join(agentDir, 'sessions/--w--/d.jsonl'));
    expect(await listSessions('/w')).toHaveLength(2);
  });

  test('a session in memory is listed like one on disk', async () => {
    const storage = new MemorySessionStorage();
    storage.writeTextSync('/m/a.jsonl', fileOf(headerLine(), userLine('m1', null, 'hello')));
    const [only] = await listSessions('/w', '/m', storage);
    expect(only?.firstMessage).toBe('hello');
  });
});

describe('matching', () => {
  test('an id, a file name, and its last part match by their beginning in any case; the newest is first', async () => {
    const older = { timestamp: '2026-01-02T03:00:00.000Z' };
    inFolder('--w--', '2026_ABCD1.jsonl', fileOf(headerLine({ id: 'x1' }), userLine('m', null, 'a', older)));
    inFolder('--w--', '2026_abcd2.jsonl', fileOf(headerLine({ id: 'X2' }), userLine('m', null, 'a')));
    const ids = async (prefix: string) => (await matchSessions(prefix, '/w')).map((match) => match.session.id);
    expect(await ids('abcd')).toEqual(['X2', 'x1']);
    expect(await ids('2026_a')).toEqual(['X2', 'x1']);
    expect(await ids('x2')).toEqual(['X2']);
    expect(await ids('')).toEqual(['X2', 'x1']);
    expect(await ids('none')).toEqual([]);
  });

  test('the folder’s own come before all others, even if their header names another folder', async () => {
    inFolder('--w--', 'a_1.jsonl', fileOf(headerLine({ id: 'id-local', cwd: '/moved' })));
    inFolder('--v--', 'b_2.jsonl', fileOf(headerLine({ id: 'id-global', cwd: '/v' })));
    expect(await resolveResumableSession('id-', '/w')).toMatchObject({ scope: 'local', session: { id: 'id-local' } });
    expect(await resolveResumableSession('id-g', '/w')).toMatchObject({
      scope: 'global',
      session: { id: 'id-global' },
    });
    expect(await resolveResumableSession('id-g', '/w', join(agentDir, 'sessions/--w--'))).toBeUndefined();
  });
});
