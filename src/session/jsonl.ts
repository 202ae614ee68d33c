import { JsonScanner } from './json-scanner.ts';
import { findGluedEntry, glanceAtLine, headOfDamagedLine, type PlacedHead } from './line-head.ts';

/** Where something stands in a file: bytes from `offset`, on line `line` (from 1). Two values may share a line. */
export interface Span {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

/** Why a piece of a line could not be read. */
export type DamageReason = 'unparseable' | 'torn' | 'too_long' | 'not_an_entry';

/**
 * One thing read from a file: a value, the mere head of a line (when only glanced at), or damage. `bytes` are borrowed:
 * copy them to keep them beyond the next step.
 */
export type JsonlRecord =
  | { readonly kind: 'value'; readonly span: Span; readonly bytes: Buffer; readonly value: unknown }
  | { readonly kind: 'head'; readonly span: Span; readonly bytes: Buffer; readonly head: PlacedHead }
  | {
      readonly kind: 'damage';
      readonly span: Span;
      readonly bytes: Buffer;
      readonly reason: DamageReason;
      /** Present when the line keeps its place in the tree all the same. */
      readonly head: PlacedHead | undefined;
    };

/** Takes lines whose head tells enough, without anything being made of them. */
export interface LineSink {
  /** Looks at the line in `chunk` from `start` to `end`, without its newline; false leaves it to the reader. */
  take(chunk: Buffer, start: number, end: number, line: number, offset: number): boolean;
}

/** A place between two lines, from which reading can go on later. */
export interface Position {
  readonly line: number;
  readonly offset: number;
}

interface Line {
  readonly bytes: Buffer;
  readonly line: number;
  readonly offset: number;
  /** Does it end with its newline? */
  readonly isWhole: boolean;
}

interface UnfinishedValue {
  readonly scanner: JsonScanner;
  readonly lines: [Line, ...Line[]];
  /** Newlines included. */
  sizeBytes: number;
}

const NEWLINE = 0x0a;
/** Just below V8's longest string. */
const MAX_LINE_BYTES = 0x1fff_0000;
/** What is kept of a line that is longer: enough for its head. */
const KEPT_OF_TOO_LONG = 64 * 1024;
/** A value that spans lines was formatted by hand: it is small. The bounds keep hostile files linear. */
const MAX_SPANNED_BYTES = 1024 * 1024;
const MAX_SPANNED_LINES = 2000;
/** How many lines may be read in vain, because they did not make a value together after all. */
const MAX_WASTED_LINES = 50_000;

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

/**
 * Reads JSON values from bytes, leniently (contract 0, "Lenient JSONL"): values follow each other, usually one a line;
 * blank lines, CRLF and a leading BOM are no matter; what cannot be read is reported as damage with its bytes, and
 * reading resumes. Nothing is dropped: records and blank space add up to the file. Never throws on data, and takes time
 * linear in it.
 */
export class JsonlReader {
  readonly #glances: boolean;
  #partial: Buffer[] = [];
  #partialBytes = 0;
  #line: number;
  #offset: number;
  #unfinished: UnfinishedValue | undefined;
  #wastedLines = 0;

  /** With `glance`, lines that look whole give their head alone, unverified and several times faster. */
  constructor(options: { readonly glance?: boolean; readonly from?: Position } = {}) {
    this.#glances = options.glance ?? false;
    this.#line = options.from?.line ?? 1;
    this.#offset = options.from?.offset ?? 0;
  }

