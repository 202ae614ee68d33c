import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RANKED_HITS, rankHits } from '../../src/model/rank-hits.ts';
import type { TextHit } from '../../src/model/text-hits.ts';

function hit(entryId: string, change: Partial<TextHit> = {}): TextHit {
  return {
    path: `/s/${entryId}.jsonl`,
    id: entryId,
    entryId,
    role: 'user',
    snippet: '',
    timeMs: 1_000,
    match: 'words',
    place: 'text',
    ...change,
  };
}

const order = (...hits: readonly TextHit[]): (string | null)[] => rankHits(hits).map(({ entryId }) => entryId);

it('hits of a session whose title or label is one come first', () => {
  const title = hit('title', { path: '/s/a', place: 'name', match: 'parts' });
  const said = hit('said', { path: '/s/a', match: 'parts' });
  expect(order(hit('other', { match: 'phrase' }), said, title)).toEqual(['title', 'said', 'other']);
});

it('then phrases, whole words, parts of words; then prompts, what was said, calls, outputs; then the newest', () => {
  const hits = [
    hit('parts', { match: 'parts', place: 'prompt' }),
    hit('output', { place: 'output' }),
    hit('call', { place: 'call' }),
    hit('older', { timeMs: 500 }),
    hit('newer', { timeMs: 2_000 }),
    hit('prompt', { place: 'prompt', timeMs: 1 }),
    hit('phrase', { match: 'phrase', place: 'call', timeMs: null }),
  ];
  expect(order(...hits)).toEqual(['phrase', 'prompt', 'newer', 'older', 'call', 'output', 'parts']);
});

const hits = fc.array(
  fc.record({
    path: fc.constantFrom('/s/a', '/s/b', '/s/c'),
    timeMs: fc.option(fc.nat(50)),
    match: fc.constantFrom('phrase', 'words', 'parts'),
    place: fc.constantFrom('name', 'prompt', 'text', 'call', 'output'),
  }),
  { maxLength: RANKED_HITS * 2, size: 'max' },
);

it('ranking permutes: nothing is dropped, added or changed, and older hits keep their order by time', () => {
  fc.assert(
    fc.property(hits, (changes) => {
      const all = changes.map((change, n) => hit(String(n), change as Partial<TextHit>));
      const ranked = rankHits(all);
      expect(new Set(ranked)).toEqual(new Set(all));
      expect(ranked).toHaveLength(all.length);
      const time = ({ timeMs }: TextHit): number => timeMs ?? 0;
      const behind = ranked.slice(RANKED_HITS).map(time);
      expect(behind).toEqual(behind.toSorted((a, b) => b - a));
      const oldest = Math.min(...ranked.slice(0, RANKED_HITS).map(time));
      for (const older of behind) expect(older).toBeLessThanOrEqual(oldest);
    }),
    { numRuns: 50 },
  );
});
