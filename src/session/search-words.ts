/** The words that a search line asks for, in lower case: an entry must hold all of them. */
export function searchWords(line: string): string[] {
  return line
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}
