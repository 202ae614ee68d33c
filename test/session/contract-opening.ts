import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SessionManager } from '../../src/session/session-manager.ts';
import { answer, linesOf, newSession, type PlaceUnderTest, user } from './session-helpers.ts';
import { assistantLine, fileOf, headerLine, userLine } from './session-text.ts';

/** What every storage must make of opening (contract 1.2 to 1.8). */
export function describeOpening(make: () => PlaceUnderTest): void {
  const put = (...lines: readonly string[]) => {
    const place = make();
    const path = join(place.dir, 's.jsonl');
    place.storage.writeTextSync(path, fileOf(...lines));
    return { ...place, path };
  };

  test('a missing file is created with a header alone, and opens as the same session again', async () => {
    const { storage, dir } = make();
    const path = join(dir, 'new.jsonl');
    const session = await SessionManager.open(path, undefined, storage);
    await session.close();
    expect(await linesOf(storage, path)).toEqual([session.getHeader()]);
    const again = await SessionManager.open(path, undefined, storage);
    expect(again.getSessionId()).toBe(session.getSessionId());
  });

  test('an empty file is replaced by a header', async () => {
    const { storage, path } = put();
    const session = await SessionManager.open(path, undefined, storage);
    expect(await linesOf(storage, path)).toEqual([session.getHeader()]);
    expect(session.getMovedAsideFile()).toBeUndefined();
  });

  test('project, title, leaf and labels come from the file; the folder is the file’s', async () => {
    const label = { type: 'label', id: 'l1', parentId: 'm2', timestamp: 'x', targetId: 'm1', label: 'L' };
    const { storage, path, dir } = put(
      headerLine({ cwd: '/p', title: 'T', titleSource: 'user' }),
      userLine('m1', null, 'a'),
      assistantLine('m2', 'm1', 'b'),
      JSON.stringify(label),
    );
    const session = await SessionManager.open(path, undefined, storage);
    expect(session.getCwd()).toBe('/p');
    expect(session.getSessionDir()).toBe(dir);
    expect(session.getSessionName()).toBe('T');
    expect(session.titleSource).toBe('user');
    expect(session.getLeafId()).toBe('l1');
    expect(session.getLabel('m1')).toBe('L');
    expect(session.getUsageStatistics().cost).toBeCloseTo(0.3);
  });

  test('opening, flushing and closing an up-to-date file changes nothing', async () => {
    const { storage, path } = put(headerLine(), userLine('m1', null, 'a'));
    const before = [await storage.readText(path), storage.statSync(path).mtimeMs];
    const session = await SessionManager.open(path, undefined, storage);
    await session.ensureOnDisk();
    await session.close();
    expect([await storage.readText(path), storage.statSync(path).mtimeMs]).toEqual(before);
  });

  test('an older file is migrated and written down at once; the same ids come out of every reading', async () => {
    const lines = [
      '{"type":"session","id":"old","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}',
      '{"type":"message","timestamp":"2026-01-01T00:00:00.000Z","big":12345678901234567890,"message":{"role":"user","content":"a","timestamp":1}}',
      '{broken',
      '{"type":"message","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"hookMessage","customType":"x","content":"h","display":true,"timestamp":1}}',
      '{"type":"compaction","timestamp":"2026-01-01T00:00:00.000Z","summary":"s","firstKeptEntryIndex":2,"tokensBefore":1}',
    ];
    const { storage, path, dir } = put(...lines);
    const session = await SessionManager.open(path, undefined, storage);
    const text = await storage.readText(path);
    const [header, m1, broken, m2, compaction] = text.split('\n');
    const [a, b, c] = session.getEntries();
    expect(header).toBe('{"type":"session","version":3,"id":"old","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}');
    expect(m1).toBe(lines[1]!.replace('"message",', `"message","id":"${a!.id}","parentId":null,`));
    expect(broken).toBe('{broken');
    expect(m2).toContain(`"id":"${b!.id}","parentId":"${a!.id}"`);
    expect(m2).toContain('"role":"custom"');
    expect(JSON.parse(compaction!)).toMatchObject({ id: c!.id, parentId: b!.id, firstKeptEntryId: b!.id });
    expect(compaction).not.toContain('firstKeptEntryIndex');
    for (const { id } of session.getEntries()) expect(id).toMatch(/^[0-9a-f]{8}$/);
    const other = join(dir, 'other.jsonl');
    storage.writeTextSync(other, fileOf(...lines));
    const fresh = await SessionManager.open(other, undefined, storage);
    expect(fresh.getEntries().map((entry) => entry.id)).toEqual([a!.id, b!.id, c!.id]);
    await (await SessionManager.open(path, undefined, storage)).close();
    expect(await storage.readText(path)).toBe(text);
  });

  test('a session opened for its context continues where it ended', async () => {
    const { storage, path } = put(headerLine(), userLine('m1', null, 'a'));
    const session = await SessionManager.open(path, undefined, storage);
    session.appendMessage(user('b'));
    await session.flush();
    const lines = await linesOf(storage, path);
    expect(lines.at(-1)).toMatchObject({ parentId: 'm1' });
    expect(session.buildSessionContext().messages).toHaveLength(2);
  });

  test('the leaf’s position is not stored', async () => {
    const { storage, path } = put(headerLine(), userLine('m1', null, 'a'), userLine('m2', 'm1', 'b'));
    const session = await SessionManager.open(path, undefined, storage);
    session.branch('m1');
    await session.close();
    expect((await SessionManager.open(path, undefined, storage)).getLeafId()).toBe('m2');
  });

  test('a file in which nobody asked for a session is refused where only sessions are wanted', async () => {
    const { storage, path, dir } = put('some text');
    const options = { mustBeSession: true };
    await expect(SessionManager.open(path, undefined, storage, options)).rejects.toMatchObject({
      code: 'not_a_session',
    });
    const missing = SessionManager.open(join(dir, 'none.jsonl'), undefined, storage, options);
    await expect(missing).rejects.toMatchObject({ code: 'not_found' });
    expect(await storage.readText(path)).toBe('some text\n');
    expect(storage.existsSync(join(dir, 'none.jsonl'))).toBe(false);
  });
}

