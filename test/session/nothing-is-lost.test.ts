import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SessionManager } from '../../src/session/session-manager.ts';
import { FileSessionStorage } from '../../src/session/session-storage.ts';
import { useAgentFolder } from './agent-folder.ts';
import { answer, newSession, user } from './session-helpers.ts';
import { assistantLine, fileOf, headerLine, userLine } from './session-text.ts';
import { makeTempDir } from './temp-dir.ts';

const place = useAgentFolder();
const storage = new FileSessionStorage();

function put(text: string, name = 's.jsonl'): string {
  const path = join(place.sessionDir, name);
  fs.mkdirSync(place.sessionDir, { recursive: true });
  fs.writeFileSync(path, text);
  return path;
}

function read(path: string | undefined): string {
  return fs.readFileSync(path ?? '', 'utf8');
}

function linesAt(path: string | undefined): Record<string, unknown>[] {
  return read(path)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function openSession(path: string, options = {}): Promise<SessionManager> {
  const session = await SessionManager.open(path, undefined, storage, options);
  onTestFinished(async () => void (await Promise.allSettled([session.close()])));
  return session;
}

describe('files that are no sessions', () => {
  const hushWarnings = () => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warning.mockRestore());
    return warning;
  };

  test.each([
    ['a torn header', '{"type":"session","version":3,"id":"abc","times'],
    ['a damaged header before a message', `{broken header\n${userLine('m1', null, 'precious')}\n`],
    ['a header without an id', '{"type":"session","version":3}\n'],
    ['any other text', 'my notes\n'],
    ['NULs', '\0'.repeat(500)],
  ])('%s is moved aside whole before a session begins at its path', async (_kind, text) => {
    const warning = hushWarnings();
    const path = put(text);
    const session = await openSession(path);
    expect(warning).toHaveBeenCalledWith(expect.stringContaining('.not-a-session'), 'SessionMovedAside');
    const aside = session.getMovedAsideFile();
    expect(aside).toBe(`${path}.not-a-session`);
    expect(read(aside)).toBe(text);
    expect(linesAt(path)).toEqual([session.getHeader()]);
  });

  test('what was moved aside before stays', async () => {
    hushWarnings();
    const path = put('first');
    await openSession(path);
    fs.writeFileSync(path, 'second');
    const session = await openSession(path);
    expect(session.getMovedAsideFile()).toBe(`${path}.not-a-session-2`);
    expect([read(`${path}.not-a-session`), read(`${path}.not-a-session-2`)]).toEqual(['first', 'second']);
  });

  test('continueRecent skips a breadcrumb that names one, or a session without a turn', async () => {
    vi.stubEnv('TMUX_PANE', '%77');
    onTestFinished(() => void vi.unstubAllEnvs());
    const session = put(fileOf(headerLine({ cwd: '/w' }), userLine('m1', null, 'a')));
    const breadcrumb = join(place.agentDir, 'terminal-sessions', 'tmux-%77');
    fs.mkdirSync(dirname(breadcrumb), { recursive: true });
    for (const [name, text] of [
      ['notes.txt', 'notes'],
      ['empty.jsonl', fileOf(headerLine())],
    ] as const) {
      const other = join(place.agentDir, name);
      fs.writeFileSync(other, text);
      fs.writeFileSync(breadcrumb, `/w\n${other}\n`);
      expect((await SessionManager.continueRecent('/w')).getSessionFile()).toBe(session);
      expect(read(other)).toBe(text);
    }
  });

  test('continueRecent goes where the breadcrumb says, else to the newest of the project, else begins', async () => {
    vi.stubEnv('TMUX_PANE', '%78');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await SessionManager.continueRecent('/w')).getEntries()).toEqual([]);
    const older = put(fileOf(headerLine({ cwd: '/w' }), userLine('m1', null, 'a')), 'older.jsonl');
    const newer = put(fileOf(headerLine({ cwd: '/w' }), userLine('m1', null, 'b')), 'newer.jsonl');
    put(fileOf(headerLine({ cwd: '/other' }), userLine('m1', null, 'c')), 'foreign.jsonl');
    for (const [path, seconds] of [
      [older, 1000],
      [newer, 2000],
    ] as const)
      fs.utimesSync(path, seconds, seconds);
    expect((await SessionManager.continueRecent('/w')).getSessionFile()).toBe(newer);
    await openSession(older);
    const trail = join(place.agentDir, 'terminal-sessions', 'tmux-%78');
    expect(read(trail)).toBe(`/w\n${older}\n`);
    expect((await SessionManager.continueRecent('/w')).getSessionFile()).toBe(older);
    await openSession(newer, { breadcrumb: false });
    expect(read(trail)).toBe(`/w\n${older}\n`);
  });
});

