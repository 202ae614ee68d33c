import type { CatalogChanges, TextHits } from '../catalog/catalog.ts';
import type { SessionRow } from '../catalog/session-row.ts';
import type { Query, Term } from './query.ts';

/** A text in which all words of the search line stand. */
export type TextHit = TextHits['hits'][number];

/** How far the index of texts is while it is being built. */
export type Indexing = CatalogChanges['indexing'];

/** What is asked of the catalog; answers to another `seq` are late. */
export interface TextSearch {
  readonly seq: number;
  readonly text: string;
  /** Words and phrases that must not stand in a text. */
  readonly without: readonly string[];
  /** Tells from others what narrows the sessions to look in. */
  readonly filters: string;
  /** Paths of these sessions; undefined for all. */
  readonly within: readonly string[] | undefined;
}

/** A search in what tools gave back, for the words of this moment. */
export interface OutputsSearch {
  readonly seq: number;
  readonly text: string;
  readonly without: readonly string[];
  /** Those of the search in texts that it goes with. */
  readonly filters: string;
  /** The sessions to scan, in this order. */
  readonly rows: readonly SessionRow[];
  readonly hits: readonly TextHit[];
  readonly doneBytes: number;
  readonly totalBytes: number;
  readonly isDone: boolean;
}

/** What tells a hit from others and from a session's own row. */
export function hitKey({ path, entryId, role }: TextHit): string {
  return `${path}\n${role}\n${entryId ?? ''}`;
}

/** The conditions of a query that are about sessions, whatever their texts hold. */
export function filterTerms({ terms }: Query): readonly Term[] {
  return terms.filter((term) => term.isNot || (term.kind !== 'word' && term.kind !== 'phrase'));
}

/** What of a search line is looked for in texts; undefined when there is too little of it to tell anything. */
export function textToFind({ terms }: Query): string | undefined {
  const parts = terms.flatMap((term) => {
    if (term.isNot || (term.kind !== 'word' && term.kind !== 'phrase')) return [];
    return [term.kind === 'phrase' ? `"${term.text}"` : term.text];
  });
  const text = parts.join(' ');
  const isTelling = text.length >= 2 || /[^\0-\x7f]/.test(text);
  return isTelling ? text : undefined;
}

/** Words and phrases that a search line does not want. */
export function unwantedIn({ terms }: Query): readonly string[] {
  return terms.flatMap((term) => (term.isNot && (term.kind === 'word' || term.kind === 'phrase') ? [term.text] : []));
}

/** The hits of some sessions. */
export function hitsAmong(hits: readonly TextHit[], rows: readonly SessionRow[]): readonly TextHit[] {
  const paths = new Set(rows.map(({ path }) => path));
  return hits.filter(({ path }) => paths.has(path));
}