  /** The end of the last whole line: where a later reading of the grown file can go on. */
  get position(): Position {
    const first = this.#unfinished?.lines[0];
    return first === undefined
      ? { line: this.#line, offset: this.#offset }
      : { line: first.line, offset: first.offset };
  }

  /** Takes the next bytes and gives what they complete. Lines that `sink` takes are passed over. */
  *push(chunk: Buffer, sink?: LineSink): Generator<JsonlRecord> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const isFresh = this.#partialBytes === 0 && this.#unfinished === undefined;
      if (sink !== undefined && isFresh && sink.take(chunk, start, end, this.#line, this.#offset)) {
        this.#line++;
        this.#offset += end + 1 - start;
      } else yield* this.#takeLine(chunk.subarray(start, end), true);
      start = end + 1;
    }
    if (start === chunk.length) return;
    const rest = chunk.subarray(start);
    this.#partialBytes += rest.length;
    if (this.#partialBytes <= MAX_LINE_BYTES || this.#partial.length === 0) this.#partial.push(Buffer.from(rest));
  }

  /** Says that no more bytes come: a last line without its newline is read as it is. */
  *end(): Generator<JsonlRecord> {
    if (this.#partialBytes > 0) yield* this.#takeLine(Buffer.alloc(0), false);
    yield* this.#giveUpUnfinished();
  }

  *#takeLine(ending: Buffer, isWhole: boolean): Generator<JsonlRecord> {
    const lengthBytes = this.#partialBytes + ending.length;
    const isTooLong = lengthBytes > MAX_LINE_BYTES;
    let bytes = this.#partial.length === 0 ? ending : Buffer.concat([...this.#partial, ending]);
    if (isTooLong) bytes = Buffer.from(bytes.subarray(0, KEPT_OF_TOO_LONG));
    this.#partial = [];
    this.#partialBytes = 0;
    const bom = this.#offset === 0 && bytes.indexOf('\ufeff') === 0 ? 3 : 0;
    const line: Line = { bytes: bytes.subarray(bom), line: this.#line, offset: this.#offset + bom, isWhole };
    if (isWhole) {
      this.#line++;
      this.#offset += lengthBytes + 1;
    }
    if (isTooLong) {
      yield* this.#giveUpUnfinished();
      const span = { line: line.line, offset: line.offset, length: lengthBytes - bom };
      yield { kind: 'damage', span, bytes, reason: 'too_long', head: headOfDamagedLine(bytes) };
    } else yield* this.#readLines([line]);
  }

  *#readLines(queue: Line[]): Generator<JsonlRecord> {
    for (let line = queue.shift(); line !== undefined; line = queue.shift()) {
      if (this.#unfinished === undefined) yield* this.#readLine(line);
      else yield* this.#continueUnfinished(this.#unfinished, line, queue);
    }
  }

  *#readLine(line: Line): Generator<JsonlRecord> {
    if (isBlank(line.bytes)) return;
    const span = { line: line.line, offset: line.offset, length: line.bytes.length };
    const head = this.#glances ? glanceAtLine(line.bytes) : undefined;
    if (head !== undefined) {
      yield { kind: 'head', span, bytes: line.bytes, head };
      return;
    }
    const value = parse(line.bytes);
    if (value !== undefined) yield { kind: 'value', span, bytes: line.bytes, value };
    else yield* this.#readPieces(line, 0);
  }

  /** Several values on one line, a value and then damage, damage and then a value, or the start of a longer value. */
  *#readPieces(line: Line, from: number): Generator<JsonlRecord> {
    let at = from;
    while (at < line.bytes.length && !isBlank(line.bytes.subarray(at))) {
      const scanner = new JsonScanner();
      const outcome = scanner.feed(line.bytes, at);
      if (outcome.status === 'complete') {
        yield this.#valueAt(line, at, outcome.end);
        at = outcome.end;
        continue;
      }
      if (outcome.status === 'incomplete' && line.isWhole && this.#wastedLines < MAX_WASTED_LINES) {
        const rest = { ...line, bytes: Buffer.from(line.bytes.subarray(at)), offset: line.offset + at };
        this.#unfinished = { scanner, lines: [rest], sizeBytes: rest.bytes.length + 1 };
        return;
      }
      const glued = findGluedEntry(line.bytes, at + 1);
      const end = glued < 0 ? line.bytes.length : glued;
      yield damageAt(line, at, end);
      at = end;
    }
  }

  #valueAt(line: Line, start: number, end: number): JsonlRecord {
    const bytes = line.bytes.subarray(start, end);
    const span = { line: line.line, offset: line.offset + start, length: bytes.length };
    return { kind: 'value', span, bytes, value: parse(bytes) };
  }

  *#continueUnfinished(unfinished: UnfinishedValue, line: Line, queue: Line[]): Generator<JsonlRecord> {
    const outcome = unfinished.scanner.feed(line.bytes);
    unfinished.lines.push({ ...line, bytes: Buffer.from(line.bytes) });
    unfinished.sizeBytes += line.bytes.length + 1;
    if (outcome.status === 'complete') {
      this.#unfinished = undefined;
      yield spannedValue(unfinished, unfinished.sizeBytes - 1 - (line.bytes.length - outcome.end));
      yield* this.#readPieces(line, outcome.end);
      return;
    }
    const { lines, sizeBytes } = unfinished;
    const isSmall = sizeBytes < MAX_SPANNED_BYTES && lines.length < MAX_SPANNED_LINES;
    if (outcome.status === 'invalid' || !line.isWhole || !isSmall) yield this.#dropFirstLine(unfinished, queue);
  }

  *#giveUpUnfinished(): Generator<JsonlRecord> {
    while (this.#unfinished !== undefined) {
      const queue: Line[] = [];
      yield this.#dropFirstLine(this.#unfinished, queue);
      yield* this.#readLines(queue);
    }
  }

  /** The first line was damage after all; those behind it are to be read anew, each on its own. */
  #dropFirstLine(unfinished: UnfinishedValue, queue: Line[]): JsonlRecord {
    this.#unfinished = undefined;
    this.#wastedLines += unfinished.lines.length;
    const [first, ...others] = unfinished.lines;
    queue.unshift(...others);
    return damageAt(first, 0, first.bytes.length);
  }
}

/** The value that the lines of `unfinished` make together. */
function spannedValue({ lines }: UnfinishedValue, lengthBytes: number): JsonlRecord {
  const parts = lines.flatMap(({ bytes }) => [bytes, Buffer.of(NEWLINE)]);
  const bytes = Buffer.concat(parts).subarray(0, lengthBytes);
  const span = { line: lines[0].line, offset: lines[0].offset, length: lengthBytes };
  return { kind: 'value', span, bytes, value: parse(bytes) };
}

function damageAt(line: Line, start: number, end: number): JsonlRecord {
  const bytes = line.bytes.subarray(start, end);
  const span = { line: line.line, offset: line.offset + start, length: bytes.length };
  const reason = line.isWhole || end < line.bytes.length ? 'unparseable' : 'torn';
  return { kind: 'damage', span, bytes, reason, head: headOfDamagedLine(bytes) };
}

/** The value of some bytes, or undefined when they are not exactly one JSON value. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
