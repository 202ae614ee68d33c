import { fieldOf, type SessionEntry, type SessionHeader } from './entries.ts';
import { findHead, isoTimeMs, makeHeadBytes, standsAt } from './head-bytes.ts';
import { IdColumn, IdIndex, ParentColumn } from './id-columns.ts';
import type { LineSink, Span } from './jsonl.ts';
import { contentBlocks, epochMs, isRecord } from './messages.ts';
import { LegacyIds, versionOf } from './migrations.ts';
import type { SessionRecord } from './records.ts';
import { type EntryKind, entryFlags, type PlacedLabel, type Skeleton } from './skeleton.ts';

const MAX_KINDS = 0xffff;
const QUOTE = 0x22;
const encoder = new TextEncoder();

/** Says text, calls tools, failed: of an assistant message that was read. */
function flagsOfValue(entry: SessionEntry): number {
  if (entry.type !== 'message' || !isRecord(entry.message) || entry.message['role'] !== 'assistant') return 0;
  const { content, stopReason } = entry.message as { content?: unknown; stopReason?: unknown };
  const failed = stopReason === 'error' || stopReason === 'aborted' ? entryFlags.failed : 0;
  const blocks = contentBlocks(content);
  const says = (block: Readonly<Record<string, unknown>>): boolean =>
    block['type'] === 'image' || (typeof block['text'] === 'string' && block['text'].trim() !== '');
  const isToolsOnly = blocks.some(({ type }) => type === 'toolCall') && !blocks.some(says);
  return failed | (isToolsOnly ? entryFlags.toolsOnly : 0);
}

const STOP_REASON = encoder.encode('"stopReason":"');
const TIMESTAMP = encoder.encode('","timestamp":');
const TEXT_START = encoder.encode('"type":"te');
/** The rest of `"type":"text","text":"`: an x is rare, and the search for it fast. */
const TEXT_REST = Buffer.from('xt","text":"');
const TOOL_CALL = Buffer.from('{"type":"toolCall"');
const IMAGE = Buffer.from('{"type":"image"');
const CLOSE_BRACE = 0x7d;
const LETTER_T = 0x74;
const MAX_REASON_BYTES = 16;

/** Why an answer stopped, when only its time stands behind that; else found by a search. */
function stopReasonOf(line: Buffer): string {
  let at = line.length - 1;
  while (line[at] === CLOSE_BRACE) at--;
  while ((line[at] ?? 0) >= 0x30 && (line[at] ?? 0) <= 0x39) at--;
  const end = at + 1 - TIMESTAMP.length;
  if (standsAt(line, end, TIMESTAMP)) {
    let start = end - 1;
    while (end - start < MAX_REASON_BYTES && line[start] !== QUOTE) start--;
    if (standsAt(line, start + 1 - STOP_REASON.length, STOP_REASON)) {
      // By far the most answers call tools: their reason needs no string of its own.
      return line[start + 1] === LETTER_T ? 'toolUse' : line.toString('latin1', start + 1, end);
    }
  }
  const found = line.lastIndexOf(STOP_REASON) + STOP_REASON.length;
  return found < STOP_REASON.length ? '' : line.toString('latin1', found, line.indexOf(QUOTE, found));
}

function saysText(line: Buffer): boolean {
  for (let at = line.indexOf(TEXT_REST); at >= 0; at = line.indexOf(TEXT_REST, at + 1)) {
    const isText = standsAt(line, at - TEXT_START.length, TEXT_START);
    if (isText && line[at + TEXT_REST.length] !== QUOTE) return true;
  }
  return false;
}

/**
 * The same from the bytes of its line. Within a string its quotes would be escaped, so what is found is a block of the
 * message, or (rarely) of a tool's arguments; and who stopped to use tools has called some. A full reading settles the rest.
 */
function flagsOfBytes(line: Buffer): number {
  const reason = stopReasonOf(line);
  const failed = reason === 'error' || reason === 'aborted' ? entryFlags.failed : 0;
  const callsTools = reason === 'toolUse' || (reason !== 'stop' && line.includes(TOOL_CALL));
  return failed | (callsTools && !saysText(line) && !line.includes(IMAGE) ? entryFlags.toolsOnly : 0);
}

