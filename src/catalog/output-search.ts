import { SessionError } from '../errors.ts';
import { wordPattern } from '../session/entry-search.ts';
import { outputText } from '../session/indexed-text.ts';
import type { LineSink } from '../session/jsonl.ts';
import type { SessionRecord } from '../session/records.ts';
import { SessionFile } from '../session/scan.ts';
import { entryTimeMs } from '../session/summary.ts';
import { type ContentQuery, holdsAll, matchOf, snippetOf } from './content-query.ts';
import type { ContentHit } from './content-search.ts';

/** Lines passed over between two chances to stop. */
const LINES_PER_STEP = 256;

/** Takes every line in whose bytes a word does not stand, whatever its JSON escapes and case. */
class Sieve implements LineSink {
  readonly #pattern: RegExp;
  #chunk: Buffer | undefined;
  #text = '';
  #next = -1;

  constructor(word: string) {
    this.#pattern = wordPattern(word);
  }

  take(chunk: Buffer, start: number, end: number): boolean {
    if (chunk !== this.#chunk) {
      this.#chunk = chunk;
      this.#text = chunk.toString('latin1');
      this.#find(start);
    } else if (this.#next >= 0 && this.#next < start) this.#find(start);
    return this.#next < 0 || this.#next >= end;
  }

  #find(from: number): void {
    this.#pattern.lastIndex = from;
    this.#next = this.#pattern.exec(this.#text)?.index ?? -1;
  }
}

function hitOf(record: SessionRecord, query: ContentQuery): Omit<ContentHit, 'path' | 'id'> | undefined {
  if (record.kind !== 'entry' || record.entry === undefined) return undefined;
  const output = outputText(record.entry);
  if (output === undefined || !holdsAll(output.text, query)) return undefined;
  const { id }: { readonly id?: unknown } = record.entry;
  return {
    entryId: typeof id === 'string' ? id : `#${record.span.line}`,
    role: output.role,
    snippet: snippetOf(output.text, query),
    timeMs: entryTimeMs(record.entry) ?? null,
    match: matchOf(output.text, query),
    place: 'output',
  };
}

/**
 * Finds what tools and commands gave back, by a scan of the bytes of some files in their order. Yields what was found since
 * the last step, often nothing, so that a caller can stop or let others work. Files that cannot be read have no hits.
 */
export function* searchOutputs(
  files: Iterable<{ readonly path: string; readonly id: string | null }>,
  query: ContentQuery,
): Generator<readonly ContentHit[]> {
  const longest = query.words.reduce((a, b) => (b.length > a.length ? b : a), '');
  if (longest === '') return;
  for (const { path, id } of files) {
    try {
      using file = new SessionFile(path);
      let hits: ContentHit[] = [];
      let steps = 0;
      for (const record of file.records('full', undefined, new Sieve(longest))) {
        const hit = hitOf(record, query);
        if (hit !== undefined) hits.push({ path, id, ...hit });
        if (++steps % LINES_PER_STEP !== 0) continue;
        yield hits;
        hits = [];
      }
      yield hits;
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
    }
  }
}
