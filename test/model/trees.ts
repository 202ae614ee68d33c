import { type EntryKind, entryFlags, type Skeleton } from '../../src/session/skeleton.ts';

/** One entry of a tree in a test. */
export interface TestEntry {
  readonly id: string;
  /** Position of its parent; −1 for a root. */
  readonly parent: number;
  /** `user` by default; of another type: `type`, of another speaker: `:role`. */
  readonly kind?: string;
  readonly flags?: number;
  readonly label?: string;
}

const encoder = new TextEncoder();

/** The skeleton of some entries; the last one is the leaf unless told otherwise. */
export function skeletonOf(entries: readonly TestEntry[], leaf = entries.length - 1): Skeleton {
  const names = [...new Set(entries.map(({ kind }) => kind ?? ':user'))];
  const kindNames = names.map((name): EntryKind => {
    const [type = '', role] = name.split(':');
    return { type: type === '' ? 'message' : type, role };
  });
  const ids = entries.map(({ id }) => encoder.encode(id));
  let end = 0;
  return {
    header: {
      type: 'session',
      version: 3,
      id: 's1',
      timestamp: '2026-01-02T03:04:05.678Z',
      cwd: '/w',
      title: 'A session',
    },
    offsets: Float64Array.from(entries, (_, at) => at * 100),
    lengths: Float64Array.from(entries, () => 100),
    lines: Uint32Array.from(entries, (_, at) => at + 2),
    parents: Int32Array.from(entries, ({ parent }) => parent),
    kinds: Uint16Array.from(entries, ({ kind }) => names.indexOf(kind ?? ':user')),
    kindNames,
    flags: Uint8Array.from(entries, ({ flags }) => flags ?? 0),
    times: Float64Array.from(entries, (_, at) => at * 1_000),
    idBytes: Uint8Array.from(ids.flatMap((bytes) => [...bytes])),
    idEnds: Uint32Array.from(ids, (bytes) => (end += bytes.length)),
    labels: entries.flatMap(({ label }, at) => (label === undefined ? [] : [{ at, label, timeMs: at * 1_000 }])),
    leaf,
    damagedLines: entries.filter(({ flags }) => ((flags ?? 0) & entryFlags.damaged) > 0).length,
  };
}

/** A skeleton from parents alone; all are prompts. */
export function chainOf(parents: ArrayLike<number>): Skeleton {
  const count = parents.length;
  return {
    ...skeletonOf([]),
    offsets: new Float64Array(count),
    lengths: new Float64Array(count),
    lines: new Uint32Array(count),
    parents: Int32Array.from(parents),
    kinds: new Uint16Array(count),
    kindNames: [{ type: 'message', role: 'user' }],
    flags: new Uint8Array(count),
    times: new Float64Array(count),
    idBytes: new Uint8Array(0),
    idEnds: new Uint32Array(count),
    leaf: count - 1,
  };
}
