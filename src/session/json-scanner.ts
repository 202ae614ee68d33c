/** Where the first value of some bytes ends, if it does. */
export type ScanOutcome =
  | { readonly status: 'complete'; readonly end: number }
  | { readonly status: 'incomplete' }
  | { readonly status: 'invalid' };

/** Called for each finished pair of the outermost object: byte positions in the fed bytes, quotes of the key left out. */
type PairListener = (keyStart: number, keyEnd: number, valueStart: number, valueEnd: number) => void;

const expectations = {
  value: 0,
  firstValue: 1,
  firstKey: 2,
  key: 3,
  colon: 4,
  comma: 5,
} as const;
type Expectation = (typeof expectations)[keyof typeof expectations];

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const LITERALS = ['true', 'false', 'null'] as const;
const [QUOTE, BACKSLASH, COMMA, COLON, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [
  0x22, 0x5c, 0x2c, 0x3a, 0x7b, 0x7d, 0x5b, 0x5d,
] as const;

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isHex(byte: number | undefined): boolean {
  return byte !== undefined && /[0-9a-fA-F]/.test(String.fromCharCode(byte));
}

/** The position after the closing quote of the string that opens at `from`; -1 when it is broken or not closed. */
function endOfString(bytes: Buffer, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return at + 1;
    if (byte < 0x20) return -1;
    if (byte !== BACKSLASH) continue;
    at++;
    const escaped = String.fromCharCode(bytes[at] ?? 0);
    if (escaped === 'u') {
      for (let digit = 1; digit <= 4; digit++) if (!isHex(bytes[at + digit])) return -1;
      at += 4;
    } else if (!'"\\/bfnrt'.includes(escaped)) return -1;
  }
  return -1;
}

/** The position after the number or literal at `from`; -1 when there is none. */
function endOfWord(bytes: Buffer, from: number): number {
  let end = from;
  while (end < bytes.length && /[-+.0-9a-zA-Z]/.test(String.fromCharCode(bytes[end] ?? 0))) end++;
  const word = bytes.toString('latin1', from, end);
  return NUMBER.test(word) || LITERALS.some((literal) => literal === word) ? end : -1;
}

/**
 * Finds the end of one JSON value, strictly and without recursion. Only lines that `JSON.parse` refuses come here, to
 * learn whether they hold several values, the beginning of one that spans lines, or damage. It may be fed line by line:
 * a string never spans lines (a raw line break in it is invalid), so every token is whole within its line.
 */
export class JsonScanner {
  readonly #stack: number[] = [];
  readonly #onPair: PairListener | undefined;
  #expected: Expectation = expectations.value;
  #key: readonly [start: number, end: number] | undefined;
  #valueStart = -1;

  constructor(onPair?: PairListener) {
    this.#onPair = onPair;
  }

  /** Goes on at `from`. "incomplete" means: valid so far, and more must follow on the next line. */
  feed(bytes: Buffer, from = 0): ScanOutcome {
    let at = from;
    while (at < bytes.length) {
      const byte = bytes[at] ?? 0;
      if (isBlank(byte)) {
        at++;
        continue;
      }
      const next = this.#step(bytes, at, byte);
      if (next < 0) return { status: 'invalid' };
      at = next;
      if (this.#stack.length === 0 && this.#expected === expectations.comma) return { status: 'complete', end: at };
    }
    return { status: 'incomplete' };
  }

  #step(bytes: Buffer, at: number, byte: number): number {
    switch (this.#expected) {
      case expectations.colon:
        this.#expected = expectations.value;
        return byte === COLON ? at + 1 : -1;
      case expectations.firstKey:
      case expectations.key:
        if (byte === CLOSE_BRACE && this.#expected === expectations.firstKey) return this.#close(OPEN_BRACE, at);
        return byte === QUOTE ? this.#readKey(bytes, at) : -1;
      case expectations.comma:
        return this.#separator(byte, at);
      case expectations.firstValue:
        if (byte === CLOSE_BRACKET) return this.#close(OPEN_BRACKET, at);
        return this.#readValue(bytes, at, byte);
      case expectations.value:
        return this.#readValue(bytes, at, byte);
    }
  }

  #readKey(bytes: Buffer, at: number): number {
    const end = endOfString(bytes, at);
    if (this.#stack.length === 1) this.#key = [at + 1, end - 1];
    this.#expected = expectations.colon;
    return end;
  }

  #readValue(bytes: Buffer, at: number, byte: number): number {
    if (this.#stack.length === 1) this.#valueStart = at;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      this.#stack.push(byte);
      this.#expected = byte === OPEN_BRACE ? expectations.firstKey : expectations.firstValue;
      return at + 1;
    }
    const end = byte === QUOTE ? endOfString(bytes, at) : endOfWord(bytes, at);
    if (end >= 0) this.#finishValue(end);
    return end;
  }

  #separator(byte: number, at: number): number {
    const open = this.#stack.at(-1);
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      return this.#close(byte === CLOSE_BRACE ? OPEN_BRACE : OPEN_BRACKET, at);
    }
    if (byte !== COMMA) return -1;
    this.#expected = open === OPEN_BRACE ? expectations.key : expectations.value;
    return at + 1;
  }

  #close(opening: number, at: number): number {
    if (this.#stack.pop() !== opening) return -1;
    this.#finishValue(at + 1);
    return at + 1;
  }

  #finishValue(end: number): void {
    this.#expected = expectations.comma;
    if (this.#stack.length !== 1 || this.#key === undefined) return;
    this.#onPair?.(this.#key[0], this.#key[1], this.#valueStart, end);
    this.#key = undefined;
  }
}
