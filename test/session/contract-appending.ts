import { expect, test } from 'vitest';
import { answer, linesOf, newSession, type PlaceUnderTest, user } from './session-helpers.ts';

/** What every storage must make of a new session (contract 1.2 to 1.8). */
export function describeBeginning(make: () => PlaceUnderTest): void {
  test('a new session has no file until there is an answer; then all of it is there', async () => {
    const { storage, dir } = make();
    const session = newSession({ storage, dir });
    session.appendMessage(user('hello'));
    session.appendModelChange('anthropic/claude');
    await session.flush();
    expect(storage.existsSync(session.getSessionFile() ?? '')).toBe(false);
    session.appendMessage(answer('hi'));
    session.appendThinkingLevelChange('high');
    await session.flush();
    const lines = await linesOf(storage, session.getSessionFile());
    expect(lines.map((line) => line['type'])).toEqual([
      'session',
      'message',
      'model_change',
      'message',
      'thinking_level_change',
    ]);
    expect(lines[0]).toEqual({
      type: 'session',
      version: 3,
      id: session.getSessionId(),
      timestamp: expect.any(String),
      cwd: '/w',
    });
  });

  test('a session that never got an answer leaves nothing', async () => {
    const { storage, dir } = make();
    const session = newSession({ storage, dir });
    session.appendMessage(user('hello'));
    await session.close();
    expect(storage.listFilesSync(dir, '*')).toEqual([]);
  });

  test('ensureOnDisk writes it all the same, and every later entry at once', async () => {
    const { storage, dir } = make();
    const session = newSession({ storage, dir });
    session.appendMessage(user('a'));
    await session.ensureOnDisk();
    session.appendMessage(user('b'));
    await session.close();
    expect(await linesOf(storage, session.getSessionFile())).toHaveLength(3);
  });

  test('ids are 16 hex digits that sort by time, and name the file', () => {
    const { storage, dir } = make();
    const [first, second] = [0, 1].map(() => newSession({ storage, dir }));
    expect(first!.getSessionId()).toMatch(/^[0-9a-f]{16}$/);
    expect(first!.getSessionId() < second!.getSessionId()).toBe(true);
    expect(first!.getSessionFile()).toMatch(new RegExp(`T[\\d-]+Z_${first!.getSessionId()}\\.jsonl$`));
  });

  test('newSession keeps folder and project and forgets all else', async () => {
    const { storage, dir } = make();
    const session = newSession({ storage, dir });
    session.appendMessage(answer('a'));
    await session.setSessionName('T', 'user');
    const oldFile = session.getSessionFile();
    const newFile = await session.newSession({ parentSession: 'p' });
    expect(newFile).not.toBe(oldFile);
    expect(session.getEntries()).toEqual([]);
    expect(session.getLeafId()).toBeNull();
    expect(session.getSessionName()).toBeUndefined();
    expect(session.getUsageStatistics().input).toBe(0);
    expect(session.getHeader()).toMatchObject({ parentSession: 'p', cwd: '/w' });
    await session.flush();
    expect(await linesOf(storage, oldFile)).toHaveLength(2);
  });
}

