import './same-output.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanup, render } from 'ink-testing-library';
import { afterEach, expect, it, vi } from 'vitest';
import { TreeApp } from '../../components/tree-app.tsx';
import type { ChangePorts } from '../../hooks/ports.ts';
import type { BranchAnswer } from '../../src/model/branch-dialog.ts';
import { widthCells } from '../../src/model/text.ts';
import { keyBytes } from '../e2e/keys.ts';
import { NOW_MS } from '../model/rows.ts';
import { makeTempDir } from '../session/temp-dir.ts';
import { noCatalog, noChanges } from './screen.tsx';
import { readTree } from './tree-reader.ts';

afterEach(cleanup);

const at = (minutes: number): string => new Date(NOW_MS - minutes * 60_000).toISOString();
let minutes = 600;

function entry(type: string, id: string, parentId: string | null, rest: object): object {
  minutes -= 5;
  return { type, id, parentId, timestamp: at(minutes), ...rest };
}

const user = (id: string, parentId: string | null, content: unknown) =>
  entry('message', id, parentId, { message: { role: 'user', content } });
const usage = { input: 1_200, output: 300, cacheRead: 9_000, cacheWrite: 500, cost: { total: 0.0375 } };
const assistant = (id: string, parentId: string, ...content: object[]) =>
  entry('message', id, parentId, {
    message: { role: 'assistant', content, provider: 'anthropic', model: 'claude-opus-5', usage, stopReason: 'stop' },
  });
const says = (text: string) => ({ type: 'text', text });
const calls = (id: string, name: string, args: object) => ({ type: 'toolCall', id, name, arguments: args });
const result = (id: string, parentId: string, toolCallId: string, text: string, isError = false) =>
  entry('message', id, parentId, {
    message: { role: 'toolResult', toolCallId, toolName: 'bash', content: [says(text)], isError },
  });

/** A session with everything that a row can show: branches, labels, failures, images, foreign scripts, escapes, damage. */
function sampleLines(): string[] {
  minutes = 600;
  const header = { type: 'session', version: 3, id: 's1', timestamp: at(600), cwd: '/w', title: '会话 \u001b[31mtree' };
  const picture = { type: 'image', data: 'iVBORw0KGgo'.repeat(4_000), mimeType: 'image/png' };
  return [
    header,
    entry('model_change', 'e0', null, { model: 'anthropic/claude-opus-5' }),
    user('e1', 'e0', [says('Fix the login redirect. 👍🏽 e\u0301'), picture]),
    assistant('e2', 'e1', calls('t1', 'read', { path: 'src/auth.ts', offset: 1, limit: 40 })),
    result('e3', 'e2', 't1', 'export const a = 1;'),
    assistant('e4', 'e3', says('# Two ways\n\n1. **Cookies**: `SameSite`\n2. A token\n\n```ts\nset(cookie);\n```')),
    user('e5', 'e4', 'l1\rl2\u0008 try \u001b]52;c;cHduZWQ=\u0007cookies'),
    assistant(
      'e6',
      'e5',
      calls('t2', 'write', { path: 'src/cookie.ts' }),
      calls('t3', 'bash', { command: 'npm test' }),
    ),
    result('e7', 'e6', 't2', 'ok'),
    result('e8', 'e7', 't3', '1 failed', true),
    assistant('e9', 'e8', says('认证中间件的会话迁移与回滚方案以及所有相关的测试都还没有完成')),
    user('f1', 'e4', 'Rather the token'),
    entry('compaction', 'f2', 'f1', { summary: 'We chose tokens.', firstKeptEntryId: 'f1', tokensBefore: 84_000 }),
    assistant('f3', 'f2', says('Done: the token lives an hour.')),
    user('f4', 'f3', 'And its refresh?'),
    assistant('f5', 'f4', says('Every 50 minutes.')),
    user('f6', 'f3', 'Test it'),
    entry('label', 'l1', 'f6', { targetId: 'e4', label: 'both \u001b]0;pwn\u0007ways' }),
    user('o1', 'gone', 'A lost branch'),
    assistant('f7', 'f6', calls('t4', 'bash', { command: 'npm test -- --run' })),
  ]
    .map((value) => JSON.stringify(value))
    .concat('{"type":"message","id":"x1","parentId":"f7","timestamp":"2026-03-02T16:00:00.000Z","message":{bad}}');
}

