import type { TextHits } from '../catalog/catalog.ts';

type Hit = TextHits['hits'][number];

/** So many of the newest hits are put in the order of how telling they are. */
export const RANKED_HITS = 200;

const MATCHES = { phrase: 0, words: 1, parts: 2 } as const satisfies Record<Hit['match'], number>;
const PLACES = { name: 0, prompt: 0, text: 1, call: 2, output: 3 } as const satisfies Record<Hit['place'], number>;

function byTime(a: Hit, b: Hit): number {
  return (b.timeMs ?? 0) - (a.timeMs ?? 0);
}

/**
 * Hits in the order in which they are shown. The newest `RANKED_HITS` come first, among these: those of sessions whose title
 * or label is a hit too; then the words as one phrase, as whole words, as parts of words; then prompts, titles and labels,
 * what else was said, tool arguments, tool output; the newest first where all that is equal. Older hits follow, the newest
 * first. So a list that is cut shorter is the beginning of the longer one.
 */
export function rankHits<H extends Hit>(hits: readonly H[]): readonly H[] {
  const newest = [...hits].sort(byTime);
  const top = newest.slice(0, RANKED_HITS);
  const named = new Set(top.filter(({ place }) => place === 'name').map(({ path }) => path));
  const ranked = top.sort(
    (a, b) =>
      Number(named.has(b.path)) - Number(named.has(a.path)) ||
      MATCHES[a.match] - MATCHES[b.match] ||
      PLACES[a.place] - PLACES[b.place],
  );
  return [...ranked, ...newest.slice(RANKED_HITS)];
}
