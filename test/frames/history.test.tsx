import './same-output.ts';
import { cleanup, render } from 'ink-testing-library';
import { afterEach, expect, it, vi } from 'vitest';
import { HistoryApp, type HistoryOptions } from '../../components/history-app.tsx';
import type { PromptGroup, PromptHistory, PromptNews } from '../../src/history/prompt-history.ts';
import { widthCells } from '../../src/model/text.ts';
import { keyBytes } from '../e2e/keys.ts';
import { historyOptions, newsOf, promptGroup, promptGroups } from '../model/prompts.ts';
import { HOUR_MS, NOW_MS } from '../model/rows.ts';
import { sampleTranscript } from './sample.ts';

afterEach(cleanup);

const sample: readonly PromptGroup[] = [
  promptGroup(0, {
    prompt: 'Fix the login redirect loop.\n\nIt happens when the cookie is gone:\n\t1. log in\n\t2. wait',
  }),
  promptGroup(1, {
    prompt: '认证中间件的会话迁移与回滚方案以及所有相关的测试',
    cwd: '/home/u/work/tidewater',
    count: 12,
  }),
  promptGroup(2, { prompt: 'Résumé parser: 👍🏽 flags 🇯🇵 and ❤️ hearts 👨‍👩‍👧', cwd: '/srv/日本語/プロジェクト' }),
  promptGroup(3, { prompt: '\u001b]52;c;cHduZWQ=\u0007\u001b[2JEvil\u009b31m prompt', cwd: '/w/\u001b[31mred' }),
  promptGroup(4, { prompt: 'l1\rl2\u0008\u0008 look at the e\u0301\u0323 marks', cwd: null }),
  promptGroup(5, { prompt: `${'a long way to go '.repeat(8)}until the login comes`, count: 1_234 }),
  promptGroup(6, { prompt: 'continue', timeMs: NOW_MS - 9_000 * HOUR_MS, count: 3 }),
];

interface Setup {
  readonly columns: number;
  readonly rows: number;
  readonly options?: Partial<HistoryOptions>;
  readonly history?: Partial<PromptHistory>;
  /** What a search finds; prompts that hold the query unless given. */
  readonly find?: (query: string) => PromptNews;
}

const holding = (query: string): PromptNews =>
  newsOf(sample.filter(({ prompt }) => prompt.toLowerCase().includes(query.toLowerCase())));

class HistoryScreen {
  readonly #ink: ReturnType<typeof render>;
  readonly #columns: number;
  readonly #rows: number;