function parseEntry(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Few entries are shorter: room for one in each so many bytes of a file is not outgrown, and memory that stays unused costs nothing. */
const BYTES_PER_ENTRY = 512;
const [LEAST_ROOM, MOST_ROOM] = [1024, 1024 * 1024] as const;

/** The columns that every entry has a number in, growing together. */
class Columns {
  count = 0;
  offsets: Float64Array<ArrayBuffer>;
  lengths: Float64Array<ArrayBuffer>;
  lines: Uint32Array<ArrayBuffer>;
  kinds: Uint16Array<ArrayBuffer>;
  flags: Uint8Array<ArrayBuffer>;
  times: Float64Array<ArrayBuffer>;

  constructor(room: number) {
    this.offsets = new Float64Array(room);
    this.lengths = new Float64Array(room);
    this.lines = new Uint32Array(room);
    this.kinds = new Uint16Array(room);
    this.flags = new Uint8Array(room);
    this.times = new Float64Array(room);
  }

  push(line: number, offset: number, length: number, kind: number, flags: number, timeMs: number): void {
    const at = this.count++;
    if (at === this.offsets.length) this.#grow(at * 2);
    this.offsets[at] = offset;
    this.lengths[at] = length;
    this.lines[at] = line;
    this.kinds[at] = kind;
    this.flags[at] = flags;
    this.times[at] = timeMs;
  }

  #grow(capacity: number): void {
    const { offsets, lengths, lines, kinds, flags, times } = this;
    this.offsets = new Float64Array(capacity);
    this.lengths = new Float64Array(capacity);
    this.lines = new Uint32Array(capacity);
    this.kinds = new Uint16Array(capacity);
    this.flags = new Uint8Array(capacity);
    this.times = new Float64Array(capacity);
    this.offsets.set(offsets);
    this.lengths.set(lengths);
    this.lines.set(lines);
    this.kinds.set(kinds);
    this.flags.set(flags);
    this.times.set(times);
  }
}

/** The kinds met so far, found again by their bytes or by their names. */
class Kinds {
  readonly names: EntryKind[] = [];
  readonly #byName = new Map<string, number>();
  readonly #byBytes: { readonly type: Uint8Array; readonly role: Uint8Array; readonly place: number }[] = [];

  placeOf(type: string, role: string | undefined): number {
    const name = JSON.stringify([type, role]);
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    // Nobody has so many kinds; a file made to have them keeps the last name for the rest.
    const place = Math.min(this.names.length, MAX_KINDS);
    this.names[place] = { type, role };
    this.#byName.set(name, place);
    return place;
  }

  placeOfBytes(chunk: Buffer, typeStart: number, typeEnd: number, roleStart: number, roleEnd: number): number {
    const [typeLength, roleLength] = [typeEnd - typeStart, roleEnd - roleStart];
    for (const { type, role, place } of this.#byBytes) {
      if (type.length !== typeLength || role.length !== roleLength) continue;
      if (standsAt(chunk, roleStart, role) && standsAt(chunk, typeStart, type)) return place;
    }
    const type = chunk.toString('latin1', typeStart, typeEnd);
    const role = roleStart < 0 ? undefined : chunk.toString('latin1', roleStart, roleEnd);
    const place = this.placeOf(type, role);
    if (this.#byBytes.length < 64) {
      this.#byBytes.push({ type: encoder.encode(type), role: encoder.encode(role ?? ''), place });
    }
    return place;
  }
}

interface LabelLine {
  readonly targetId: string;
  readonly label: string | undefined;
  readonly timeMs: number | undefined;
}

/**
 * Makes a skeleton from a session's records in file order. As a sink it takes lines of the family's fixed shape from their
 * heads alone; what it leaves, or everything when it is no sink, comes through `add`. Older versions get migrated ids.
 */
export class SkeletonBuilder implements LineSink {
  #header: SessionHeader | undefined;
  #legacyIds: LegacyIds | undefined;
  #lastLegacyId: string | null = null;
  #leaf = -1;
  #damagedLines = 0;
  #chunk: Buffer | undefined;
  /** Of the chunk. */
  #view: DataView = new DataView(new ArrayBuffer(0));
  /** Where in the chunk two values are next glued together; -1 for nowhere. */
  #glued = -1;
  readonly #head = makeHeadBytes();
  readonly #ids: IdColumn;
  readonly #parentIds: ParentColumn;
  readonly #kindTable = new Kinds();
  readonly #labelLines: LabelLine[] = [];
  readonly #columns: Columns;

  /** Of a file of about this size. */
  constructor(sizeBytes = 0) {
    const room = Math.min(MOST_ROOM, Math.max(LEAST_ROOM, Math.ceil(sizeBytes / BYTES_PER_ENTRY)));
    this.#columns = new Columns(room);
    this.#ids = new IdColumn(room);
    this.#parentIds = new ParentColumn(room);
  }

