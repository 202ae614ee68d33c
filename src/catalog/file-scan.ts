import { createHash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { SessionError } from '../errors.ts';
import { fieldOf } from '../session/entries.ts';
import { indexedText } from '../session/indexed-text.ts';
import { LegacyIds, versionOf } from '../session/migrations.ts';
import type { SessionRecord } from '../session/records.ts';
import { SessionFile } from '../session/scan.ts';
import { type CallUsage, entryTimeMs, SummaryBuilder, type SummaryState } from '../session/summary.ts';
import { rowOfSummary, unreadableRow } from './read-row.ts';
import type { FoundFile } from './session-files.ts';
import type { SessionRow } from './session-row.ts';
import type { CatalogStore, FileRecord, FileUpdate, ReadState } from './store.ts';
import { DamagedCatalog } from './store-file.ts';
import type { TextDoc } from './text-index.ts';

const START = { line: 1, offset: 0 };
const HEAD_BYTES = 1024;
const SEAM_BYTES = 4096;
/** Texts of a long file are handed on in pieces of so many UTF-16 units, so that memory stays bounded. */
const PIECE_UNITS = 2 * 1024 * 1024;
const MAX_FIRST_MESSAGE_CHARS = 2000;
const MAX_TEXT_UNITS = 1024 * 1024;

/** What stands at a file's beginning and before an offset: it tells a file that grew from one that was replaced. */
function seamBefore(file: SessionFile, offset: number): string {
  const hash = createHash('sha1').update(file.read(0, Math.min(HEAD_BYTES, offset)));
  const start = Math.max(0, offset - SEAM_BYTES);
  return hash.update(file.read(start, offset - start)).digest('base64');
}

/** Are the texts of a file indexed as far as its figures go? */
export function hasTexts(record: FileRecord): boolean {
  return record.textOffset >= record.offset;
}

/** Has a file the size, time and inode that it had when it was read? */
export function isUnchanged(found: FoundFile, { stamp }: FileRecord): boolean {
  return found.sizeBytes === stamp.sizeBytes && found.mtimeMs === stamp.mtimeMs && found.inode === stamp.inode;
}

/** Did a file only get longer since its last reading? */
function hasGrown(file: SessionFile, record: FileRecord): boolean {
  const { sizeBytes, inode } = file.stamp;
  const isLonger = inode === record.stamp.inode && sizeBytes > record.stamp.sizeBytes && sizeBytes >= record.offset;
  return isLonger && seamBefore(file, record.offset) === record.seam;
}

/** Gathers what can be found in a file. */
class TextCollector {
  docs: TextDoc[] = [];
  units = 0;
  entries = 0;
  readonly #fallbackMs: number;
  #legacyIds: LegacyIds | undefined;

  constructor(fallbackMs: number, state: SummaryState | undefined, entriesBefore: number) {
    this.#fallbackMs = fallbackMs;
    if (state?.header !== undefined && versionOf(state.header) < 2) {
      this.#legacyIds = new LegacyIds(state.header.id);
      for (let passed = 0; passed < entriesBefore; passed++) this.#legacyIds.next();
    }
    this.entries = entriesBefore;
  }

  add(record: SessionRecord): void {
    if (record.kind === 'title') this.#put(record, null, 'title', record.slot.title, undefined);
    else if (record.kind === 'header') {
      const { id, title, timestamp } = record.header;
      if (versionOf(record.header) < 2) this.#legacyIds = new LegacyIds(id);
      const timeMs = Date.parse(timestamp);
      this.#put(record, null, 'title', title, Number.isFinite(timeMs) ? timeMs : undefined);
    } else if (record.kind === 'entry' && record.entry !== undefined) {
      this.entries++;
      const own: unknown = fieldOf(record.entry, 'id');
      const id = this.#legacyIds?.next() ?? (typeof own === 'string' ? own : `#${record.span.line}`);
      const found = indexedText(record.entry);
      if (found !== undefined) this.#put(record, id, found.role, found.text, entryTimeMs(record.entry));
    }
  }

  #put({ span }: SessionRecord, entryId: string | null, role: string, text: unknown, timeMs: number | undefined): void {
    if (typeof text !== 'string' || text === '') return;
    const { line, offset, length } = span;
    const kept = text.slice(0, MAX_TEXT_UNITS);
    this.docs.push({ line, offset, length, entryId, role, timeMs: timeMs ?? this.#fallbackMs, text: kept });
    this.units += kept.length;
  }

  /** The texts since the last taking. */
  take(): readonly TextDoc[] {
    const { docs } = this;
    this.docs = [];
    this.units = 0;
    return docs;
  }
}

/** The state of a summary that was kept; undefined when another Node wrote it. */
function readState(kept: { readonly state: Uint8Array; readonly calls: Uint8Array }): SummaryState | undefined {
  try {
    const state = deserialize(kept.state) as Omit<SummaryState, 'calls'>;
    return { ...state, calls: readCalls(kept.calls) };
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** The paid calls of a file, as they were kept. Throws `DamagedCatalog`. */
export function readCalls(calls: Uint8Array): Map<string, CallUsage> {
  try {
    return deserialize(calls) as Map<string, CallUsage>;
  } catch (error) {
    throw new DamagedCatalog('figures of the catalog are damaged', { cause: error });
  }
}

/** The row of a file that was read where it lay before; undefined when it must be read again. */
export function movedRow(found: FoundFile, record: FileRecord, store: CatalogStore): SessionRow | undefined {
  const stored = store.stateOf(record.id);
  const state = stored === undefined ? undefined : readState(stored);
  return state && rowOfSummary(found, record.stamp, new SummaryBuilder(state).finish());
}

function figuresOf(found: FoundFile, file: SessionFile, builder: SummaryBuilder): NonNullable<FileUpdate['figures']> {
  const { calls, ...state } = builder.state;
  const firstMessage = state.firstMessage?.slice(0, MAX_FIRST_MESSAGE_CHARS);
  return {
    row: rowOfSummary(found, file.stamp, builder.finish()),
    state: serialize({ ...state, firstMessage }),
    calls: serialize(calls),
  };
}

/** The reading of a file that cannot be read: nothing of it is known, and it is tried again when it changes. */
function unreadable(found: FoundFile, record: FileRecord | undefined, error: SessionError): FileUpdate {
  const { sizeBytes, mtimeMs, inode } = found;
  const none = { line: 1, offset: 0, seam: '', textLine: 1, textOffset: 0, textEntries: 0 };
  return {
    path: found.path,
    root: found.root.folders.sessionsDir,
    since: record,
    read: { stamp: { sizeBytes, mtimeMs, inode }, ...none },
    figures: { row: unreadableRow(found, error), state: new Uint8Array(0), calls: serialize(new Map()) },
    textFrom: 0,
    docs: [],
  };
}

/** How a file is read. */
export interface ScanOptions {
  readonly store: CatalogStore;
  readonly withTexts: boolean;
}

/**
 * Reads what is new in a file (all of it, unless it only grew) and gives it in one or more pieces, each to be kept. Yields
 * undefined now and then where nothing is to be kept yet, so that the caller can let others work.
 */
export function* scanFile(
  found: FoundFile,
  record: FileRecord | undefined,
  options: ScanOptions,
): Generator<FileUpdate | undefined> {
  try {
    using file = new SessionFile(found.path);
    yield* new FileScan(found, file, record, options).run();
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    yield unreadable(found, record, error);
  }
}

class FileScan {
  readonly #found: FoundFile;
  readonly #file: SessionFile;
  readonly #withTexts: boolean;
  #since: ReadState | undefined;
  readonly #builder: SummaryBuilder | undefined;
  readonly #texts: TextCollector | undefined;
  readonly #from: ReadState;
  #textFrom: number | undefined;

  constructor(found: FoundFile, file: SessionFile, record: FileRecord | undefined, options: ScanOptions) {
    this.#found = found;
    this.#file = file;
    this.#since = record;
    this.#withTexts = options.withTexts;
    const { stamp } = file;
    const isFresh = record !== undefined && isUnchanged({ ...found, ...stamp }, record);
    const kept = record !== undefined && (isFresh || hasGrown(file, record)) ? record : undefined;
    const stored = kept === undefined ? undefined : options.store.stateOf(kept.id);
    const state = stored === undefined ? undefined : readState(stored);
    const none = { stamp, ...START, seam: '', textLine: 1, textOffset: 0, textEntries: 0 };
    this.#from = kept !== undefined && state !== undefined ? kept : none;
    const isMeasured = isFresh && this.#from === kept;
    this.#builder = isMeasured ? undefined : new SummaryBuilder(this.#from === kept ? state : undefined);
    if (this.#withTexts) {
      const { textEntries, textOffset } = this.#from;
      this.#texts = new TextCollector(stamp.mtimeMs, textOffset > 0 ? state : undefined, textEntries);
      this.#textFrom = textOffset;
    } else this.#textFrom = this.#from === none ? 0 : undefined;
  }

  *run(): Generator<FileUpdate | undefined> {
    const { offset, line, textOffset, textLine } = this.#from;
    const startsAtTexts = this.#texts !== undefined && textOffset < offset;
    const isBehind = this.#builder === undefined && !startsAtTexts;
    const start = isBehind || !startsAtTexts ? { line, offset } : { line: textLine, offset: textOffset };
    const reading = this.#file.wholeRecords(start);
    let steps = 0;
    for (let step = reading.next(); ; step = reading.next()) {
      if (step.done === true) {
        yield this.#finish(step.value);
        return;
      }
      const record = step.value;
      if ((this.#texts?.units ?? 0) >= PIECE_UNITS) {
        const at = { line: record.span.line, offset: record.span.offset };
        // Two values may share a line: the reading can go on only from the start of one.
        if (this.#startsLine(at.offset)) yield this.#piece(at);
      }
      this.#add(record);
      if (++steps % 64 === 0) yield undefined;
    }
  }

  #startsLine(offset: number): boolean {
    return offset > 0 && this.#file.read(offset - 1, 1)[0] === 0x0a;
  }

  #add(record: SessionRecord): void {
    const { offset } = record.span;
    if (offset >= this.#from.offset) this.#builder?.add(record);
    if (offset >= this.#from.textOffset) this.#texts?.add(record);
  }

  /** What was read up to a place in the middle: kept as if the file ended there, so that it counts as grown. */
  #piece(at: { readonly line: number; readonly offset: number }): FileUpdate {
    const hasPassedFigures = this.#builder !== undefined && at.offset >= this.#from.offset;
    const text = { textLine: at.line, textOffset: at.offset, textEntries: this.#texts?.entries ?? 0 };
    if (!hasPassedFigures) {
      const { stamp, line, offset, seam } = this.#since ?? this.#from;
      return this.#update({ stamp, line, offset, seam, ...text }, undefined);
    }
    const { inode } = this.#file.stamp;
    const stamp = { sizeBytes: at.offset, mtimeMs: 0, inode };
    const seam = seamBefore(this.#file, at.offset);
    return this.#update({ stamp, ...at, seam, ...text }, this.#builder);
  }

  #finish(position: { readonly line: number; readonly offset: number }): FileUpdate {
    const { stamp } = this.#file;
    const entries = this.#texts?.entries ?? this.#from.textEntries;
    const { textLine, textOffset } = this.#from;
    const text =
      this.#texts === undefined
        ? { textLine, textOffset, textEntries: entries }
        : { textLine: position.line, textOffset: position.offset, textEntries: entries };
    // The figures are kept without the torn end, which is read again when the file has grown.
    const kept = this.#builder === undefined ? undefined : figuresOf(this.#found, this.#file, this.#builder);
    for (const record of this.#file.records('full', position)) this.#add(record);
    const seam = seamBefore(this.#file, position.offset);
    const update = this.#update({ stamp, ...position, seam, ...text }, undefined);
    if (kept === undefined || this.#builder === undefined) return update;
    const row = rowOfSummary(this.#found, stamp, this.#builder.finish());
    return { ...update, figures: { ...kept, row } };
  }

  #update(read: ReadState, builder: SummaryBuilder | undefined): FileUpdate {
    const update: FileUpdate = {
      path: this.#found.path,
      root: this.#found.root.folders.sessionsDir,
      since: this.#since,
      read,
      figures: builder === undefined ? undefined : figuresOf(this.#found, this.#file, builder),
      textFrom: this.#textFrom,
      docs: this.#texts?.take() ?? [],
    };
    this.#since = read;
    this.#textFrom = this.#withTexts ? read.textOffset : undefined;
    return update;
  }
}
