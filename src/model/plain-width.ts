import { eastAsianWidth } from 'get-east-asian-width';

/**
 * Is this a character of its own in every company: never joined to, or changed by, others of the kind? Latin, Greek,
 * Cyrillic, signs, arrows and frames, kana, Han, Hangul syllables, and emoji without tone or flag.
 */
function standsAlone(codePoint: number): boolean {
  if (codePoint < 0x300)
    return codePoint >= 0xa0 ? codePoint !== 0xad && codePoint !== 0xa9 && codePoint !== 0xae : true;
  if (codePoint < 0x2190)
    return (codePoint >= 0x370 && codePoint < 0x483) || (codePoint >= 0x2010 && codePoint <= 0x2027);
  if (codePoint < 0x2c00) return true;
  if (codePoint < 0x3400) {
    return (
      (codePoint >= 0x3001 && codePoint <= 0x3029) ||
      (codePoint >= 0x3041 && codePoint <= 0x3096) ||
      (codePoint >= 0x30a1 && codePoint <= 0x30fa)
    );
  }
  if (codePoint < 0xd7a4) return codePoint <= 0x9fff || codePoint >= 0xac00;
  if (codePoint < 0x1f300) return codePoint >= 0xff01 && codePoint <= 0xff60;
  return codePoint <= 0x1faff && (codePoint < 0x1f3fb || codePoint > 0x1f3ff);
}

/**
 * Cells of a character that stands alone; 0 for anything that needs the real measure. It knows without the Unicode tables
 * of graphemes and emoji, which take long to load.
 */
export function plainWidth(codePoint: number): number {
  if (codePoint < 0x7f) return codePoint < 0x20 ? 0 : 1;
  if (codePoint < 0xa0) return 0;
  return standsAlone(codePoint) ? eastAsianWidth(codePoint) : 0;
}

/** UTF-16 units of a code point. */
export function unitsOf(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}
