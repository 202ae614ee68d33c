import type { SessionRow } from '../../src/catalog/session-row.ts';
import type { Transcript, TranscriptItem } from '../../src/session/transcript.ts';
import { HOUR_MS, NOW_MS, sessionRow } from '../model/rows.ts';

/** Sessions that show every sign, every script, and what a hostile file may hold. */
export const sampleRows: readonly SessionRow[] = [
  sessionRow(0, {
    title: 'Fix the login redirect loop',
    live: true,
    labelCount: 2,
    labels: ['label'],
    hasImages: false,
    modifiedMs: NOW_MS - 5_000,
    messageCount: 63,
    cost: 2.92,
  }),
  sessionRow(1, {
    title: '认证中间件的会话迁移与回滚方案以及所有相关的测试',
    cwd: '/home/u/work/tidewater',
    branchCount: 1,
    lastTurn: 'aborted',
  }),
  sessionRow(2, {
    title: 'Résumé parser: 👍🏽 flags 🇯🇵 and ❤️ hearts 👨‍👩‍👧',
    cwd: '/srv/日本語/プロジェクト',
    parentSession: '/x',
    lastTurn: 'error',
  }),
  sessionRow(3, {
    title: '\u001b]52;c;cHduZWQ=\u0007\u001b[2JEvil\u009b31m title',
    cwd: '/w/\u001b[31mred',
    damagedLines: 3,
  }),
  sessionRow(4, {
    title: null,
    firstMessage: 'l1\rl2\u0008\u0008 please look at the e\u0301\u0323 marks',
    lastTurn: 'pending',
    modifiedMs: NOW_MS - 50 * HOUR_MS,
  }),
  sessionRow(5, {
    id: null,
    title: null,
    firstMessage: null,
    agent: null,
    cwd: null,
    createdMs: null,
    modifiedMs: null,
    mtimeMs: NOW_MS - 900 * HOUR_MS,
    messageCount: null,
    branchCount: null,
    labelCount: null,
    labels: null,
    hasImages: false,
    models: null,
    tokens: null,
    cost: null,
    lastTurn: null,
    damagedLines: null,
    live: null,
  }),
  sessionRow(6, {
    title: 'A session of yesteryear',
    modifiedMs: NOW_MS - 9_000 * HOUR_MS,
    messageCount: 12_345,
    cost: 1_234.5,
    branchCount: 7,
  }),
  sessionRow(7, { title: 'A sub-agent', isSubAgent: true }),
];

function item(
  kind: TranscriptItem['kind'],
  heading: string,
  text: string,
  change: Partial<TranscriptItem> = {},
): TranscriptItem {
  return {
    entryId: 'a',
    kind,
    heading,
    text,
    isError: false,
    timeMs: NOW_MS - 3 * HOUR_MS,
    label: undefined,
    ...change,
  };
}

export const sampleTranscript: Transcript = {
  omitted: 12,
  damagedLines: 1,
  items: [
    item('user', 'user', 'Please fix the login redirect loop.\n\tIt happens when the cookie is gone.'),
    item('thinking', 'thinking', 'First the middleware, then the router.'),
    item(
      'assistant',
      'claude-opus-5',
      'I look at the middleware first: 认证中间件的会话迁移与回滚方案 tells how it should be.',
    ),
    item('tool', 'read: src/auth/middleware.ts:1-40', 'one\ntwo\nthree\nfour\nfive'),
    item('tool', 'bash: npm test', 'FAIL\u001b[31m 3 tests', { isError: true }),
    item('compaction', 'compaction', 'The loop is found.'),
    item('state', 'model claude-opus-5', ''),
    item('user', 'user', 'Great, now add a test', { label: 'good\u001b[2J point' }),
    item('assistant', 'claude-opus-5', 'Done 👍🏽'),
  ],
};
