import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionEntry } from '../../src/session/entries.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import { answer, linesOf, newSession, type PlaceUnderTest, user } from './session-helpers.ts';
import { assistantLine, fileOf, headerLine, userLine } from './session-text.ts';

/** What every storage must make of going over to another file (contract 1.2 to 1.8). */
export function describeSwitching(make: () => PlaceUnderTest): void {
  const written = async () => {
    const place = make();
    const session = newSession(place);
    const first = session.appendMessage(user('one'));
    session.appendMessage(answer('two'));
    await session.setSessionName('Title', 'user');
    return { ...place, session, first };
  };

  test('a fork has the same entries and leaf under a new id, its title, and the old id as parent', async () => {
    const { session, storage, first } = await written();
    session.branch(first);
    const [oldId, entries] = [session.getSessionId(), session.getEntries()];
    const files = await session.fork();
    expect(files?.newSessionFile).toBe(session.getSessionFile());
    expect(session.getEntries()).toEqual(entries);
    expect(session.getLeafId()).toBe(first);
    const [header, ...lines] = await linesOf(storage, files?.newSessionFile);
    expect(lines).toEqual((await linesOf(storage, files?.oldSessionFile)).slice(1));
    expect(header).toMatchObject({ title: 'Title', titleSource: 'user', parentSession: oldId, cwd: '/w' });
    expect(Object.keys(header!).slice(2, 5)).toEqual(['id', 'title', 'titleSource']);
  });

  test('a fork of what was never written is written', async () => {
    const { storage, dir } = make();
    const session = newSession({ storage, dir });
    session.appendMessage(user('only'));
    const files = await session.fork();
    expect(await linesOf(storage, files?.newSessionFile)).toHaveLength(2);
    expect(storage.existsSync(files?.oldSessionFile ?? '')).toBe(false);
  });

  test('what is appended while a fork is made is in both files', async () => {
    const { session, storage } = await written();
    const forking = session.fork();
    const late = session.appendMessage(user('late'));
    const files = await forking;
    await session.flush();
    for (const path of [files?.oldSessionFile, files?.newSessionFile]) {
      expect((await linesOf(storage, path)).filter((line) => line['id'] === late)).toHaveLength(1);
    }
  });

  test('forkFrom copies a session into another project', async () => {
    const { session, storage, dir } = await written();
    await session.close();
    const copy = await SessionManager.forkFrom(session.getSessionFile() ?? '', '/v', join(dir, 'v'), storage);
    expect(copy.getHeader()).toMatchObject({ cwd: '/v', parentSession: session.getSessionId(), title: 'Title' });
    expect(copy.getEntries()).toEqual(session.getEntries());
    expect(await linesOf(storage, copy.getSessionFile())).toEqual([copy.getHeader(), ...copy.getEntries()]);
    copy.appendMessage(user('three'));
    await copy.close();
    expect(await linesOf(storage, copy.getSessionFile())).toHaveLength(4);
  });

  test('forkFrom migrates in the copy, with the ids that the source reads with, and leaves the source alone', async () => {
    const { storage, dir } = make();
    const old =
      '{"type":"session","id":"old","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n{"type":"message","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"a"}}\n';
    storage.writeTextSync(join(dir, 'old.jsonl'), old);
    const copy = await SessionManager.forkFrom(join(dir, 'old.jsonl'), '/v', dir, storage);
    expect(await storage.readText(join(dir, 'old.jsonl'))).toBe(old);
    expect(await linesOf(storage, copy.getSessionFile())).toEqual([copy.getHeader(), ...copy.getEntries()]);
    const source = await SessionManager.open(join(dir, 'old.jsonl'), undefined, storage);
    expect(copy.getEntries()[0]?.id).toBe(source.getEntries()[0]?.id);
  });

  test('forkFrom of nothing is an empty session', async () => {
    const { storage, dir } = make();
    storage.writeTextSync(join(dir, 'bad.jsonl'), 'text\n');
    for (const name of ['none.jsonl', 'bad.jsonl']) {
      const session = await SessionManager.forkFrom(join(dir, name), '/v', dir, storage);
      expect(session.getEntries()).toEqual([]);
      expect(session.getHeader()?.parentSession).toBeUndefined();
    }
    expect(await storage.readText(join(dir, 'bad.jsonl'))).toBe('text\n');
  });

  test('a branched session holds the way to an entry, its labels at the end, and its title', async () => {
    const { session, storage, first } = await written();
    const second = session.getLeafId() ?? '';
    session.appendLabelChange(first, 'start');
    const third = session.appendMessage(user('three'));
    session.appendLabelChange(third, 'wrong');
    session.appendLabelChange(third, 'end');
    session.branch(first);
    session.appendMessage(user('elsewhere'));
    const oldFile = session.getSessionFile();
    const path = session.createBranchedSession(third);
    expect(path).toBe(session.getSessionFile());
    const [header, ...lines] = await linesOf(storage, path);
    expect(header).toMatchObject({ parentSession: oldFile, title: 'Title', titleSource: 'user' });
    const expected: [unknown, unknown, unknown][] = [
      [first, null, undefined],
      [second, first, undefined],
      [third, second, undefined],
      [lines[3]?.['id'], third, 'start'],
      [lines[4]?.['id'], lines[3]?.['id'], 'end'],
    ];
    expect(lines.map((line) => [line['id'], line['parentId'], line['label']])).toEqual(expected);
    expect(session.getEntries()).toEqual(lines);
    expect(session.getLeafId()).toBe(lines[4]?.['id']);
    expect(session.buildSessionContext().messages).toHaveLength(3);
    expect(() => session.createBranchedSession('none')).toThrow('Entry none not found');
  });

  test('a branch is written at once even without an answer, also of a session that has no file', async () => {
    const { storage, dir } = make();
    const session = newSession({ storage, dir });
    const first = session.appendMessage(user('only'));
    expect(await linesOf(storage, session.createBranchedSession(first))).toHaveLength(2);
  });

  test('an append queued for one file never lands in another', async () => {
    const { session, storage, first } = await written();
    const oldFile = session.getSessionFile();
    const renaming = session.setSessionName('New', 'user');
    const old = session.appendMessage(user('old file'));
    const path = session.createBranchedSession(first);
    const fresh = session.appendMessage(user('new file'));
    await renaming;
    await session.flush();
    const ids = async (file: string | undefined) => (await linesOf(storage, file)).map((line) => line['id']);
    expect(await ids(oldFile)).toContain(old);
    expect(await ids(oldFile)).not.toContain(fresh);
    expect(await ids(path)).toEqual([session.getSessionId(), first, fresh]);
  });

  test('in memory nothing has a file', async () => {
    const session = SessionManager.inMemory('/w', make().storage);
    const id = session.appendMessage(answer('a'));
    expect(session.appendCustomEntry('x', { n: 1n })).toMatch(/^[0-9a-f]{8}$/);
    expect([session.isPersisted(), session.getSessionFile(), session.getSessionDir()]).toEqual([false, undefined, '']);
    expect(await session.fork()).toBeUndefined();
    expect(session.createBranchedSession(id)).toBeUndefined();
    expect(session.getEntries()).toHaveLength(1);
    expect(await session.newSession()).toBeUndefined();
    expect(await session.allocateArtifactPath('bash')).toEqual({});
    expect(session.getArtifactsDir()).toBeNull();
    expect(await session.readArtifact(await session.saveArtifact('kept', 'bash'))).toBe('kept');
    expect(await session.setSessionName('T')).toBe(true);
    await session.moveTo('/v');
    expect(session.getHeader()?.cwd).toBe('/v');
    await session.ensureOnDisk();
    await session.rewriteEntries();
    await session.flush();
    await session.close();
  });
}