describe('appends', () => {
  test('one to a file without a final newline completes its last line first', async () => {
    const torn = '{"type":"message","id":"torn1","parentId":"m1","timestamp":"x","message":{"role":"us';
    const path = put(fileOf(headerLine(), userLine('m1', null, 'a')) + torn);
    const session = await openSession(path);
    session.appendLabelChange('m1', 'L');
    await session.flush();
    const lines = read(path).split('\n');
    expect(lines[2]).toBe(torn);
    expect(JSON.parse(lines[3]!)).toMatchObject({ type: 'label', parentId: 'm1' });
    expect(lines[4]).toBe('');
  });

  test('new files have mode 0600 in folders of 0700, whatever the umask', async () => {
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const session = newSession({ storage, dir: join(place.agentDir, 'sessions', 'fresh') });
    session.appendMessage(answer('a', { content: [{ type: 'image', data: 'A'.repeat(2048), mimeType: 'image/png' }] }));
    await session.flush();
    const file = session.getSessionFile() ?? '';
    await session.setSessionName('T');
    await session.saveArtifact('text', 'bash');
    for (const path of fs.readdirSync(place.agentDir, { recursive: true, encoding: 'utf8' })) {
      const stat = fs.statSync(join(place.agentDir, path));
      expect([path, stat.mode & 0o777]).toEqual([path, stat.isDirectory() ? 0o700 : 0o600]);
    }
    expect(fs.existsSync(file)).toBe(true);
  });
});

