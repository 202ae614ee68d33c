import './same-output.ts';
import { expect, it } from 'vitest';
import { listAhead } from '../../src/catalog/list-ahead.ts';
import { widthCells } from '../../src/model/text.ts';
import { sessionRows } from '../model/rows.ts';
import { sampleRows, sampleTranscript } from './sample.ts';
import { FrameScreen } from './screen.tsx';

function open(
  columns: number,
  rows: number,
  change: Partial<ConstructorParameters<typeof FrameScreen>[0]> = {},
): FrameScreen {
  return new FrameScreen({
    columns,
    rows,
    sessions: sampleRows,
    transcript: sampleTranscript,
    options: { scope: 'all' },
    ...change,
  });
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
])('the list at %d×%d', async (columns, rows) => {
  const screen = open(columns, rows);
  await screen.until(rows > 10 ? 'Done 👍' : '1/7');
  expect(screen.frame().trimEnd().split('\n')).toHaveLength(rows);
  await expectGolden(screen.frame(), `list-${columns}`, columns);
});

it('the smallest window has search line, list and bar', async () => {
  const screen = open(20, 5);
  await screen.until('1/7');
  await expectGolden(screen.frame(), 'list-20', 20);
});

it('a smaller window has a notice', async () => {
  await open(10, 3).until('Window too');
});

it.each([40, 80, 120])('found words stand out at %d columns, and what is not found is counted', async (columns) => {
  const screen = open(columns, 14);
  await screen.until('1/7');
  screen.type('session dir:lantern');
  const wanted = columns >= 100 ? ['1/1', 'Done 👍'] : ['1/1'];
  await expectGolden(await screen.until(...wanted), `search-${columns}`, columns);
});

it('folders are shown on request, hidden sessions too', async () => {
  const screen = open(120, 14);
  await screen.until('1/7');
  screen.press('ctrl+p', 'alt+h', 'ctrl+n');
  await expectGolden(await screen.until('named only', 'Done 👍'), 'filters-120', 120);
});

it.each([40, 80, 120])('the transcript at %d columns', async (columns) => {
  const screen = open(columns, 30);
  await screen.until('1/7');
  screen.press('ctrl+o');
  await screen.until('Great, now add a test');
  screen.press('h', 't');
  await expectGolden(await screen.until('… more'), `transcript-${columns}`, columns);
});

it.each([40, 80])('the help at %d columns', async (columns) => {
  const screen = open(columns, 90);
  await screen.until('1/7');
  screen.press('f1');
  await expectGolden(await screen.until('✗'), `help-${columns}`, columns);
});

it.each([40, 80, 120])('the menu of actions at %d columns', async (columns) => {
  const screen = open(columns, 16);
  await screen.until('1/7');
  screen.press('f2');
  await expectGolden(await screen.until('Actions'), `menu-${columns}`, columns);
});

it.each([40, 80])('a refusal at %d columns', async (columns) => {
  const reason = 'pi would replace this file: its first line is no session header.';
  const screen = open(columns, 14, { ports: { prepareResume: async () => ({ kind: 'refused', reason }) } });
  await screen.until('1/7');
  screen.press('enter');
  await expectGolden(await screen.until('Not resumed'), `refused-${columns}`, columns);
});

it.each([
  ['outside', { kind: 'outside', folder: '/home/u/downloads/sessions-of-a-colleague' }],
  ['live', { kind: 'live', holder: 'process 4711: xcsh --session' }],
  ['not-installed', { kind: 'not_installed', command: "cd /w/tidewater && xcsh --session '/s/0.jsonl'" }],
] as const)('a question in a small window keeps its meaning: %s', async (name, answer) => {
  const screen = open(40, 10, { ports: { prepareResume: async () => answer } });
  await screen.until('1/7');
  screen.press('enter');
  await expectGolden(await screen.until('Back'), `resume-${name}-40x10`, 40);
});

it('the menu does what is chosen with the arrows', async () => {
  const screen = open(80, 24);
  await screen.until('1/7');
  screen.press('f2');
  await screen.until('Actions');
  screen.press('down');
  await screen.until('❯ Whole transcript');
  screen.press('enter');
  await screen.until('Great, now add a test');
});

