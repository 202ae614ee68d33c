import { isEntry, isHeader, isTitleSlot, type SessionEntry, type SessionHeader, type TitleSlot } from './entries.ts';
import { type DamageReason, JsonlReader, type JsonlRecord, type LineSink, type Position, type Span } from './jsonl.ts';
import { headOfValue, type LineHead, type PlacedHead } from './line-head.ts';
import { isRecord } from './messages.ts';

/** How much of each line is read: its head alone (unverified, fast), or everything. */
export type ReadDepth = 'skeleton' | 'full';

interface Piece {
  readonly span: Span;
  /** Borrowed: copy to keep beyond the next step. */
  readonly bytes: Buffer;
}

/** One thing in a session file, in file order. */
export type SessionRecord =
  | (Piece & { readonly kind: 'title'; readonly slot: TitleSlot })
  | (Piece & { readonly kind: 'header'; readonly header: SessionHeader })
  | (Piece & { readonly kind: 'entry'; readonly head: LineHead; readonly entry: SessionEntry | undefined })
  /** A later header or title line: kept, and no entry. */
  | (Piece & { readonly kind: 'extra'; readonly value: unknown })
  | (Piece & { readonly kind: 'damage'; readonly reason: DamageReason; readonly head: PlacedHead | undefined });

/**
 * Reads a session file piece by piece. The header is the first value, or the second behind omp's title line; a file whose
 * first value is anything else has no header (contract, decision table), and its entries can still be looked at.
 */
export class SessionReader {
  readonly #jsonl: JsonlReader;
  #mayHoldHeader: boolean;

  constructor(depth: ReadDepth, from?: Position) {
    this.#jsonl = new JsonlReader({ glance: depth === 'skeleton', ...(from === undefined ? {} : { from }) });
    this.#mayHoldHeader = from === undefined || from.offset === 0;
  }

  /** The end of the last whole line. */
  get position(): Position {
    return this.#jsonl.position;
  }

  /** Entries that `sink` takes are passed over. */
  *push(chunk: Buffer, sink?: LineSink): Generator<SessionRecord> {
    const before = sink === undefined ? undefined : this.#beforeHeader(sink);
    for (const record of this.#jsonl.push(chunk, before)) yield this.#classify(record);
  }

  /** What is taken is an entry: behind it no header is the file's. */
  #beforeHeader(sink: LineSink): LineSink {
    if (!this.#mayHoldHeader) return sink;
    return {
      take: (...line) => {
        const isTaken = sink.take(...line);
        if (isTaken) this.#mayHoldHeader = false;
        return isTaken;
      },
    };
  }

  *end(): Generator<SessionRecord> {
    for (const record of this.#jsonl.end()) yield this.#classify(record);
  }

  #classify(record: JsonlRecord): SessionRecord {
    const { span, bytes } = record;
    if (record.kind === 'damage') return record;
    const mayBeHeader = this.#mayHoldHeader;
    if (record.kind === 'head') {
      this.#mayHoldHeader = false;
      return { kind: 'entry', span, bytes, head: record.head, entry: undefined };
    }
    const { value } = record;
    if (isTitleSlot(value)) {
      return mayBeHeader ? { kind: 'title', span, bytes, slot: value } : { kind: 'extra', span, bytes, value };
    }
    this.#mayHoldHeader = false;
    if (mayBeHeader && isHeader(value)) return { kind: 'header', span, bytes, header: value };
    if (isEntry(value)) {
      return { kind: 'entry', span, bytes, head: headOfValue({ ...value }), entry: value };
    }
    if (isRecord(value) && value['type'] === 'session') return { kind: 'extra', span, bytes, value };
    return { kind: 'damage', span, bytes, reason: 'not_an_entry', head: undefined };
  }
}