describe('rewrites', () => {
  test('one keeps mode and link, and leaves no temporary file', async () => {
    const real = join(makeTempDir(), 'real.jsonl');
    fs.writeFileSync(real, fileOf(headerLine(), userLine('m1', null, 'a')), { mode: 0o640 });
    fs.mkdirSync(place.sessionDir, { recursive: true });
    const link = join(place.sessionDir, 'link.jsonl');
    fs.symlinkSync(real, link);
    const session = await openSession(link);
    await session.setSessionName('T', 'user');
    expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
    expect(fs.statSync(real).mode & 0o777).toBe(0o640);
    expect(linesAt(real)[0]).toMatchObject({ title: 'T' });
    expect(fs.readdirSync(dirname(real))).toEqual(['real.jsonl']);
  });

  test('lines that another process added since are kept', async () => {
    const path = put(fileOf(headerLine(), userLine('m1', null, 'a')));
    const session = await openSession(path);
    fs.appendFileSync(path, fileOf(userLine('theirs', 'm1', 'b')));
    session.appendMessage(user('ours'));
    await session.setSessionName('T', 'user');
    await session.rewriteEntries();
    expect(linesAt(path).map((line) => line['id'])).toEqual(['session-1', 'm1', 'theirs', session.getLeafId()]);
  });

  test('one is refused, with the process named, while another process has the file open; appends are not', async () => {
    const path = put(fileOf(headerLine(), userLine('m1', null, 'a')));
    const session = await openSession(path);
    const script = `require('node:fs').openSync(process.argv[1], 'a'); console.log('open'); process.stdin.resume();`;
    const child = spawn(process.execPath, ['-e', script, path], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const refused = expect.objectContaining({
      code: 'live',
      message: expect.stringContaining(`process ${child.pid} `),
    });
    const before = read(path);
    await expect(session.setSessionName('T', 'user')).rejects.toEqual(refused);
    await expect(session.rewriteEntries()).rejects.toEqual(refused);
    await expect(session.moveTo('/v')).rejects.toEqual(refused);
    expect(read(path)).toBe(before);
    expect([session.getSessionName(), session.getCwd(), session.getSessionFile()]).toEqual([undefined, '/w', path]);
    session.appendMessage(user('still'));
    await session.flush();
    expect(linesAt(path)).toHaveLength(3);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    expect(await session.setSessionName('T', 'user')).toBe(true);
  });

  test('replay data is stripped in memory and stays in the file', async () => {
    const message = {
      content: [
        { type: 'thinking', thinking: 'hm', thinkingSignature: 'secret' },
        { type: 'text', text: 'x', textSignature: 'kept' },
      ],
      providerPayload: { type: 'openaiResponsesHistory', items: [{ a: 1 }] },
    };
    const path = put(fileOf(headerLine(), assistantLine('m1', null, 'a', message)));
    const [before, mtimeMs] = [read(path), fs.statSync(path).mtimeMs];
    const session = await openSession(path);
    const inMemory = JSON.stringify(session.getEntries());
    expect(inMemory).not.toContain('secret');
    expect(inMemory).not.toContain('openaiResponsesHistory');
    expect(inMemory).toContain('kept');
    expect(session.sanitizeLoadedOpenAIResponsesReplayMetadata()).toBe(false);
    await session.close();
    expect([read(path), fs.statSync(path).mtimeMs]).toEqual([before, mtimeMs]);
    await session.setSessionName('T', 'user');
    expect(read(path).split('\n').slice(1).join('\n')).toBe(before.split('\n').slice(1).join('\n'));
  });
});

describe('branches', () => {
  const long = 'x'.repeat(600_000);
  const image = Buffer.from('an image '.repeat(300)).toString('base64');
  const lines = [
    headerLine(),
    userLine('m1', null, 'a').replace('"timestamp":1767', '"big":12345678901234567890, "timestamp":1767'),
    '{"type":"label","id":"l1","parentId":"m1","timestamp":"x","targetId":"m1","label":"L"}',
    assistantLine('m2', 'l1', long),
    '{"type":"future","id":"f1","parentId":"m2","timestamp":"x",  "z":1e400}',
    '{"type":"message","id":"d1","parentId":"f1","timestamp":"x","message":{"role":"user","content":"torn',
    userLine('m3', 'd1', '').replace(
      '"content":""',
      `"content":[{"type":"image","mimeType":"image/png","data":"${image}"}]`,
    ),
  ];

  test('lines are copied byte for byte, children of labels re-parented, nothing is cut', async () => {
    const session = await openSession(put(fileOf(...lines)), { blobs: false });
    expect(session.getBranch().map((entry) => entry.id)).toEqual(['m1', 'l1', 'm2', 'f1', 'm3']);
    const [, ...copied] = read(session.createBranchedSession('m3')).split('\n');
    expect(copied.slice(0, 5)).toEqual([
      lines[1],
      lines[3]!.replace('"parentId":"l1"', '"parentId":"m1"'),
      lines[4],
      lines[5],
      lines[6],
    ]);
    expect(JSON.parse(copied[5]!)).toMatchObject({ type: 'label', targetId: 'm1', label: 'L', parentId: 'm3' });
    expect(session.buildSessionContext().messages).toHaveLength(3);
  });

  test('a large inline image goes to a blob where there are blobs, in branch and fork alike', async () => {
    const session = await openSession(put(fileOf(...lines)));
    const expected = /"data":"blob:sha256:[0-9a-f]{64}"/;
    const fork = await session.fork();
    expect(read(fork?.newSessionFile)).toMatch(expected);
    expect(read(fork?.newSessionFile)).toContain('"big":12345678901234567890, ');
    const branch = session.createBranchedSession('m3');
    expect(read(branch)).toMatch(expected);
    const again = await openSession(branch ?? '');
    expect(JSON.stringify(again.getEntry('m3'))).toContain(image);
    expect(fs.readdirSync(join(place.agentDir, 'blobs'))).toHaveLength(1);
  });

  test('one that cannot be written changes nothing', async () => {
    const path = put(fileOf(headerLine(), userLine('m1', null, 'a')));
    const session = await openSession(path);
    const failing = vi.spyOn(storage, 'createFileSync').mockImplementation(() => {
      throw Object.assign(new Error('ENOSPC: full'), { code: 'ENOSPC' });
    });
    onTestFinished(() => failing.mockRestore());
    expect(() => session.createBranchedSession('m1')).toThrow('ENOSPC');
    expect([session.getSessionFile(), session.getSessionId()]).toEqual([path, 'session-1']);
  });
});

describe('moves', () => {
  test('file, artifacts and header go along; a sibling folder is the target', async () => {
    const session = newSession({ storage, dir: place.sessionDir });
    session.appendMessage(answer('a'));
    await session.flush();
    await session.saveArtifact('output', 'bash');
    const old = session.getSessionFile() ?? '';
    await session.moveTo('/v');
    const file = session.getSessionFile() ?? '';
    expect(dirname(file)).toBe(join(place.agentDir, 'sessions', '--v--'));
    expect(linesAt(file)[0]).toMatchObject({ cwd: '/v' });
    expect(fs.readdirSync(file.replace(/\.jsonl$/, ''))).toEqual(['0.bash.log']);
    expect(fs.readdirSync(dirname(old))).toEqual([]);
    session.appendMessage(user('goes on'));
    await session.close();
    expect(linesAt(file)).toHaveLength(3);
  });

  test.each(['s.jsonl', 's'])('a move onto an existing %s is refused and everything stays', async (name) => {
    const path = put(fileOf(headerLine(), userLine('m1', null, 'a')));
    fs.mkdirSync(path.replace(/\.jsonl$/, ''));
    const taken = join(place.agentDir, 'sessions', '--v--', name);
    fs.mkdirSync(dirname(taken), { recursive: true });
    if (name === 's') fs.mkdirSync(taken);
    else fs.writeFileSync(taken, 'theirs');
    const before = read(path);
    const session = await openSession(path);
    await expect(session.moveTo('/v')).rejects.toMatchObject({ code: 'already_exists' });
    expect(read(path)).toBe(before);
    expect(fs.existsSync(path.replace(/\.jsonl$/, ''))).toBe(true);
    expect(fs.readdirSync(dirname(taken))).toEqual([name]);
    expect(session.getCwd()).toBe('/w');
    session.appendMessage(user('goes on'));
    await session.flush();
    expect(linesAt(path)).toHaveLength(3);
  });

  test('a session that was never written stays unwritten, and is written where it moved to', async () => {
    const session = newSession({ storage, dir: place.sessionDir });
    session.appendMessage(user('a'));
    await session.moveTo('/v');
    expect(fs.existsSync(session.getSessionFile() ?? '')).toBe(false);
    session.appendMessage(answer('b'));
    await session.flush();
    expect(session.getSessionFile()).toContain('--v--');
    expect(linesAt(session.getSessionFile())[0]).toMatchObject({ cwd: '/v' });
  });

  test('a folder not named after the project is left for the process’s own', async () => {
    const path = join(place.agentDir, 'elsewhere', 's.jsonl');
    fs.mkdirSync(dirname(path));
    fs.writeFileSync(path, fileOf(headerLine()));
    const session = await openSession(path);
    await session.moveTo('/v');
    expect(session.getSessionFile()).toBe(join(place.agentDir, 'sessions', '--v--', 's.jsonl'));
  });
});

describe('odd files open, list and draw', () => {
  test('cycles, self-parents, duplicates, orphans, null lines, bad times, a BOM, CRLF, NULs', async () => {
    const text = [
      `\ufeff${headerLine({ pad: 'x'.repeat(5000) })}`,
      userLine('a', 'b', 'a'),
      userLine('b', 'a', 'b'),
      userLine('c', 'c', 'c'),
      userLine('d', null, 'd1', { timestamp: 'yesterday' }),
      userLine('d', 'a', 'd2'),
      'null',
      '17',
      '\0'.repeat(500),
      assistantLine('u', 'd', 'x', { usage: undefined }),
      assistantLine('v', 'u', 'x', { usage: { input: 'many', cost: null } }),
      '{"type":"message","id":"n","parentId":"v","timestamp":"x","message":null}',
      '{"type":"label","id":"t","parentId":"n","timestamp":"x","targetId":7,"label":{}}',
      userLine('e', 'gone', 'e'),
    ].join('\r\n');
    const path = put(text);
    const session = await openSession(path);
    const shown: string[] = [];
    const pending = session.getTree();
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      shown.push(node.entry.id);
      pending.push(...node.children);
    }
    expect(shown.sort()).toEqual(['a', 'b', 'c', 'd', 'd', 'e', 'n', 't', 'u', 'v']);
    for (const entry of session.getEntries()) {
      expect(session.getBranch(entry.id).at(-1)?.id).toBe(entry.id);
      session.branch(entry.id);
      session.buildSessionContext();
      session.getChildren(entry.id);
    }
    expect(session.getUsageStatistics().input).toBe(0);
    expect((await SessionManager.list('/w'))[0]?.messageCount).toBe(9);
    await session.close();
    expect(read(path)).toBe(text);
  });

  test('children of a damaged entry hang from what is above it', async () => {
    const damaged = '{"type":"message","id":"d1","parentId":"m1","timestamp":"x","message":{"role":"user","con';
    const session = await openSession(
      put(fileOf(headerLine(), userLine('m1', null, 'a'), damaged, userLine('m2', 'd1', 'b'))),
    );
    expect(session.getBranch().map((entry) => entry.id)).toEqual(['m1', 'm2']);
    expect(session.getTree()[0]?.children.map((node) => node.entry.id)).toEqual(['m2']);
    expect(session.getEntry('d1')).toBeUndefined();
    expect(session.buildSessionContext().messages).toHaveLength(2);
  });

  test('a reference that names a path reads nothing', async () => {
    fs.writeFileSync(join(place.agentDir, 'secret'), 'secret');
    const block = { type: 'image', data: 'blob:sha256:../secret', mimeType: 'image/png' };
    const session = await openSession(put(fileOf(headerLine(), assistantLine('m1', null, 'x', { content: [block] }))));
    expect(JSON.stringify(session.getEntries())).toContain('blob:sha256:../secret');
  });
});
