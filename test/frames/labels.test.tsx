import './same-output.ts';
import { expect, it } from 'vitest';
import type { LabelledEntry } from '../../src/catalog/label-entry.ts';
import { widthCells } from '../../src/model/text.ts';
import { HOUR_MS, NOW_MS, sessionRow } from '../model/rows.ts';
import { FrameScreen, noCatalog } from './screen.tsx';

function labelled(n: number, change: Partial<LabelledEntry>): LabelledEntry {
  return {
    path: `/s/${n}.jsonl`,
    id: `s${n}`,
    cwd: '/home/u/work/tidewater',
    entryId: `e${n}`,
    line: n,
    type: 'message',
    role: 'user',
    label: `label ${n}`,
    labelledMs: NOW_MS - n * HOUR_MS,
    text: 'Fix the login redirect loop, and tell why it came to be',
    ...change,
  };
}

const found = [
  labelled(3, { label: 'plan b', cwd: null, labelledMs: null }),
  labelled(1, { label: '\u001b]0;pwn\u0007evil\u001b[31m', text: 'l1\rl2\u0008 \u001b[2Jtext' }),
  labelled(2, { label: '认证中间件的会话迁移与回滚方案以及所有', text: '👍🏽 e\u0301 done' }),
];

const sizes = [
  [40, 12],
  [80, 12],
  [120, 12],
] as const;

it.each(sizes)('the labels of all sessions at %d×%d, the one set last first', async (columns, rows) => {
  const catalog = {
    ...noCatalog,
    labels(onFound: Parameters<typeof noCatalog.labels>[0]) {
      queueMicrotask(() => onFound({ labels: found, problems: ['cannot read /s/9.jsonl'], isDone: true }));
      return () => {};
    },
  };
  const screen = new FrameScreen({ columns, rows, sessions: [sessionRow(0, {})], ports: { catalog } });
  await screen.until('Type to search');
  screen.press('ctrl+g');
  const frame = await screen.until('1/3', 'not read');
  for (const line of frame.split('\n')) {
    expect(line).not.toMatch(/\p{Cc}/u);
    expect(widthCells(line)).toBeLessThanOrEqual(columns);
  }
  await expect(frame).toMatchFileSnapshot(`golden/labels-${columns}.txt`);
  await screen.type('nowhere').until('No label matches.');
  await screen.press('enter').until('! No label is selected');
});
