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

const TEXT_BLOCK = '"type":"text","text":"';
const STOP_REASON = '"stopReason":"';

/**
 * The same from the bytes of its line. Within a string its quotes would be escaped, so what is found is a block of the
 * message, or (rarely) of a tool's arguments; a full reading settles that.
 */
function flagsOfBytes(bytes: Buffer): number {
  // It stands behind the content: near the end, unless a provider's payload follows.
  const near = bytes.indexOf(STOP_REASON, Math.max(0, bytes.length - 400));
  const stop = (near < 0 ? bytes.lastIndexOf(STOP_REASON) : near) + STOP_REASON.length;
  const reason = stop < STOP_REASON.length ? '' : bytes.toString('latin1', stop, stop + 8);
  const failed = reason.startsWith('error"') || reason.startsWith('aborted"') ? entryFlags.failed : 0;
  for (let at = bytes.indexOf(TEXT_BLOCK); at >= 0; at = bytes.indexOf(TEXT_BLOCK, at + 1)) {
    if (bytes[at + TEXT_BLOCK.length] !== QUOTE) return failed;
  }
  const isToolsOnly = bytes.includes('{"type":"toolCall"') && !bytes.includes('{"type":"image"');
  return failed | (isToolsOnly ? entryFlags.toolsOnly : 0);
}

function parseEntry(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A growing column of numbers. */
class Column<
  T extends Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint8Array<ArrayBuffer>,
> {
  #values: T;
  #count = 0;
  readonly #make: new (
    length: number,
  ) => T;

  constructor(make: new (length: number) => T) {
    this.#make = make;
    this.#values = new make(1024);
  }

  push(value: number): void {
    if (this.#count === this.#values.length) {
      const grown = new this.#make(this.#count * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#count++] = value;
  }

  finish(): T {
    return this.#values.slice(0, this.#count) as T;
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
  /** Where in the chunk two values are next glued together; -1 for nowhere. */
  #glued = -1;
  readonly #head = makeHeadBytes();
  readonly #ids = new IdColumn();
  readonly #parentIds = new ParentColumn();
  readonly #kindTable = new Kinds();
  readonly #labelLines: LabelLine[] = [];
  readonly #offsets = new Column(Float64Array);
  readonly #lengths = new Column(Float64Array);
  readonly #lines = new Column(Uint32Array);
  readonly #kinds = new Column(Uint16Array);
  readonly #flags = new Column(Uint8Array);
  readonly #times = new Column(Float64Array);

  take(chunk: Buffer, start: number, end: number, line: number, offset: number): boolean {
    const head = this.#head;
    // Within one value a quote behind `}{` would be escaped, so such a line holds two values.
    if (chunk !== this.#chunk || (this.#glued >= 0 && this.#glued < start)) this.#glued = chunk.indexOf('}{"', start);
    this.#chunk = chunk;
    if (this.#glued >= 0 && this.#glued < end) return false;
    if (this.#legacyIds !== undefined || !findHead(chunk, start, end, head)) return false;
    const kind = this.#kindTable.placeOfBytes(chunk, head.typeStart, head.typeEnd, head.roleStart, head.roleEnd);
    const { type, role } = this.#kindTable.names[kind] ?? { type: '', role: undefined };
    if (type === 'label' || role === 'hookMessage') return false;
    this.#leaf = this.#ids.count;
    this.#ids.push(chunk, head.idStart, head.idEnd);
    if (head.parentStart < 0) this.#parentIds.pushText(null);
    else this.#parentIds.push(chunk, head.parentStart, head.parentEnd);
    const timeMs =
      isoTimeMs(chunk, head.timeStart, head.timeEnd) ?? timeOf(chunk.toString('latin1', head.timeStart, head.timeEnd));
    const flags = role === 'assistant' ? flagsOfBytes(chunk.subarray(start, end)) : 0;
    this.#put(line, offset, end - start, kind, flags, timeMs);
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
    this.#put(span.line, span.offset, span.length, kind, flags, timeOf(timestamp));
  }

  #put(line: number, offset: number, length: number, kind: number, flags: number, timeMs: number): void {
    this.#offsets.push(offset);
    this.#lengths.push(length);
    this.#lines.push(line);
    this.#kinds.push(kind);
    this.#flags.push(flags);
    this.#times.push(timeMs);
  }

  finish(): Skeleton {
    const index = new IdIndex(this.#ids);
    const { parents, marks } = this.#parentIds.link(index);
    const flags = this.#flags.finish();
    for (const [at, mark] of marks) flags[at] = (flags[at] ?? 0) | entryFlags[mark];
    const { bytes: idBytes, ends: idEnds } = this.#ids.finish();
    return {
      header: this.#header,
      offsets: this.#offsets.finish(),
      lengths: this.#lengths.finish(),
      lines: this.#lines.finish(),
      parents,
      kinds: this.#kinds.finish(),
      kindNames: this.#kindTable.names,
      flags,
      times: this.#times.finish(),
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
