import { BranchFiguresBuilder, type Comparison } from '../session/branch-figures.ts';
import { contextOfPath } from '../session/context.ts';
import { contextItem } from '../session/context-items.ts';
import type { SessionEntry } from '../session/entries.ts';
import { type EntryLine, entryLine } from '../session/entry-line.ts';
import { EntryReader, searchableText } from '../session/entry-reader.ts';
import { searchEntries } from '../session/entry-search.ts';
import { type FileStamp, SessionFile } from '../session/scan.ts';
import { idAt, isSameSkeleton, pathLengths, type Skeleton, skeletonPath } from '../session/skeleton.ts';
import { SkeletonBuilder } from '../session/skeleton-builder.ts';
import { buildTranscript, type Transcript } from '../session/transcript.ts';

/** What a model would be given at an entry, as it is shown: texts are cut, tokens are of the whole. */
export interface ContextView {
  readonly items: readonly { readonly role: string; readonly text: string; readonly tokens: number }[];
  /** How many messages behind the first one are left out, as nobody reads so many. */
  readonly omitted: number;
  /** Of all messages. */
  readonly tokens: number;
  readonly thinkingLevel: string;
  readonly models: Readonly<Record<string, string>>;
  readonly mode: string;
}

const MAX_CONTEXT_UNITS = 2_000;
const MAX_CONTEXT_ITEMS = 2_000;
/** Records that are verified before a pause is offered. */
const RECORDS_PER_STEP = 32;
const ENTRIES_PER_STEP = 32;

/**
 * One session whose tree is looked at: its skeleton is kept, everything else is read when it is asked for. The file is open
 * only meanwhile, so that nobody takes Bough for its writer. Every reading first looks whether the file is still the one
 * that the skeleton was made from.
 */
export class TreeSession {
  readonly path: string;
  #stamp: FileStamp | undefined;
  #skeleton: Skeleton | undefined;
  /** Counted once: who moves through a session of very long paths asks for it at every step. */
  #pathLengths: Int32Array | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** The skeleton at a glance: unverified. Throws `not_found`, `no_permission`, `not_a_session`. */
  glance(): Skeleton {
    using file = new SessionFile(this.path);
    const builder = new SkeletonBuilder(file.stamp.sizeBytes);
    for (const record of file.records('skeleton', undefined, builder)) builder.add(record);
    return this.#keep(file, builder.finish());
  }

  /**
   * Reads everything and finds the damage that a glance cannot see. Yields to offer pauses; gives the better skeleton, or
   * undefined when the glance was right.
   */
  *verify(): Generator<void, Skeleton | undefined> {
    using file = new SessionFile(this.path);
    const builder = new SkeletonBuilder(file.stamp.sizeBytes);
    let count = 0;
    for (const record of file.records('full')) {
      builder.add(record);
      if (++count % RECORDS_PER_STEP === 0) yield;
    }
    const verified = builder.finish();
    if (this.#skeleton !== undefined && isSameSkeleton(this.#skeleton, verified)) return undefined;
    return this.#keep(file, verified);
  }

  /** The file from which the skeleton was made; undefined before it was. */
  get stamp(): FileStamp | undefined {
    return this.#stamp;
  }

  #keep({ stamp }: SessionFile, skeleton: Skeleton): Skeleton {
    this.#stamp = stamp;
    this.#skeleton = skeleton;
    this.#pathLengths = undefined;
    return skeleton;
  }

  /** Is the file another one than the skeleton was made from? A file that is gone has not changed. */
  hasChanged(): boolean {
    using file = new SessionFile(this.path);
    return !this.#isCurrent(file);
  }