/** What every storage must make of appends (contract 1.2 to 1.8). */
export function describeAppending(make: () => PlaceUnderTest): void {
  const open = async () => {
    const place = make();
    const session = newSession(place);
    const first = session.appendMessage(answer('first'));
    return { ...place, session, first };
  };

  test('every append makes one entry that hangs from the leaf, becomes it, and is written', async () => {
    const { session, storage, first } = await open();
    const appends: (() => string)[] = [
      () => session.appendMessage(user('hi')),
      () => session.appendThinkingLevelChange(),
      () => session.appendModelChange('a/b', 'smol'),
      () => session.appendServiceTierChange(null),
      () => session.appendCompaction('long', 'short', first, 7, { d: 1 }, true, { p: 1 }),
      () => session.appendCustomEntry('mine', { x: 1 }),
      () => session.appendCustomMessageEntry('mine', 'text', true, { x: 1 }),
      () => session.appendLabelChange(first, 'L'),
      () => session.appendTtsrInjection(['r']),
      () => session.appendMCPToolSelection(['t']),
      () => session.appendSessionInit({ systemPrompt: 's', task: 't', tools: ['x'] }),
      () => session.appendModeChange('plan', { a: 1 }),
    ];
    for (const append of appends) {
      const leaf = session.getLeafId();
      const count = session.getEntries().length;
      const id = append();
      expect(id).toMatch(/^[0-9a-f]{8}$/);
      expect(session.getEntries()).toHaveLength(count + 1);
      expect(session.getLeafId()).toBe(id);
      expect(session.getEntry(id)?.parentId).toBe(leaf);
    }
    await session.flush();
    const lines = await linesOf(storage, session.getSessionFile());
    expect(lines.slice(1)).toEqual(session.getEntries());
    const own = lines.slice(2).map(({ id: _i, parentId: _p, timestamp: _t, type: _y, ...fields }) => fields);
    expect(own.slice(1)).toEqual([
      { thinkingLevel: null },
      { model: 'a/b', role: 'smol' },
      { serviceTier: null },
      {
        summary: 'long',
        shortSummary: 'short',
        firstKeptEntryId: first,
        tokensBefore: 7,
        details: { d: 1 },
        fromExtension: true,
        preserveData: { p: 1 },
      },
      { customType: 'mine', data: { x: 1 } },
      { customType: 'mine', content: 'text', display: true, details: { x: 1 }, attribution: 'agent' },
      { targetId: first, label: 'L' },
      { injectedRules: ['r'] },
      { selectedToolNames: ['t'] },
      { systemPrompt: 's', task: 't', tools: ['x'] },
      { mode: 'plan', data: { a: 1 } },
    ]);
  });

  test('a message is kept by reference', async () => {
    const { session } = await open();
    const message = user('same');
    const id = session.appendMessage(message);
    expect((session.getEntry(id) as { message: unknown }).message).toBe(message);
  });

  test('an append is in the file before anything is awaited', async () => {
    const { session, storage } = await open();
    await session.flush();
    const before = storage.statSync(session.getSessionFile() ?? '').size;
    session.appendMessage(user('now'));
    expect(storage.statSync(session.getSessionFile() ?? '').size).toBeGreaterThan(before);
  });

  test('close after an append always writes it', async () => {
    const { session, storage } = await open();
    session.appendMessage(user('last'));
    await session.close();
    expect(await linesOf(storage, session.getSessionFile())).toHaveLength(3);
    session.appendMessage(user('after'));
    await session.close();
    expect(await linesOf(storage, session.getSessionFile())).toHaveLength(4);
  });

  test.each([
    ['a BigInt', { n: 1n }],
    [
      'a cycle',
      Object.assign(
        {},
        {
          get self() {
            return this;
          },
        },
      ),
    ],
    [
      'a toJSON that throws',
      {
        toJSON() {
          throw new Error('no');
        },
      },
    ],
  ])('%s makes the append throw, and everything is as before', async (_kind, data) => {
    const { session, storage, first } = await open();
    expect(() => session.appendCustomEntry('x', data)).toThrow();
    expect(session.getLeafId()).toBe(first);
    expect(session.getEntries()).toHaveLength(1);
    const next = session.appendMessage(user('next'));
    await session.flush();
    expect((await linesOf(storage, session.getSessionFile())).at(-1)).toMatchObject({ id: next, parentId: first });
  });

  test('the same before there is a file', () => {
    const { storage, dir } = make();
    const session = newSession({ storage, dir });
    expect(() => session.appendCustomEntry('x', { n: 1n })).toThrow();
    expect(session.getEntries()).toEqual([]);
    expect(() => session.branchWithSummary(null, 's', { n: 1n })).toThrow();
    expect(session.getLeafId()).toBeNull();
  });

  test('a label on an unknown entry is refused; undefined and "" clear', async () => {
    const { session, first } = await open();
    expect(() => session.appendLabelChange('none', 'x')).toThrow('Entry none not found');
    session.appendLabelChange(first, 'a');
    expect(session.getLabel(first)).toBe('a');
    session.appendLabelChange(first, undefined);
    expect(session.getLabel(first)).toBeUndefined();
    session.appendLabelChange(first, 'b');
    session.appendLabelChange(first, '');
    expect(session.getLabel(first)).toBeUndefined();
  });

  test('usage is summed over all branches, with that of sub-agents; a copy is given', async () => {
    const { session, first } = await open();
    session.branch(first);
    session.appendMessage(answer('x', { usage: undefined }));
    session.appendMessage(answer('y', { usage: { input: 5 } }));
    session.appendMessage({
      role: 'toolResult',
      toolCallId: 'c',
      toolName: 'task',
      content: [],
      isError: false,
      timestamp: 1,
      details: { usage: { input: 10, premiumRequests: 0.5, cost: { total: 1 } } },
    });
    session.getUsageStatistics().input = 999;
    expect(session.getUsageStatistics()).toEqual({
      input: 16,
      output: 2,
      cacheRead: 3,
      cacheWrite: 4,
      premiumRequests: 0.5,
      cost: 1.3,
    });
  });
}