  take(chunk: Buffer, start: number, end: number, line: number, offset: number): boolean {
    const head = this.#head;
    // Within one value a quote behind `}{` would be escaped, so such a line holds two values.
    if (chunk !== this.#chunk) this.#view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (chunk !== this.#chunk || (this.#glued >= 0 && this.#glued < start)) this.#glued = chunk.indexOf('}{"', start);
    this.#chunk = chunk;
    if (this.#glued >= 0 && this.#glued < end) return false;
    if (this.#legacyIds !== undefined || !findHead(chunk, this.#view, start, end, head)) return false;
    const kind = this.#kindTable.placeOfBytes(chunk, head.typeStart, head.typeEnd, head.roleStart, head.roleEnd);
    const { type, role } = this.#kindTable.names[kind] ?? { type: '', role: undefined };
    if (type === 'label' || role === 'hookMessage') return false;
    this.#leaf = this.#ids.count;
    this.#ids.push(this.#view, head.idStart, head.idEnd);
    if (head.parentStart < 0) this.#parentIds.pushText(null);
    else this.#parentIds.push(this.#view, head.parentStart, head.parentEnd);
    const iso = isoTimeMs(chunk, head.timeStart, head.timeEnd);
    const timeMs = Number.isNaN(iso) ? timeOf(chunk.toString('latin1', head.timeStart, head.timeEnd)) : iso;
    const flags = role === 'assistant' ? flagsOfBytes(chunk.subarray(start, end)) : 0;
    this.#columns.push(line, offset, end - start, kind, flags, timeMs);
    return true;
  }

  add(record: SessionRecord): void {
    switch (record.kind) {
      case 'header':
        this.#header = record.header;
        if (versionOf(record.header) < 2) this.#legacyIds = new LegacyIds(record.header.id);
        return;
      case 'damage': {
        const { span, head } = record;
        this.#damagedLines++;
        this.#place(head?.id ?? `#${span.line}`, head?.parentId ?? null);
        this.#putHead(span, head ?? { type: '', role: undefined }, entryFlags.damaged, head?.timestamp);
        return;
      }
      case 'entry':
        this.#addEntry(record);
        return;
      case 'title':
      case 'extra':
        return;
    }
  }

  #addEntry({ span, head, bytes, entry }: Extract<SessionRecord, { kind: 'entry' }>): void {
    this.#leaf = this.#ids.count;
    if (this.#legacyIds === undefined) this.#place(head.id ?? `#${span.line}`, head.parentId ?? null);
    else {
      const id = this.#legacyIds.next();
      this.#place(id, this.#lastLegacyId);
      this.#lastLegacyId = id;
    }
    const glancedFlags = head.role === 'assistant' && entry === undefined ? flagsOfBytes(bytes) : 0;
    this.#putHead(span, head, entry === undefined ? glancedFlags : flagsOfValue(entry), head.timestamp);
    if (head.type === 'label') this.#addLabel(entry ?? parseEntry(bytes));
  }

  #addLabel(entry: unknown): void {
    if (!isRecord(entry)) return;
    const [targetId, label] = [fieldOf(entry, 'targetId'), fieldOf(entry, 'label')];
    if (typeof targetId !== 'string') return;
    const timeMs = epochMs(fieldOf(entry, 'timestamp'));
    const text = typeof label === 'string' && label !== '' ? label : undefined;
    this.#labelLines.push({ targetId, label: text, timeMs: timeMs === 0 ? undefined : timeMs });
  }

  #place(id: string, parentId: string | null): void {
    this.#ids.pushText(id);
    this.#parentIds.pushText(parentId);
  }

  #putHead(span: Span, { type, role }: EntryKind, flags: number, timestamp: string | undefined): void {
    const isOld = role === 'hookMessage' && this.#header !== undefined && versionOf(this.#header) < 3;
    const kind = this.#kindTable.placeOf(type, isOld ? 'custom' : role);
    this.#columns.push(span.line, span.offset, span.length, kind, flags, timeOf(timestamp));
  }

  finish(): Skeleton {
    const index = new IdIndex(this.#ids);
    const { parents, marks } = this.#parentIds.link(index);
    const { count, offsets, lengths, lines, kinds, flags, times } = this.#columns;
    for (const [at, mark] of marks) flags[at] = (flags[at] ?? 0) | entryFlags[mark];
    const { bytes: idBytes, ends: idEnds } = this.#ids.finish();
    return {
      header: this.#header,
      offsets: offsets.slice(0, count),
      lengths: lengths.slice(0, count),
      lines: lines.slice(0, count),
      parents,
      kinds: kinds.slice(0, count),
      kindNames: this.#kindTable.names,
      flags: flags.slice(0, count),
      times: times.slice(0, count),
      idBytes,
      idEnds,
      labels: this.#placeLabels(index),
      leaf: this.#leaf < 0 ? this.#ids.count - 1 : this.#leaf,
      damagedLines: this.#damagedLines,
    };
  }

  #placeLabels(index: IdIndex): PlacedLabel[] {
    const targets = new IdColumn();
    for (const { targetId } of this.#labelLines) targets.pushText(targetId);
    const labels = new Map<number, PlacedLabel>();
    this.#labelLines.forEach(({ label, timeMs }, place) => {
      const at = index.find(targets, place);
      if (at < 0) return;
      if (label === undefined) labels.delete(at);
      else labels.set(at, { at, label, timeMs });
    });
    return [...labels.values()].sort((a, b) => a.at - b.at);
  }
}

/** Epoch ms; NaN when there is no time to be read. */
function timeOf(timestamp: string | undefined): number {
  const timeMs = epochMs(timestamp);
  return timeMs === 0 ? Number.NaN : timeMs;
}
