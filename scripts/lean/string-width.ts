import type realStringWidth from 'string-width';
import { plainWidth, unitsOf } from '../../src/model/plain-width.ts';

type StringWidth = typeof realStringWidth;

const ESCAPE = 0x1b;

/** The index behind the colour sequence (`ESC [ … m`) at `at`; -1 for any other sequence. */
function skipColour(text: string, at: number): number {
  if (text.charCodeAt(at + 1) !== 0x5b) return -1;
  for (let index = at + 2; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === 0x6d) return index + 1;
    if (unit < 0x30 || unit > 0x3b) return -1;
  }
  return -1;
}

/** The width of plain text with colours; -1 when it holds anything else. */
function plainTextWidth(text: string): number {
  let width = 0;
  for (let index = 0; index < text.length; ) {
    const codePoint = text.codePointAt(index) ?? 0;
    if (codePoint === ESCAPE) {
      index = skipColour(text, index);
      if (index < 0) return -1;
      continue;
    }
    const cells = plainWidth(codePoint);
    if (cells === 0) return -1;
    width += cells;
    index += unitsOf(codePoint);
  }
  return width;
}

/**
 * Gives the module that stands in for `string-width` throughout the bundle: the same widths, but the real one, whose emoji
 * pattern costs some 40 ms, is loaded for the first text that needs it.
 */
export function leanStringWidth(loadReal: () => StringWidth): StringWidth {
  let real: StringWidth | undefined;
  return (text, options) => {
    const isDefault = options?.ambiguousIsNarrow !== false && options?.countAnsiEscapeCodes !== true;
    const plain = isDefault && typeof text === 'string' ? plainTextWidth(text) : -1;
    if (plain >= 0) return plain;
    real ??= loadReal();
    return real(text, options);
  };
}