/** What every storage must make of the tree (contract 1.2 to 1.8). */
export function describeTree(make: () => PlaceUnderTest): void {
  const branched = () => {
    const { storage, dir } = make();
    const session = newSession({ storage, dir });
    const a = session.appendMessage(user('a'));
    const b = session.appendMessage(answer('b'));
    session.branch(a);
    const c = session.appendMessage(answer('c'));
    return { session, storage, a, b, c };
  };

  test('branch moves the leaf only; the next entry is a sibling', () => {
    const { session, a, b, c } = branched();
    expect(session.getChildren(a).map((entry) => entry.id)).toEqual([b, c]);
    expect(session.getBranch().map((entry) => entry.id)).toEqual([a, c]);
    expect(session.getBranch(b).map((entry) => entry.id)).toEqual([a, b]);
    expect(session.getBranch('none')).toEqual([]);
    expect(() => session.branch('none')).toThrow('Entry none not found');
    expect(session.getLeafEntry()?.id).toBe(c);
  });

  test('after resetLeaf the next entry is a root', () => {
    const { session } = branched();
    session.resetLeaf();
    expect(session.getLeafEntry()).toBeUndefined();
    expect(session.buildSessionContext().messages).toEqual([]);
    const root = session.appendMessage(user('again'));
    expect(session.getEntry(root)?.parentId).toBeNull();
    expect(session.getTree()).toHaveLength(2);
  });

  test('branchWithSummary names where it branched, "root" before the first entry', () => {
    const { session, a } = branched();
    const one = session.branchWithSummary(a, 'was there', { d: 1 }, true);
    expect(session.getEntry(one)).toMatchObject({ parentId: a, fromId: a, details: { d: 1 }, fromExtension: true });
    const two = session.branchWithSummary(null, 's');
    expect(session.getEntry(two)).toMatchObject({ parentId: null, fromId: 'root' });
    expect(() => session.branchWithSummary('none', 's')).toThrow('Entry none not found');
  });

  test('getTree gives nodes with labels, children by time', async () => {
    const { storage, dir } = make();
    const path = join(dir, 's.jsonl');
    const at = (second: number) => ({ timestamp: `2026-01-01T00:00:0${second}.000Z` });
    storage.writeTextSync(
      path,
      fileOf(
        headerLine(),
        userLine('r', null, 'r'),
        userLine('late', 'r', 'x', at(5)),
        userLine('early', 'r', 'y', at(1)),
        userLine('orphan', 'gone', 'z'),
        JSON.stringify({ type: 'label', id: 'l', parentId: 'early', timestamp: 'x', targetId: 'r', label: 'L' }),
      ),
    );
    const tree = (await SessionManager.open(path, undefined, storage)).getTree();
    expect(tree.map((node) => [node.entry.id, node.label])).toEqual([
      ['r', 'L'],
      ['orphan', undefined],
    ]);
    expect(tree[0]?.children.map((node) => node.entry.id)).toEqual(['early', 'late']);
  });

  test('rules and the last model’s role are those of the branch', () => {
    const { session, a } = branched();
    session.appendTtsrInjection(['x', 'y']);
    session.appendModelChange('p/m');
    session.appendTtsrInjection(['y', 'z']);
    expect(session.getInjectedTtsrRules()).toEqual(['x', 'y', 'z']);
    expect(session.getLastModelChangeRole()).toBe('default');
    session.appendModelChange('p/m', 'smol');
    expect(session.getLastModelChangeRole()).toBe('smol');
    session.branch(a);
    expect(session.getInjectedTtsrRules()).toEqual([]);
    expect(session.getLastModelChangeRole()).toBeUndefined();
  });

  test('a captured state comes back whole, with its last entry as leaf', async () => {
    const { session, c, storage } = branched();
    await session.setSessionName('before');
    const file = session.getSessionFile();
    const state = session.captureState();
    expect(state.fileEntries[1]).toBe(session.getEntries()[0]);
    await session.newSession();
    session.appendMessage(answer('elsewhere'));
    await session.setSessionName('after');
    session.restoreState(state);
    expect(session.getSessionFile()).toBe(file);
    expect(session.getSessionName()).toBe('before');
    expect(session.getLeafId()).toBe(c);
    session.appendMessage(user('goes on'));
    await session.flush();
    expect((await linesOf(storage, file)).at(-1)).toMatchObject({ parentId: c });
  });
}
