import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { JsonScanner } from '../../src/session/json-scanner.ts';
import { editObject, fieldBytes } from '../../src/session/line-edit.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import { MemorySessionStorage } from '../../src/session/session-storage.ts';
import { answer, user } from './session-helpers.ts';
import { fileOf, headerLine, userLine } from './session-text.ts';

const PATH = '/m/s.jsonl';

async function open(text: string) {
  const storage = new MemorySessionStorage();
  storage.writeTextSync(PATH, text);
  return { storage, session: await SessionManager.open(PATH, undefined, storage) };
}

const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const line = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(ids, fc.option(ids)).map(([id, parentId]) => userLine(id, parentId, 'text')) },
  fc.string().map((text) => text.replace(/[\r\n]/g, '')),
  fc.json(),
  fc.tuple(ids, ids).map(([id, parentId]) => userLine(id, parentId, 'torn').slice(0, 120)),
  fc.constantFrom('null', '{}', '[]', '7', '', ' ', '\0\0\0', '{"type":"session","id":"x"}', '{"type":"message"}'),
);
const damagedBody = fc.tuple(fc.array(line, { maxLength: 25 }), fc.constantFrom('', '\n', '\r\n', '{"torn'));

describe('over any damage and any parents', () => {
  const files = damagedBody.map(([lines, end]) => `${headerLine()}\n${lines.join('\n')}${end}`);

  test('everything ends, each entry is shown once, and looking changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(files, async (text) => {
        const { session, storage } = await open(text);
        let shown = 0;
        const pending = session.getTree();
        for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
          shown++;
          pending.push(...node.children);
        }
        expect(shown).toBe(session.getEntries().length);
        for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
          session.getBranch(id);
          session.getChildren(id);
        }
        session.buildSessionContext();
        await session.close();
        expect(await storage.readText(PATH)).toBe(text);
      }),
    );
  });

  test('an append adds its line and a rename changes the header, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(files, async (text) => {
        const { session, storage } = await open(text);
        const count = session.getEntries().length;
        const id = session.appendMessage(user('new'));
        await session.setSessionName('T', 'user');
        await session.rewriteEntries();
        await session.close();
        const body = text.slice(text.indexOf('\n'));
        const after = await storage.readText(PATH);
        const rest = after.slice(after.indexOf('\n'));
        expect(rest.startsWith(body)).toBe(true);
        const added = rest.slice(body.length);
        expect(JSON.parse(added)).toMatchObject({ id });
        const again = await SessionManager.open(PATH, undefined, storage);
        expect(again.getEntries()).toHaveLength(count + 1);
        expect(again.getLeafId()).toBe(id);
      }),
    );
  });

  test('a branch gives its path’s context again, whatever is on the way', async () => {
    await fc.assert(
      fc.asyncProperty(files, async (text) => {
        const { session, storage } = await open(text);
        const leaf = session.getEntries().findLast((entry) => ['a', 'b', 'c'].includes(entry.id))?.id;
        if (leaf === undefined) return;
        session.branch(leaf);
        const messages = session.buildSessionContext().messages;
        const path = session.createBranchedSession(leaf) ?? '';
        expect(session.buildSessionContext().messages).toEqual(messages);
        const again = await SessionManager.open(path, undefined, storage);
        expect(again.buildSessionContext().messages).toEqual(messages);
      }),
    );
  });
});

