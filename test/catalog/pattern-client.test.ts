import { afterEach, beforeEach, expect, it } from 'vitest';
import { type PatternAnswer, PatternMatcher } from '../../src/catalog/pattern-client.ts';

const TEXTS = ['fix login\nfirst prompt\n/w/app\nbest\n19c2', 'login fix\n\n/w/site\n\n19c3', `${'a'.repeat(40)}!`];
const CATASTROPHE = '^(a+)+$';

let matcher: PatternMatcher;
beforeEach(() => {
  matcher = new PatternMatcher(new URL('../../src/worker.ts', import.meta.url));
});
afterEach(() => matcher.stop());

function match(...sources: readonly string[]): Promise<PatternAnswer> {
  const patterns = sources.map((source) => ({
    source: source.replace(/^-/, ''),
    flags: 'iu',
    isNot: source.startsWith('-'),
  }));
  return new Promise((resolve) => matcher.match(patterns, TEXTS, resolve));
}

const passing = (...bits: readonly number[]): PatternAnswer => ({ kind: 'matched', passing: Uint8Array.from(bits) });

it('a pattern is found in one line of a text, whatever the case; all must pass', async () => {
  expect(await match('^FIX')).toEqual(passing(1, 0, 0));
  expect(await match('app$')).toEqual(passing(1, 0, 0));
  expect(await match('login.first')).toEqual(passing(0, 0, 0));
  expect(await match('fix', '-^fix')).toEqual(passing(0, 1, 0));
});

it('one that would take for ever is given up, says so, and the next is answered', async () => {
  const answer = await match(CATASTROPHE);
  expect(answer).toEqual({ kind: 'failed', reason: 're: took longer than 0.5 s; try a simpler pattern' });
  expect(await match('^fix')).toEqual(passing(1, 0, 0));
});

it('a new question ends the one before it, which is not answered', async () => {
  let answers = 0;
  matcher.match([{ source: CATASTROPHE, flags: 'i', isNot: false }], TEXTS, () => answers++);
  expect(await match('^fix')).toEqual(passing(1, 0, 0));
  expect(answers).toBe(0);
});

it('nobody is kept waiting meanwhile', async () => {
  let isAnswered = false;
  const answer = match(CATASTROPHE).then(() => {
    isAnswered = true;
  });
  let turns = 0;
  while (!isAnswered) {
    await new Promise(setImmediate);
    turns++;
  }
  await answer;
  expect(turns).toBeGreaterThan(100);
});
