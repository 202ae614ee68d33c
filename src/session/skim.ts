import { findHead, isoTimeMs, makeHeadBytes } from './head-bytes.ts';
import type { LineSink } from './jsonl.ts';
import type { SummaryBuilder } from './summary.ts';

const RESULT = Buffer.from('toolResult');

/** Finds the next place of some bytes in a chunk, remembering it from line to line: each byte is looked at once. */
class Mark {
  readonly #bytes: Buffer;
  #chunk: Buffer | undefined;
  #next = -1;

  constructor(text: string) {
    this.#bytes = Buffer.from(text, 'latin1');
  }

  standsWithin(chunk: Buffer, start: number, end: number): boolean {
    const isKnown = chunk === this.#chunk && (this.#next < 0 || this.#next >= start);
    if (!isKnown) {
      this.#chunk = chunk;
      this.#next = chunk.indexOf(this.#bytes, start);
    }
    return this.#next >= 0 && this.#next < end;
  }
}

/**
 * Takes the lines of tools' results, which are most of a file, from their heads alone, and tells a summary of them. Lines
 * with a second entry, zero bytes or a sub-agent's bill in them are left to be parsed; what else could be wrong behind the
 * head is not verified.
 */
export class ResultSkimmer implements LineSink {
  readonly #head = makeHeadBytes();
  readonly #glue = new Mark('}{"');
  readonly #zero = new Mark('\0');
  readonly #task = new Mark('"toolName":"task"');
  readonly #image = new Mark('{"type":"image"');
  readonly #parent = new Mark(',"parentId":');
  readonly #summary: SummaryBuilder | undefined;
  readonly #from: number;

  /** Lines before `from` are taken without being told. */
  constructor(summary: SummaryBuilder | undefined, from: number) {
    this.#summary = summary;
    this.#from = from;
  }

  take(chunk: Buffer, start: number, end: number, _line: number, offset: number): boolean {
    const head = this.#head;
    if (!findHead(chunk, start, end, head) || head.roleStart < 0) return false;
    const isResult = head.roleEnd - head.roleStart === RESULT.length && chunk[head.roleStart] === RESULT[0];
    if (!isResult || RESULT.compare(chunk, head.roleStart, head.roleEnd) !== 0) return false;
    const mustParse =
      this.#glue.standsWithin(chunk, start, end) ||
      this.#zero.standsWithin(chunk, start, end) ||
      this.#task.standsWithin(chunk, start, end) ||
      this.#parent.standsWithin(chunk, head.timeEnd, end);
    const timeMs = isoTimeMs(chunk, head.timeStart, head.timeEnd);
    if (mustParse || timeMs === undefined) return false;
    if (this.#summary === undefined || offset < this.#from) return true;
    const parentId = head.parentStart < 0 ? null : chunk.toString('utf8', head.parentStart, head.parentEnd);
    this.#summary.addSkimmedResult(parentId, timeMs, this.#image.standsWithin(chunk, start, end));
    return true;
  }
}