class TreeFrame {
  readonly #ink: ReturnType<typeof render>;
  readonly #rows: number;

  constructor(
    columns: number,
    rows: number,
    lines: readonly string[] = sampleLines(),
    changes: Partial<ChangePorts> = {},
  ) {
    const path = join(makeTempDir(), 's.jsonl');
    writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
    const ports = {
      ...noChanges,
      ...changes,
      catalog: { ...noCatalog, tree: readTree },
      now: () => NOW_MS,
      copy: async (text: string) => `Copied ${text.length} characters`,
    };
    this.#rows = rows;
    this.#ink = render(<TreeApp options={{ path, title: '', startId: undefined }} ports={ports} />);
    Object.defineProperty(this.#ink.stdout, 'columns', { value: columns, configurable: true });
    Object.defineProperty(this.#ink.stdout, 'rows', { value: rows, configurable: true });
    this.#ink.stdout.emit('resize');
  }

  press(...chords: readonly string[]): this {
    for (const chord of chords) this.#ink.stdin.write(keyBytes(chord));
    return this;
  }

  type(text: string): this {
    this.#ink.stdin.write(text);
    return this;
  }

  /** Waits until the frame shows all the texts; gives the frame. */
  async until(...wanted: readonly (string | RegExp)[]): Promise<string> {
    const frame = (): string => `${this.#ink.lastFrame() ?? ''}\n`;
    await vi.waitFor(
      () => {
        const isSized = frame().split('\n').length === this.#rows + 1;
        const isThere = wanted.every((text) =>
          typeof text === 'string' ? frame().includes(text) : text.test(frame()),
        );
        if (!isThere || !isSized) throw new Error(`never saw ${wanted.join(', ')} in\n${frame()}`);
      },
      { timeout: 5_000, interval: 5 },
    );
    return frame();
  }
}

async function expectGolden(frame: string, name: string, columns: number): Promise<void> {
  for (const line of frame.split('\n')) {
    expect(line).not.toMatch(/\p{Cc}/u);
    expect(widthCells(line)).toBeLessThanOrEqual(columns);
  }
  await expect(frame).toMatchFileSnapshot(`golden/${name}.txt`);
}

const clear: BranchAnswer = {
  inPlace: { kind: 'possible', announcement: 'appends one line to /sessions/s.jsonl' },
  newFile: { kind: 'possible', announcement: 'writes a new file beside /sessions/s.jsonl' },
  text: 'Test it',
  resume: { kind: 'ready' },
};

const sizes = [
  [40, 20],
  [80, 30],
  [120, 34],
] as const;

/** Waits for rows and preview. */
function ready(screen: TreeFrame): Promise<string> {
  return screen.until('assistant: [bash: npm t', 'Path to here', '→ bash');
}

it.each(sizes)('the tree at %d×%d', async (columns, rows) => {
  const frame = await ready(new TreeFrame(columns, rows));
  await expectGolden(frame, `tree-${columns}`, columns);
});

it.each(sizes)('all entries, folded but for the active path, with label times, at %d×%d', async (columns, rows) => {
  const screen = new TreeFrame(columns, rows);
  await ready(screen);
  screen.press('alt+a', 'alt+o', 'alt+w');
  await expectGolden(await screen.until('[all]', 'folded', 'both ways'), `tree-all-${columns}`, columns);
});

it.each(sizes)('hits of every branch at %d×%d', async (columns, rows) => {
  const screen = new TreeFrame(columns, rows);
  await ready(screen);
  screen.type('token');
  // The path to another entry than before, too.
  const isFollowed = /^(?![\s\S]*Test it)/;
  await expectGolden(await screen.until(/\d hits/, 'Rather the token', isFollowed), `tree-search-${columns}`, columns);
});

it.each(sizes)('two branches compared at %d×%d', async (columns, rows) => {
  const screen = new TreeFrame(columns, rows);
  await screen.until('npm test -- --run');
  screen.press('end', 'up', 'alt+m', 'alt+g', 'alt+c');
  await expectGolden(await screen.until('The marked branch', 'Prompts'), `tree-compare-${columns}`, columns);
});

it.each(sizes)('what the model would see at %d×%d', async (columns, rows) => {
  const screen = new TreeFrame(columns, rows);
  await screen.until('npm test -- --run');
  screen.press('alt+x');
  await expectGolden(await screen.until('messages, about'), `tree-context-${columns}`, columns);
});

it.each(sizes)('the label of an entry is edited over its row at %d×%d', async (columns, rows) => {
  const screen = new TreeFrame(columns, rows);
  await ready(screen);
  screen.press('alt+,', 'L');
  // The path to the tool call of before is gone.
  const frame = await screen.until(/Label ❯ both/, /^(?![\s\S]*→ bash)/);
  await expectGolden(frame, `tree-label-${columns}`, columns);
});

it.each(sizes)('what branching will do is told first, at %d×%d', async (columns, rows) => {
  const screen = new TreeFrame(columns, rows, sampleLines(), { planBranch: async () => clear });
  await ready(screen);
  screen.press('alt+up', 'enter');
  await expectGolden(await screen.until('Go on from here?'), `tree-branch-${columns}`, columns);
});

const ways = [
  ['clear', clear],
  ['folder-gone', { ...clear, resume: { kind: 'folder_gone', cwd: '/home/u/work/a-project-that-was-moved' } }],
  ['outside', { ...clear, resume: { kind: 'outside', folder: '/home/u/downloads/sessions-of-a-colleague' } }],
] as const;

it.each(ways)('in a small window what can be done keeps its meaning: %s', async (name, answer) => {
  const screen = new TreeFrame(40, 10, sampleLines(), { planBranch: async () => answer });
  await screen.until('npm test');
  screen.press('alt+up', 'enter');
  await expectGolden(await screen.until('Go on from here?'), `tree-branch-${name}-40x10`, 40);
});

it('in a small window the menu of all actions wraps its items, and follows the selected one', async () => {
  const screen = new TreeFrame(40, 10);
  await screen.until('npm test');
  screen.press('f2');
  await expectGolden(await screen.until('Actions'), 'tree-menu-40x10', 40);
  screen.press('up');
  await expectGolden(await screen.until(/(\d\d)\/\1/), 'tree-menu-end-40x10', 40);
});

it('what stands in the way is told instead', async () => {
  const refused = { kind: 'refused', reason: 'its first line is omp\u001b[2J' } as const;
  const screen = new TreeFrame(80, 20, sampleLines(), {
    planBranch: async () => ({ inPlace: refused, newFile: refused, text: undefined, resume: refused }),
  });
  await ready(screen);
  screen.press('enter');
  await expectGolden(await screen.until('Not possible'), 'tree-branch-refused-80', 80);
});

it('nothing found, and a filter that shows nothing, say what to do', async () => {
  const screen = new TreeFrame(60, 14);
  await screen.until('npm test -- --run');
  screen.type('iVBOR');
  await screen.until('No hit in any branch.', 'Esc: clear the search');
  const [header = '', , first = '', second = ''] = sampleLines();
  const bare = new TreeFrame(60, 14, [header, first, second]);
  await bare.until('Fix the login');
  bare.press('alt+l');
  await bare.until('No entry has a label.', 'Alt+D: default');
});

it('in 80 nested branches the selected row shows its text, at 40 columns too', async () => {
  const lines = [sampleLines()[0] ?? '', JSON.stringify(user('n0', null, 'root'))];
  for (let depth = 1; depth <= 80; depth++) {
    lines.push(JSON.stringify(user(`n${depth}`, `n${depth - 1}`, `going on ${depth}`)));
    lines.push(JSON.stringify(user(`s${depth}`, `n${depth - 1}`, `turned off ${depth}`)));
  }
  lines.push(JSON.stringify(user('end', 'n80', 'the very end of all branches')));
  for (const columns of [40, 80]) {
    const screen = new TreeFrame(columns, 14, lines);
    await screen.until(/› …(│ |├─)*• user: the very/);
  }
});
