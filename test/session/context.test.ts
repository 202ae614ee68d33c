import { describe, expect, test } from 'vitest';
import { buildSessionContext } from '../../src/session/context.ts';
import type { SessionEntry } from '../../src/session/entries.ts';

const TIME = '2026-01-01T00:00:00.000Z';

/** Entries in one chain unless they say otherwise. */
function chain(...parts: readonly (Record<string, unknown> & { type: string })[]): SessionEntry[] {
  return parts.map((part, at) => ({
    id: `e${at}`,
    parentId: at === 0 ? null : (parts[at - 1]?.['id'] ?? `e${at - 1}`),
    timestamp: TIME,
    ...part,
  })) as unknown as SessionEntry[];
}

const user = (content: string) => ({ type: 'message', message: { role: 'user', content, timestamp: 1 } });
const answer = (content: string, model = 'm') => ({
  type: 'message',
  message: { role: 'assistant', content: [{ type: 'text', text: content }], provider: 'p', model, timestamp: 1 },
});
const compaction = (firstKeptEntryId: string, more: object = {}) => ({
  type: 'compaction',
  summary: 'so far',
  firstKeptEntryId,
  tokensBefore: 9,
  ...more,
});

function texts(entries: readonly SessionEntry[], leafId?: string | null): unknown[] {
  return buildSessionContext(entries, leafId).messages.map((message) =>
    'summary' in message ? message.summary : 'content' in message ? message.content : message.role,
  );
}

describe('the leaf', () => {
  const entries = chain(user('one'), user('two'));

  test('null gives the empty context', () => {
    expect(buildSessionContext(entries, null)).toMatchObject({
      messages: [],
      thinkingLevel: 'off',
      mode: 'none',
      models: {},
    });
  });

  test('an id gives the path to it', () => {
    expect(texts(entries, 'e0')).toEqual(['one']);
  });

  test('an unknown id means the last entry', () => {
    expect(texts(entries, 'nobody')).toEqual(['one', 'two']);
  });
});

describe('state on the path', () => {
  test('the newest changes win, and roles keep their own models', () => {
    const context = buildSessionContext(
      chain(
        { type: 'thinking_level_change', thinkingLevel: 'low' },
        { type: 'thinking_level_change', thinkingLevel: 'high' },
        { type: 'model_change', model: 'a/1' },
        { type: 'model_change', model: 'b/2', role: 'smol' },
        { type: 'model_change', provider: 'c', modelId: '3' },
        { type: 'mode_change', mode: 'plan', data: { x: 1 } },
        { type: 'ttsr_injection', injectedRules: ['r', 's'] },
        { type: 'ttsr_injection', injectedRules: ['s', 't'] },
        { type: 'service_tier_change', serviceTier: 'flex' },
        { type: 'mcp_tool_selection', selectedToolNames: ['t'] },
      ),
    );
    expect(context).toMatchObject({
      thinkingLevel: 'high',
      models: { default: 'c/3', smol: 'b/2' },
      mode: 'plan',
      modeData: { x: 1 },
      injectedTtsrRules: ['r', 's', 't'],
      serviceTier: 'flex',
      selectedMCPToolNames: ['t'],
      hasPersistedMCPToolSelection: true,
    });
  });

  test('without a change the last answer names the default model', () => {
    expect(buildSessionContext(chain(answer('x', 'old'), answer('y', 'new'))).models).toEqual({ default: 'p/new' });
  });

  test('an explicit change outlives later answers', () => {
    const entries = chain({ type: 'model_change', model: 'a/1' }, answer('x'));
    expect(buildSessionContext(entries).models).toEqual({ default: 'a/1' });
  });
});

describe('compaction', () => {
  test('its summary comes first, then what it kept, then what follows', () => {
    const entries = chain(user('one'), user('two'), user('three'), compaction('e1'), user('four'));
    expect(texts(entries)).toEqual(['so far', 'two', 'three', 'four']);
  });

  test('keeps nothing when its first kept entry is not on the path', () => {
    expect(texts(chain(user('one'), compaction('gone'), user('two')))).toEqual(['so far', 'two']);
  });

  test('the last one on the path counts', () => {
    const entries = chain(
      user('one'),
      compaction('e0'),
      user('two'),
      compaction('e2', { summary: 'again' }),
      user('three'),
    );
    expect(texts(entries)).toEqual(['again', 'two', 'three']);
  });

  test("a provider's own compacted history replaces what was kept", () => {
    const preserveData = { openaiRemoteCompaction: { provider: 'openai', replacementHistory: [{ a: 1 }] } };
    const entries = chain(user('one'), compaction('e0', { preserveData }), user('two'));
    expect(texts(entries)).toEqual(['so far', 'two']);
    expect(buildSessionContext(entries).messages[0]).toMatchObject({
      providerPayload: { type: 'openaiResponsesHistory', provider: 'openai', items: [{ a: 1 }] },
    });
  });
});

test('custom messages and branch summaries speak; empty summaries, labels, state and unknown types do not', () => {
  const entries = chain(
    { type: 'custom_message', customType: 'c', content: 'note', display: true },
    { type: 'branch_summary', fromId: 'root', summary: 'left' },
    { type: 'branch_summary', fromId: 'root', summary: '' },
    { type: 'label', targetId: 'e0', label: 'x' },
    { type: 'custom', customType: 'c', data: 1 },
    { type: 'session_init', systemPrompt: 's', task: 't', tools: [] },
    { type: 'from_the_future' },
  );
  expect(texts(entries)).toEqual(['note', 'left']);
});

test("omp's reset boundary starts the context anew", () => {
  expect(texts(chain(user('one'), { type: 'reset_boundary' }, user('two')))).toEqual(['two']);
});

test('the walk goes through a stand-in for a damaged entry', () => {
  const [first, , last] = chain(user('one'), user('lost'), user('three'));
  const damaged = { type: 'damaged', id: 'e1', parentId: 'e0', timestamp: TIME } as unknown as SessionEntry;
  const byId = new Map([first!, damaged, last!].map((entry) => [entry.id, entry]));
  const context = buildSessionContext([first!, last!], 'e2', byId);
  expect(context.messages.map((message) => 'content' in message && message.content)).toEqual(['one', 'three']);
});

test('a cycle ends the walk', () => {
  const entries = chain({ ...user('a'), parentId: 'e1' }, { ...user('b'), parentId: 'e0' });
  expect(texts(entries, 'e1')).toEqual(['a', 'b']);
});

test('300,000 entries in one chain take no stack', () => {
  const entries = Array.from({ length: 300_000 }, (_, at) => ({
    ...user('x'),
    id: `e${at}`,
    parentId: at === 0 ? null : `e${at - 1}`,
    timestamp: TIME,
  })) as unknown as SessionEntry[];
  expect(buildSessionContext(entries).messages).toHaveLength(300_000);
});