  #isCurrent({ stamp }: SessionFile): boolean {
    const known = this.#stamp;
    return (
      known !== undefined &&
      stamp.inode === known.inode &&
      stamp.sizeBytes === known.sizeBytes &&
      stamp.mtimeMs === known.mtimeMs
    );
  }

  #read<T>(use: (reader: EntryReader, skeleton: Skeleton, file: SessionFile) => T): T | undefined {
    using file = new SessionFile(this.path);
    const skeleton = this.#skeleton;
    if (skeleton === undefined || !this.#isCurrent(file)) return undefined;
    return use(new EntryReader(file, skeleton), skeleton, file);
  }

  /** The lines of some entries; undefined when the file has changed, as for every reading below. */
  lines(ats: readonly number[], words: readonly string[]): EntryLine[] | undefined {
    return this.#read((reader) =>
      ats.map((at) => {
        const entry = reader.entryAt(at);
        if (entry === undefined) return { at, speaker: '', text: '', isError: false };
        const calls = reader.callsFor(entry, at);
        return entryLine(entry, at, calls, words, () => searchableText(entry, calls));
      }),
    );
  }

  /** The conversation on the path to an entry: that of its last `limit` entries. `omitted` counts the entries before. */
  transcript(at: number, limit: number): Transcript | undefined {
    return this.#read((reader, skeleton) => {
      const shown = skeletonPath(skeleton, at, limit);
      const sources = shown.map((step) => {
        const timeMs = skeleton.times[step] ?? Number.NaN;
        return {
          id: idAt(skeleton, step),
          timeMs: Number.isNaN(timeMs) ? undefined : timeMs,
          entry: reader.entryAt(step),
        };
      });
      const onPath = new Set(shown);
      const labelled = skeleton.labels.filter((placed) => onPath.has(placed.at));
      const labels = new Map(labelled.map((placed) => [idAt(skeleton, placed.at), placed.label]));
      const transcript = buildTranscript(sources, labels, 0, Number.POSITIVE_INFINITY);
      this.#pathLengths ??= pathLengths(skeleton);
      return { ...transcript, omitted: (this.#pathLengths[at] ?? 0) - shown.length };
    });
  }

  /** The whole text of an entry. */
  text(at: number): string | undefined {
    return this.#read((reader) => reader.textAt(at));
  }

  /** The entries whose whole text holds all words, a few at a time; undefined at once when the file has changed. */
  *search(words: readonly string[], within: Int32Array | undefined): Generator<number[], boolean> {
    using file = new SessionFile(this.path);
    const skeleton = this.#skeleton;
    if (skeleton === undefined || !this.#isCurrent(file)) return false;
    yield* searchEntries(file, words, { skeleton, reader: new EntryReader(file, skeleton), within });
    return true;
  }

  /** What happened on the ways to two entries since they parted. Yields to offer pauses. */
  *compare(a: number, b: number): Generator<void, Comparison | undefined> {
    using file = new SessionFile(this.path);
    const skeleton = this.#skeleton;
    if (skeleton === undefined || !this.#isCurrent(file)) return undefined;
    const reader = new EntryReader(file, skeleton);
    const [left, right] = [skeletonPath(skeleton, a), skeletonPath(skeleton, b)];
    let shared = 0;
    while (shared < Math.min(left.length, right.length) && left[shared] === right[shared]) shared++;
    const builders = [new BranchFiguresBuilder(), new BranchFiguresBuilder()] as const;
    for (const [side, path] of [left, right].entries()) {
      for (const [index, at] of path.slice(shared).entries()) {
        const entry = reader.entryAt(at);
        if (entry !== undefined) builders[side === 0 ? 0 : 1].add(entry);
        if (index % ENTRIES_PER_STEP === 0) yield;
      }
    }
    return { ancestor: left[shared - 1] ?? -1, sides: [builders[0].finish(), builders[1].finish()] };
  }

  /** What a model would see at an entry: its first message, and the last ones. Yields to offer pauses. */
  *context(at: number): Generator<void, ContextView | undefined> {
    using file = new SessionFile(this.path);
    const skeleton = this.#skeleton;
    if (skeleton === undefined || !this.#isCurrent(file)) return undefined;
    const reader = new EntryReader(file, skeleton);
    const entries: SessionEntry[] = [];
    for (const [index, step] of skeletonPath(skeleton, at).entries()) {
      const entry = reader.entryAt(step);
      if (entry !== undefined) entries.push(entry);
      if (index % ENTRIES_PER_STEP === 0) yield;
    }
    const { messages, thinkingLevel, models, mode } = contextOfPath(entries);
    yield;
    const omitted = Math.max(0, messages.length - MAX_CONTEXT_ITEMS);
    const items: ContextView['items'][number][] = [];
    let tokens = 0;
    for (const [index, message] of messages.entries()) {
      const { text, tokens: own } = contextItem(message);
      tokens += own;
      const isShown = index === 0 || index > omitted;
      if (isShown) items.push({ role: message.role, text: text.slice(0, MAX_CONTEXT_UNITS), tokens: own });
      if (index % ENTRIES_PER_STEP === 0) yield;
    }
    return { items, omitted, tokens, thinkingLevel, models, mode };
  }
}
