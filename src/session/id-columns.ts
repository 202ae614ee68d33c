import { cutCycles, type TreeMark } from './tree.ts';

const USUAL_ID_BYTES = 16;
const NO_ID = 0xffff_ffff;
const encoder = new TextEncoder();

/** Ids as bytes, one behind the other: a million of them without a million strings. */
export class IdColumn {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #ends: Uint32Array<ArrayBuffer>;
  count = 0;

  /** With room for so many ids at first. */
  constructor(room = 1024) {
    this.#bytes = new Uint8Array(room * USUAL_ID_BYTES);
    this.#view = new DataView(this.#bytes.buffer);
    this.#ends = new Uint32Array(room);
  }

  /** Takes the id that stands in some bytes. */
  push(chunk: DataView, start: number, end: number): void {
    const from = this.#room(end - start);
    const view = this.#view;
    let at = start;
    // Word by word: nearly all ids are two of them.
    for (; at + 4 <= end; at += 4) view.setUint32(from + at - start, chunk.getUint32(at));
    for (; at < end; at++) view.setUint8(from + at - start, chunk.getUint8(at));
    this.#ends[this.count++] = from + end - start;
  }

  pushText(id: string): void {
    const bytes = encoder.encode(id);
    this.push(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length);
  }

  /** Makes room for an id of `length` bytes and gives the place where it goes. */
  #room(length: number): number {
    const from = this.startAt(this.count);
    if (from + length > this.#bytes.length) {
      this.#bytes = grown(this.#bytes, Math.max(from + length, this.#bytes.length * 2));
      this.#view = new DataView(this.#bytes.buffer);
    }
    if (this.count === this.#ends.length) this.#ends = grown(this.#ends, this.count * 2);
    return from;
  }

  startAt(at: number): number {
    return at === 0 ? 0 : (this.#ends[at - 1] ?? 0);
  }

  /** FNV-1a over the words of an id, mixed so that its low bits can be used alone. */
  hashAt(at: number): number {
    let hash = 0x811c9dc5;
    const end = this.#ends[at] ?? 0;
    let index = this.startAt(at);
    for (; index + 4 <= end; index += 4) hash = Math.imul(hash ^ this.#view.getUint32(index), 0x01000193);
    for (; index < end; index++) hash = Math.imul(hash ^ (this.#bytes[index] ?? 0), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return (hash ^ (hash >>> 13)) >>> 0;
  }

  isEqualAt(at: number, other: IdColumn, otherAt: number): boolean {
    const [start, otherStart] = [this.startAt(at), other.startAt(otherAt)];
    const length = (this.#ends[at] ?? 0) - start;
    if ((other.#ends[otherAt] ?? 0) - otherStart !== length) return false;
    for (let index = 0; index < length; index++) {
      if (this.#bytes[start + index] !== other.#bytes[otherStart + index]) return false;
    }
    return true;
  }

  finish(): { readonly bytes: Uint8Array<ArrayBuffer>; readonly ends: Uint32Array<ArrayBuffer> } {
    return { bytes: this.#bytes.slice(0, this.startAt(this.count)), ends: this.#ends.slice(0, this.count) };
  }
}

function grown<T extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(values: T, length: number): T {
  const copy = (values instanceof Uint8Array ? new Uint8Array(length) : new Uint32Array(length)) as T;
  copy.set(values);
  return copy;
}

/** Finds positions by id; of equal ids the last one, as the family's own index does. */
export class IdIndex {
  readonly #ids: IdColumn;
  readonly #slots: Int32Array;
  readonly #mask: number;
  /** Positions whose id already stood before them. */
  readonly duplicates: number[] = [];

  constructor(ids: IdColumn) {
    this.#ids = ids;
    let size = 16;
    while (size < ids.count * 2) size *= 2;
    this.#mask = size - 1;
    this.#slots = new Int32Array(size).fill(-1);
    for (let at = 0; at < ids.count; at++) {
      const slot = this.#slotOf(ids, at);
      if (this.#slots[slot] !== -1) this.duplicates.push(at);
      this.#slots[slot] = at;
    }
  }

  /** As `find`, with a guess that is nearly always right: an entry hangs from the one before it. */
  findNear(ids: IdColumn, at: number, guess: number): number {
    if (this.duplicates.length === 0 && guess >= 0 && this.#ids.isEqualAt(guess, ids, at)) return guess;
    return this.find(ids, at);
  }

  /** The position of the entry whose id stands in another column; -1 when there is none. */
  find(ids: IdColumn, at: number): number {
    return this.#slots[this.#slotOf(ids, at)] ?? -1;
  }

  #slotOf(ids: IdColumn, at: number): number {
    for (let slot = ids.hashAt(at) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const known = this.#slots[slot] ?? -1;
      if (known === -1 || this.#ids.isEqualAt(known, ids, at)) return slot;
    }
  }
}

/** Parents by id: one for each entry that names one. */
export class ParentColumn {
  readonly #ids: IdColumn;
  /** Of each entry its place in `#ids`, or `NO_ID`. */
  #places: Uint32Array<ArrayBuffer>;
  #count = 0;

  constructor(room: number) {
    this.#ids = new IdColumn(room);
    this.#places = new Uint32Array(room);
  }

  push(chunk: DataView, start: number, end: number): void {
    this.#place(this.#ids.count);
    this.#ids.push(chunk, start, end);
  }

  pushText(id: string | null): void {
    this.#place(id === null ? NO_ID : this.#ids.count);
    if (id !== null) this.#ids.pushText(id);
  }

  #place(place: number): void {
    if (this.#count === this.#places.length) this.#places = grown(this.#places, this.#count * 2);
    this.#places[this.#count++] = place;
  }

  /** Links entries as `buildTree` does. */
  link(index: IdIndex): { readonly parents: Int32Array<ArrayBuffer>; readonly marks: ReadonlyMap<number, TreeMark> } {
    const marks = new Map<number, TreeMark>(index.duplicates.map((at) => [at, 'duplicate']));
    const parents = new Int32Array(this.#count);
    for (let at = 0; at < this.#count; at++) {
      const place = this.#places[at] ?? NO_ID;
      const parent = place === NO_ID ? -1 : index.findNear(this.#ids, place, at - 1);
      parents[at] = parent;
      if (place !== NO_ID && parent === -1) marks.set(at, 'orphan');
    }
    cutCycles(parents, marks);
    return { parents, marks };
  }
}
