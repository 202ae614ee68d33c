/**
 * Width of a UTF-16 unit that always stands alone and never changes its neighbours: ASCII, Latin, Greek, Cyrillic, the
 * signs of our own frame, kana, Han and Hangul syllables. 0 for anything that needs the real measure.
 */
export function plainWidth(unit: number): number {
  if (unit < 0x7f) return unit < 0x20 ? 0 : 1;
  if (unit < 0x300) return unit < 0xa0 || unit === 0xa9 || unit === 0xad || unit === 0xae ? 0 : 1;
  if (unit >= 0x370 && unit < 0x483) return 1;
  if (unit >= 0x2010 && unit <= 0x2027) return 1;
  if (unit >= 0x2500 && unit <= 0x25a9) return 1;
  if (unit >= 0x3041 && unit <= 0x3096) return 2;
  if (unit >= 0x30a1 && unit <= 0x30fa) return 2;
  if (unit >= 0x4e00 && unit <= 0x9fff) return 2;
  if (unit >= 0xac00 && unit <= 0xd7a3) return 2;
  return FRAME_SIGNS.has(unit) ? 1 : 0;
}

const FRAME_SIGNS: ReadonlySet<number> = new Set(Array.from('❯●○◆■✓✗↑↓↳▏', (sign) => sign.charCodeAt(0)));
