import { plainWidth } from '../../src/model/plain-width.ts';

const { Segmenter } = globalThis.Intl;
const CARRIAGE_RETURN = 0x0d;

/** Controls stand alone too, but for CR LF. */
function standsAlone(unit: number): boolean {
  return (unit < 0x80 && unit !== CARRIAGE_RETURN) || plainWidth(unit) > 0;
}

function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (!standsAlone(text.charCodeAt(index))) return false;
  return true;
}

/** Segments of a text in which every UTF-16 unit is a grapheme. */
class PlainSegments implements Intl.Segments {
  readonly #input: string;

  constructor(input: string) {
    this.#input = input;
  }

  containing(codeUnitIndex = 0): Intl.SegmentData | undefined {
    const index = Math.trunc(codeUnitIndex);
    if (index < 0 || index >= this.#input.length) return undefined;
    return { segment: this.#input.charAt(index), index, input: this.#input };
  }

  *[Symbol.iterator](): Generator<Intl.SegmentData, undefined> {
    const input = this.#input;
    for (let index = 0; index < input.length; index++) yield { segment: input.charAt(index), index, input };
    return undefined;
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
