import { plainWidth, unitsOf } from '../../src/model/plain-width.ts';

const { Segmenter } = globalThis.Intl;
const CARRIAGE_RETURN = 0x0d;

/** Controls stand alone too, but for CR LF. */
function standsAlone(codePoint: number): boolean {
  return (codePoint < 0x80 && codePoint !== CARRIAGE_RETURN) || plainWidth(codePoint) > 0;
}

function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; ) {
    const codePoint = text.codePointAt(index) ?? 0;
    if (!standsAlone(codePoint)) return false;
    index += unitsOf(codePoint);
  }
  return true;
}

/** Segments of a text in which every code point is a grapheme. */
class PlainSegments implements Intl.Segments {
  readonly #input: string;

  constructor(input: string) {
    this.#input = input;
  }

  containing(codeUnitIndex = 0): Intl.SegmentData | undefined {
    const index = Math.trunc(codeUnitIndex);
    if (index < 0 || index >= this.#input.length) return undefined;
    // Within a pair of surrogates it is the character that began one unit before.
    const isSecondHalf = index > 0 && unitsOf(this.#input.codePointAt(index - 1) ?? 0) === 2;
    return this.#segmentAt(isSecondHalf ? index - 1 : index);
  }

  *[Symbol.iterator](): Generator<Intl.SegmentData, undefined> {
    for (let index = 0; index < this.#input.length; ) {
      const data = this.#segmentAt(index);
      yield data;
      index += data.segment.length;
    }
    return undefined;
  }

  #segmentAt(index: number): Intl.SegmentData {
    return { segment: String.fromCodePoint(this.#input.codePointAt(index) ?? 0), index, input: this.#input };
  }
}

/**
 * Stands in for `Intl.Segmenter` throughout the bundle. Making the real one loads Unicode data for some 20 ms, and each use
 * costs far more than the plain texts that nearly every row is made of: it is made for the first text that needs it.
 */
class LeanSegmenter {
  readonly #locales: string | undefined;
  readonly #options: Intl.SegmenterOptions | undefined;
  #real: Intl.Segmenter | undefined;

  constructor(locales?: string, options?: Intl.SegmenterOptions) {
    this.#locales = locales;
    this.#options = options;
  }

  segment(input: string): Intl.Segments {
    const isOfGraphemes = (this.#options?.granularity ?? 'grapheme') === 'grapheme';
    if (isOfGraphemes && isPlain(input)) return new PlainSegments(input);
    this.#real ??= new Segmenter(this.#locales, this.#options);
    return this.#real.segment(input);
  }
}

export { LeanSegmenter, LeanSegmenter as 'Intl.Segmenter' };
