import './same-output.ts';
import chalk from 'chalk';
import { expect, it } from 'vitest';
import { sampleRows, sampleTranscript } from './sample.ts';
import { FrameScreen } from './screen.tsx';

// The other tests of screens go without colours; both decide by these.
process.env['FORCE_COLOR'] = '3';
chalk.level = 3;

const visit = [
  'f1',
  'esc',
  'ctrl+o',
  'esc',
  'tab',
  'tab',
  'ctrl+s',
  'ctrl+p',
  'ctrl+y',
  'esc',
  'end',
  'home',
  'down',
  'f2',
  'esc',
];

it.each([
  [40, 10],
  [80, 24],
  [120, 30],
  [200, 60],
])('a visit in all colours at %d×%d is drawn as Ink would draw it', async (columns, rows) => {
  const screen = new FrameScreen({ columns, rows, sessions: sampleRows, transcript: sampleTranscript });
  await screen.until('login redirect');
  expect(screen.rawFrame()).toContain('\u001b[');
  for (const chord of [...visit, ...'认证']) {
    const before = screen.rawFrame();
    if (chord.length > 1) screen.press(chord);
    else screen.type(chord);
    await expect.poll(() => screen.rawFrame()).not.toBe(before);
  }
});