it('Enter in a menu is not taken for one in the list', async () => {
  const asked: string[] = [];
  const screen = open(80, 24, {
    ports: {
      prepareResume: async (path) => {
        asked.push(path);
        return { kind: 'refused', reason: 'x' };
      },
    },
  });
  await screen.until('1/7');
  screen.press('ctrl+y');
  await screen.until('Copy the id');
  screen.press('enter');
  await screen.until(`copied ${sampleRows[0]?.path.length} characters`);
  expect(asked).toEqual([]);
});

it('a digit chooses in a menu', async () => {
  const screen = open(80, 24);
  await screen.until('1/7');
  screen.press('ctrl+y');
  await screen.until('Copy the id');
  screen.type('2');
  await screen.until(`copied ${sampleRows[0]?.id?.length} characters`);
});

it('typing and Enter in one breath take the first hit', async () => {
  const asked: string[] = [];
  const screen = open(80, 24, {
    ports: {
      prepareResume: async (path) => {
        asked.push(path);
        return { kind: 'refused', reason: 'x' };
      },
    },
  });
  await screen.until('1/7');
  screen.type('yesteryear\r');
  await screen.until('Not resumed');
  expect(asked).toEqual([sampleRows[6]?.path]);
});

it('a pasted text is searched as one line', async () => {
  const screen = open(80, 24);
  await screen.until('1/7');
  screen.type('\u001b[200~login\r\nredirect\u001b[201~');
  await screen.until('❯ login redirect');
  await screen.until('1/1');
});

it('F1, F2 and F3 are told apart', async () => {
  const screen = open(80, 24);
  await screen.until('1/7');
  screen.press('f3', 'f1');
  await screen.until('Keys');
  screen.press('esc');
  await screen.until('1/7');
  screen.press('f2');
  await screen.until('Actions');
});

it('no agent folder at all: the demo is offered', async () => {
  const screen = open(80, 12, { sessions: [], options: { agentDirs: [] } });
  await expectGolden(await screen.until('bough --demo'), 'no-agents-80', 80);
});

it('no session in this folder: all are shown, which is said', async () => {
  const screen = open(80, 12, { options: { here: ['/nowhere'] } });
  await screen.until('No session in this folder: showing all');
});

it('no match: the list says which filters hold how many back', async () => {
  const screen = open(80, 24, { options: { here: ['/home/u/work/tidewater'] } });
  await screen.until('1/1');
  screen.type('zzz');
  await screen.until('No match among 1 session.');
  await screen.until('Tab: 6 in other folders');
});

it('reading failed: the reason is shown in one line', async () => {
  const list = listAhead(async () => {
    throw new Error('the catalog\u001b[2J is gone');
  });
  await open(80, 12, { ports: { list } }).until('! the catalog is gone', 'No session could be read.');
});

it('a window that changes its size keeps the selection in sight', async () => {
  const screen = open(80, 40, { sessions: sessionRows(40) });
  await screen.until('1/40');
  screen.press('end');
  await screen.until('❯ Session 39');
  screen.resize(60, 8);
  await screen.until('❯ Session 39');
  expect(screen.frame().trimEnd().split('\n').length).toBeLessThanOrEqual(8);
});

it('no frame of a whole visit is wider or higher than the window', async () => {
  const screen = open(40, 12);
  await screen.until('1/7');
  const first = screen.frames().length;
  const visit = ['f1', 'esc', 'ctrl+o', 'esc', 'tab', 'tab', 'ctrl+s', 'ctrl+p', 'ctrl+y', 'esc', 'end', 'home'];
  for (const chord of visit) {
    const before = screen.frame();
    screen.press(chord);
    await expect.poll(() => screen.frame()).not.toBe(before);
  }
  for (const frame of screen.frames().slice(first)) {
    expect(frame.split('\n')).toHaveLength(12);
    for (const line of frame.split('\n')) expect(widthCells(line)).toBeLessThanOrEqual(40);
  }
});
