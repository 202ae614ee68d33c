/** The words of a query: what blanks separate, each once. A NUL, which would end SQLite's text early, is a blank. */
export function splitQuery(query: string): readonly string[] {
  return [...new Set(query.split(/[\s\0]+/))].filter((word) => word !== '');
}

/** Combining accents of Latin, Greek and Cyrillic; other scripts' marks are letters in their own right. */
const ACCENTS = /[\u0300-\u036f]/g;

/** Text without case and accents, for comparing. */
export function foldText(text: string): string {
  const bare = text.normalize('NFD').replace(ACCENTS, '');
  // Upper case first, so that letters with two lower-case forms (final sigma, long s) and ß meet their equals.
  return bare.toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
