import type { SessionHeader } from './entries.ts';
import type { Span } from './jsonl.ts';

/** What a bit of `Skeleton.flags` says about an entry. */
export const entryFlags = {
  /** An assistant message that calls tools and says nothing. */
  toolsOnly: 1,
  /** An assistant message that ended in an error, or was aborted. */
  failed: 2,
  damaged: 4,
  orphan: 8,
  cycle: 16,
  duplicate: 32,
} as const;

/** A kind of entry: its type, and of a message who speaks. */
export interface EntryKind {
  readonly type: string;
  readonly role: string | undefined;
}

/** The label that stands on an entry after all changes. */
export interface PlacedLabel {
  readonly at: number;
  readonly label: string;
  /** When it was set, epoch ms; undefined when the entry does not tell. */
  readonly timeMs: number | undefined;
}

/**
 * What a session's tree is made of, without its texts: columns over the entries in file order, which other threads can be
 * given for nothing. A piece of the file that is damaged and has lost its place is an entry without parent, too.
 */
export interface Skeleton {
  readonly header: SessionHeader | undefined;
  /** Bytes. */
  readonly offsets: Float64Array;
  /** Bytes. */
  readonly lengths: Float64Array;
  readonly lines: Uint32Array;
  /** Of each entry its parent's position; -1 for a root. */
  readonly parents: Int32Array;
  /** Of each entry its place in `kindNames`. */
  readonly kinds: Uint16Array;
  readonly kindNames: readonly EntryKind[];
  readonly flags: Uint8Array;
  /** Epoch ms; NaN when the entry does not tell. */
  readonly times: Float64Array;
  /** UTF-8 of all ids, one behind the other; the one at a position ends at `idEnds[position]`. */
  readonly idBytes: Uint8Array;
  readonly idEnds: Uint32Array;
  readonly labels: readonly PlacedLabel[];
  /** The position of the last entry in the file; -1 without entries. */
  readonly leaf: number;
  readonly damagedLines: number;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** An entry's id; one that has none of its own is known by its line, `#12`. */
export function idAt({ idBytes, idEnds }: Skeleton, at: number): string {
  return decoder.decode(idBytes.subarray(at === 0 ? 0 : idEnds[at - 1], idEnds[at]));
}

/** The position of an id: of equal ids that of the last, as every index of the family has it; -1 when there is none. */
export function positionOfId({ idBytes, idEnds }: Skeleton, id: string): number {
  const wanted = encoder.encode(id);
  for (let at = idEnds.length - 1; at >= 0; at--) {
    const start = at === 0 ? 0 : (idEnds[at - 1] ?? 0);
    if ((idEnds[at] ?? 0) - start !== wanted.length) continue;
    if (wanted.every((byte, index) => byte === idBytes[start + index])) return at;
  }
  return -1;
}

/** The type of an entry, and who speaks in it. */
export function kindAt({ kinds, kindNames }: Skeleton, at: number): EntryKind {
  return kindNames[kinds[at] ?? 0] ?? { type: '', role: undefined };
}

/** Where an entry stands in the file. */
export function spanAt({ lines, offsets, lengths }: Skeleton, at: number): Span {
  return { line: lines[at] ?? 0, offset: offsets[at] ?? 0, length: lengths[at] ?? 0 };
}

/** The positions from root to `at`, both included; with `limit` the last so many of them. */
export function skeletonPath({ parents }: Skeleton, at: number, limit = Number.POSITIVE_INFINITY): number[] {
  const path: number[] = [];
  for (let step = at; step >= 0 && path.length < limit; step = parents[step] ?? -1) path.push(step);
  return path.reverse();
}

/** Of each position how many entries its path has, itself included. Linear: no path is walked twice. */
export function pathLengths({ parents }: Skeleton): Int32Array {
  const lengths = new Int32Array(parents.length);
  for (let at = 0; at < parents.length; at++) {
    let missing = 0;
    let step = at;
    for (; step >= 0 && lengths[step] === 0; step = parents[step] ?? -1) missing++;
    let length = (lengths[step] ?? 0) + missing;
    for (step = at; step >= 0 && lengths[step] === 0; step = parents[step] ?? -1) lengths[step] = length--;
  }
  return lengths;
}

/** The buffers that a skeleton's columns live in, to hand them to another thread. */
export function buffersOf(skeleton: Skeleton): ArrayBuffer[] {
  const { offsets, lengths, lines, parents, kinds, flags, times, idBytes, idEnds } = skeleton;
  const columns = [offsets, lengths, lines, parents, kinds, flags, times, idBytes, idEnds];
  return columns.map(({ buffer }) => buffer as ArrayBuffer);
}

/** Do two skeletons of one file say the same? */
export function isSameSkeleton(a: Skeleton, b: Skeleton): boolean {
  const columns = (skeleton: Skeleton) =>
    [skeleton.offsets, skeleton.lengths, skeleton.parents, skeleton.kinds, skeleton.flags, skeleton.times] as const;
  const others = columns(b);
  return (
    a.leaf === b.leaf &&
    a.damagedLines === b.damagedLines &&
    Buffer.compare(a.idBytes, b.idBytes) === 0 &&
    columns(a).every((column, index) => isSameColumn(column, others[index]))
  );
}

function isSameColumn(a: ArrayBufferView, b: ArrayBufferView | undefined): boolean {
  if (b === undefined || a.byteLength !== b.byteLength) return false;
  const bytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => new Uint8Array(buffer, byteOffset, byteLength);
  return Buffer.compare(bytes(a), bytes(b)) === 0;
}