  constructor({ columns, rows, options, history, find = holding }: Setup) {
    this.#columns = columns;
    this.#rows = rows;
    const all: PromptHistory = {
      search: async (query, _folders, onNews) => onNews(find(query)),
      places: async () => [
        { path: '/s/2026-03-02T14-58-00-000Z_19c2.jsonl', id: '19c2', entryId: 'a', timeMs: NOW_MS - HOUR_MS },
        { path: '/s/older.jsonl', id: 'old', entryId: 'a', timeMs: null },
      ],
      transcriptAt: async () => ({ title: 'Fix the \u001b[2Jlogin', transcript: sampleTranscript, at: 7 }),
      close() {},
      ...history,
    };
    const ports = { history: all, now: () => NOW_MS, copy: async (text: string) => `Copied ${text.length} characters` };
    this.#ink = render(<HistoryApp options={{ ...historyOptions, ...options }} ports={ports} />);
    Object.defineProperty(this.#ink.stdout, 'columns', { value: columns, configurable: true });
    Object.defineProperty(this.#ink.stdout, 'rows', { value: rows, configurable: true });
    this.#ink.stdout.emit('resize');
  }

  type(text: string): this {
    this.#ink.stdin.write(text);
    return this;
  }

  press(...chords: readonly string[]): this {
    return this.type(chords.map(keyBytes).join(''));
  }

  frame(): string {
    return `${this.#ink.lastFrame() ?? ''}\n`;
  }

  async until(...wanted: readonly string[]): Promise<string> {
    await vi.waitFor(
      () => {
        const lines = this.frame().split('\n');
        const isSized = lines.length === this.#rows + 1 && lines.every((line) => widthCells(line) <= this.#columns);
        const isThere = wanted.every((text) => this.frame().includes(text));
        if (!isThere || !isSized) throw new Error(`never saw ${wanted.join(', ')} in\n${this.frame()}`);
      },
      { timeout: 10_000, interval: 5 },
    );
    return this.frame();
  }
}

/** Compares with the golden frame, and checks that every line fits and holds no control. */
async function expectGolden(frame: string, name: string, columns: number): Promise<void> {
  for (const line of frame.split('\n')) {
    expect(line).not.toMatch(/\p{Cc}/u);
    expect(widthCells(line)).toBeLessThanOrEqual(columns);
  }
  await expect(frame).toMatchFileSnapshot(`golden/${name}.txt`);
}

it.each([
  [40, 10],
  [80, 24],
  [120, 30],
])('the prompts at %d×%d', async (columns, rows) => {
  const screen = new HistoryScreen({ columns, rows });
  await expectGolden(await screen.until('1/7', ' Fix'), `history-${columns}`, columns);
});

it('the smallest window has search line, list and bar', async () => {
  await expectGolden(await new HistoryScreen({ columns: 20, rows: 5 }).until('1/7'), 'history-20', 20);
});

it.each([40, 80, 120])('found words are in sight at %d columns', async (columns) => {
  const screen = new HistoryScreen({ columns, rows: 24 });
  await screen.until('1/7');
  await expectGolden(await screen.type('login').until('1/2'), `history-search-${columns}`, columns);
});

it.each([40, 80, 120])('the session opens at the prompt at %d columns', async (columns) => {
  const screen = new HistoryScreen({ columns, rows: 16 });
  await screen.until('1/7');
  screen.press('ctrl+o');
  await expectGolden(await screen.until('← this prompt'), `history-session-${columns}`, columns);
});

it.each([40, 80])('the help at %d columns', async (columns) => {
  const screen = new HistoryScreen({ columns, rows: 90 });
  await screen.until('1/7');
  screen.press('?');
  await expectGolden(await screen.until('Search words'), `history-help-${columns}`, columns);
});

it.each([40, 80])('no history at all at %d columns', async (columns) => {
  const screen = new HistoryScreen({ columns, rows: 12, find: () => newsOf([], { databaseCount: 0 }) });
  await expectGolden(await screen.until('history import'), `history-none-${columns}`, columns);
});

it('a locked database is told in one line', async () => {
  const problem = 'the prompt history /h/\u001b[2Jx.db is locked by another process';
  const screen = new HistoryScreen({ columns: 80, rows: 12, find: () => newsOf(sample, { problems: [problem] }) });
  await screen.until('! the prompt history /h/x.db is locked', ' Fix');
});

it('the menu does what is chosen', async () => {
  const screen = new HistoryScreen({ columns: 80, rows: 16 });
  await screen.until('1/7');
  screen.press('f2');
  await expectGolden(await screen.until('Actions'), 'history-menu-80', 80);
  screen.press('down');
  await screen.until('❯ Copy the prompt');
  screen.press('enter');
  await screen.until(`Copied ${sample[0]?.prompt.length} characters`);
});

it('the whole prompt can be scrolled through', async () => {
  const prompt = Array.from({ length: 40 }, (_, n) => `line ${n}`).join('\n');
  const screen = new HistoryScreen({ columns: 120, rows: 12, find: () => newsOf([promptGroup(0, { prompt })]) });
  await screen.until('│ line 0', '─ ↓ 34');
  screen.press('shift+down', 'shift+down');
  await screen.until('│ line 7', '─ ↓ 32');
});

it('a window that becomes small keeps the selection in sight', async () => {
  const screen = new HistoryScreen({ columns: 60, rows: 8, find: () => newsOf(promptGroups(40)) });
  await screen.until('1/40');
  screen.press('end');
  await screen.until('❯ Prompt 39');
});
