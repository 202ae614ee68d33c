import { shortened } from './styled-text.ts';

/** What turns a line on the screen into another one. */
type LineUpdate = (previous: string, next: string, columns: number) => string;

/** A move to the first changed cell, the erasure of what follows, and the codes of all that stands before it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const PARTIAL = /^(\u001b\[\d+G\u001b\[K)((?:\u001b\[[\d;]*m)+)/;

/**
 * Gives the function that stands in for Ink's `lineUpdate` throughout the bundle. That switches every style of the unchanged
 * part on and off again, which is half of a frame's bytes; here only those are switched on that are still on.
 */
export function leanLineUpdate(real: LineUpdate): LineUpdate {
  return (previous, next, columns) => {
    const update = real(previous, next, columns);
    const [all, start = '', codes = ''] = PARTIAL.exec(update) ?? [];
    const least = all === undefined ? undefined : shortened(codes);
    return all === undefined || least === undefined ? update : start + least + update.slice(all.length);
  };
}