/** What every storage must make of rewrites (contract 1.2 to 1.8). */
export function describeRewriting(make: () => PlaceUnderTest): void {
  /** A file with everything that a rewrite must leave alone. */
  const odd = [
    headerLine({ future: 12345678901234567890n.toString() }).replace('"12345678901234567890"', '12345678901234567890'),
    userLine('m1', null, 'a').replace('"timestamp":1767', '"n":1.00,"timestamp":1767'),
    '{"unparseable": ',
    `  {"type":"future","id":"f1","parentId":"m1","timestamp":"x","z":1e400,"a":[12345678901234567890]}`,
    '',
    'null',
    '{"type":"session","id":"second","timestamp":"x"}',
    assistantLine('m2', 'f1', 'b', {
      content: [
        { type: 'thinking', thinking: 'hm', thinkingSignature: 'sig' },
        { type: 'toolCall', id: 'call', name: 'read', arguments: { path: 'a' } },
      ],
      providerPayload: { type: 'openaiResponsesHistory', items: [1] },
    }),
  ];
  const put = () => {
    const place = make();
    const path = join(place.dir, 's.jsonl');
    place.storage.writeTextSync(path, fileOf(...odd));
    return { ...place, path };
  };
  const open = async () => {
    const place = put();
    return { ...place, session: await SessionManager.open(place.path, undefined, place.storage) };
  };

  test('a title changes the header alone; every other byte stays', async () => {
    const { session, storage, path } = await open();
    expect(await session.setSessionName(' My\u0007  new\ntitle ', 'user')).toBe(true);
    const [header, ...rest] = (await storage.readText(path)).split('\n');
    expect(header).toBe(odd[0]!.replace(/}$/, ',"title":"My new title","titleSource":"user"}'));
    expect(rest.join('\n')).toBe(fileOf(...odd.slice(1)));
  });

  test('a blank title is none, and the user’s is not an agent’s to change', async () => {
    const { session } = await open();
    expect(await session.setSessionName(' \n ')).toBe(false);
    expect(await session.setSessionName('one')).toBe(true);
    expect(session.titleSource).toBe('auto');
    expect(await session.setSessionName('two', 'user')).toBe(true);
    expect(await session.setSessionName('three')).toBe(false);
    expect(session.getSessionName()).toBe('two');
  });

  test('rewriteEntries without a change keeps the file byte for byte', async () => {
    const { session, storage, path } = await open();
    await session.rewriteEntries();
    expect(await storage.readText(path)).toBe(fileOf(...odd));
  });

  test('rewriteEntries writes what changed, keeps replay data, and nothing else', async () => {
    const { session, storage, path } = await open();
    const entry = session.getEntry('m2') as SessionEntry & { message: { content: { thinkingSignature?: string }[] } };
    expect(entry.message.content[0]).not.toHaveProperty('thinkingSignature');
    expect(entry.message).not.toHaveProperty('providerPayload');
    Object.assign(entry.message, { errorMessage: 'changed' });
    await session.rewriteEntries();
    const lines = (await storage.readText(path)).split('\n');
    expect(lines.slice(0, 7)).toEqual(odd.slice(0, 7));
    expect(JSON.parse(lines[7]!).message).toMatchObject({
      errorMessage: 'changed',
      content: [{ thinkingSignature: 'sig' }, { id: 'call' }],
      providerPayload: { items: [1] },
    });
  });

  test('the arguments of one tool call change, in memory and in the file', async () => {
    const { session, storage, path } = await open();
    expect(await session.rewriteAssistantToolCallArgs('call', { path: 'b' })).toBe(true);
    const lines = (await storage.readText(path)).split('\n');
    expect(lines.slice(0, 7)).toEqual(odd.slice(0, 7));
    expect(JSON.parse(lines[7]!).message.content[1].arguments).toEqual({ path: 'b' });
    expect(JSON.parse(lines[7]!).message.providerPayload).toEqual({ type: 'openaiResponsesHistory', items: [1] });
    expect(await session.rewriteAssistantToolCallArgs('none', {})).toBe(false);
    await expect(session.rewriteAssistantToolCallArgs('call', { n: 1n })).rejects.toThrow(TypeError);
    expect(JSON.stringify(session.getEntry('m2'))).toContain('{"path":"b"}');
  });

  test('rewrites and appends that nobody awaits neither lose nor double an entry', async () => {
    const { session, storage, path } = await open();
    const pending: Promise<unknown>[] = [];
    const ids: string[] = [];
    for (let round = 0; round < 20; round++) {
      ids.push(session.appendMessage(user(`a${round}`)));
      pending.push(session.setSessionName(`title ${round}`, 'user'));
      ids.push(session.appendMessage(user(`b${round}`)));
      if (round % 5 === 0) pending.push(session.rewriteEntries());
      if (round % 7 === 0) pending.push(session.flush());
    }
    await Promise.all(pending);
    await session.close();
    const text = await storage.readText(path);
    const added = text.split('\n').slice(8, -1);
    expect(added.map((line) => JSON.parse(line).id)).toEqual(ids);
    expect(text).toContain('"title":"title 19"');
  });

  test('entries that vanished from the file come back with rewriteEntries', async () => {
    const { session, storage, path } = await open();
    storage.writeTextSync(path, fileOf(odd[0]!));
    await session.rewriteEntries();
    const reread = await SessionManager.open(path, undefined, storage);
    expect(reread.getEntries().map((entry) => entry.id)).toEqual(['m1', 'f1', 'm2']);
  });

  test('a deleted file is written anew with the next entry', async () => {
    const { session, storage, path } = await open();
    session.appendMessage(user('x'));
    await session.flush();
    await storage.unlink(path);
    const id = session.appendMessage(user('y'));
    await session.flush();
    const reread = await SessionManager.open(path, undefined, storage);
    expect(reread.getLeafId()).toBe(id);
    expect(reread.getEntries().map((entry) => entry.id)).toEqual(session.getEntries().map((entry) => entry.id));
  });

  test('omp’s title line goes with a new title, at its own length', async () => {
    const { storage, dir } = make();
    const path = join(dir, 'omp.jsonl');
    const slot = '{"type":"title","v":1,"title":"Old","source":"auto","updatedAt":"x","pad":"          "}';
    storage.writeTextSync(path, fileOf(slot, headerLine(), userLine('m1', null, 'a')));
    const session = await SessionManager.open(path, undefined, storage);
    expect(session.getSessionName()).toBe('Old');
    await session.setSessionName('Newer', 'user');
    const [first, second, third] = (await storage.readText(path)).split('\n');
    expect(first).toBe('{"type":"title","v":1,"title":"Newer","source":"user","updatedAt":"x","pad":"        "}');
    expect(JSON.parse(second!)).toMatchObject({ type: 'session', title: 'Newer' });
    expect(third).toBe(userLine('m1', null, 'a'));
    expect((await SessionManager.open(path, undefined, storage)).getSessionName()).toBe('Newer');
  });
}