test('what is appended in any order comes back as it was', async () => {
  const act = fc.oneof(
    fc.record({ kind: fc.constant('message' as const), text: fc.string({ unit: 'binary' }) }),
    fc.record({ kind: fc.constant('custom' as const), data: fc.jsonValue() }),
    fc.record({ kind: fc.constant('branch' as const), at: fc.nat() }),
    fc.record({ kind: fc.constant('label' as const), at: fc.nat(), label: fc.option(fc.string(), { nil: undefined }) }),
    fc.record({ kind: fc.constant('root' as const) }),
    fc.record({ kind: fc.constant('rename' as const), title: fc.string() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (acts) => {
      const { session, storage } = await open(fileOf(headerLine()));
      session.appendMessage(answer('first'));
      const known = () => session.getEntries().map((entry) => entry.id);
      for (const step of acts) {
        if (step.kind === 'message') session.appendMessage(user(step.text));
        if (step.kind === 'custom') session.appendCustomEntry('x', step.data);
        if (step.kind === 'branch') session.branch(known()[step.at % known().length] ?? '');
        if (step.kind === 'label') session.appendLabelChange(known()[step.at % known().length] ?? '', step.label);
        if (step.kind === 'root') session.resetLeaf();
        if (step.kind === 'rename') void session.setSessionName(step.title);
      }
      await session.close();
      const again = await SessionManager.open(PATH, undefined, storage);
      expect(again.getEntries()).toEqual(JSON.parse(JSON.stringify(session.getEntries())));
      expect(again.getSessionName()).toBe(session.getSessionName());
      for (const id of known()) expect(again.getLabel(id)).toBe(session.getLabel(id));
      expect(JSON.stringify(again.getTree())).toBe(JSON.stringify(session.getTree()));
    }),
  );
});

test('a migration is the same however often it is done, and keeps what it does not know', async () => {
  const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => warning.mockRestore());
  const entry = fc.record({
    role: fc.constantFrom('user', 'hookMessage'),
    extra: fc.jsonValue(),
    index: fc.nat({ max: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 12 }), fc.constantFrom(undefined, 1, 2), async (entries, version) => {
      const lines = entries.map(({ role, extra, index }, at) =>
        JSON.stringify({
          type: index > 10 ? 'compaction' : 'message',
          ...(version === 2 ? { id: `id${at}`, parentId: at === 0 ? null : `id${at - 1}` } : {}),
          timestamp: 'x',
          extra,
          ...(index > 10 ? { summary: 's', firstKeptEntryIndex: index } : { message: { role, content: 'c', extra } }),
        }),
      );
      const { session, storage } = await open(fileOf(headerLine({ version }), ...lines));
      const text = await storage.readText(PATH);
      const again = await SessionManager.open(PATH, undefined, storage);
      expect(await storage.readText(PATH)).toBe(text);
      expect(again.getEntries()).toEqual(session.getEntries());
      expect(again.getBranch()).toHaveLength(entries.length);
      const extras = session.getEntries().map((migrated) => (migrated as unknown as { extra: unknown }).extra);
      expect(extras).toEqual(entries.map(({ extra }) => JSON.parse(JSON.stringify(extra))));
    }),
  );
});

describe('editing a line', () => {
  const objects = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }).filter((value) => !('__proto__' in value));

  test('gives the object with its fields changed', () => {
    fc.assert(
      fc.property(objects, fc.string(), fc.jsonValue(), fc.constantFrom(0, 2), (value, key, field, indent) => {
        fc.pre(key !== '__proto__');
        const bytes = Buffer.from(JSON.stringify(value, null, indent));
        expect(JSON.parse(editObject(bytes, { [key]: field }).toString())).toEqual(
          JSON.parse(JSON.stringify({ ...value, [key]: field })),
        );
        const removed: Record<string, unknown> = { ...value };
        delete removed[key];
        const without = editObject(bytes, { [key]: undefined });
        expect(new JsonScanner().feed(without).status).toBe('complete');
        expect(JSON.parse(without.toString())).toEqual(JSON.parse(JSON.stringify(removed)));
      }),
    );
  });

  test('keeps the bytes of everything else', () => {
    const line = Buffer.from('{ "a" : 12345678901234567890 ,"b":[ 1.00 ],"c":"\\u0041"}');
    expect(editObject(line, { b: 1 }).toString()).toBe('{ "a" : 12345678901234567890 ,"b":1,"c":"\\u0041"}');
    expect(editObject(line, { n: 2 }, 'a').toString()).toBe(
      '{ "a" : 12345678901234567890,"n":2 ,"b":[ 1.00 ],"c":"\\u0041"}',
    );
    expect(editObject(line, { a: undefined }).toString()).toBe('{ "b":[ 1.00 ],"c":"\\u0041"}');
    expect(fieldBytes(line, 'b')?.toString()).toBe('[ 1.00 ]');
    expect(fieldBytes(line, 'none')).toBeUndefined();
  });
});
