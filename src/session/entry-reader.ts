import { fieldOf, type SessionEntry, type SessionHeader } from './entries.ts';
import { contentWithImages, entryText, type ToolCalls, toolCallsOf } from './entry-text.ts';
import { contentBlocks, isRecord } from './messages.ts';
import { versionOf } from './migrations.ts';
import type { SessionFile } from './scan.ts';
import { entryFlags, idAt, kindAt, type Skeleton } from './skeleton.ts';

const NO_CALLS: ToolCalls = new Map();
/** Results stand right below the answer that called for them; a call further up is not looked for. */
const MAX_STEPS_TO_CALL = 256;
const MAX_REMEMBERED = 512;

/** Reads single entries of a session whose skeleton is known: one read and one `JSON.parse` each. */
export class EntryReader {
  readonly #file: SessionFile;
  readonly #skeleton: Skeleton;
  readonly #version: number;
  /** The calls of assistant messages that were read for their results, by position. */
  readonly #calls = new Map<number, ToolCalls>();

  constructor(file: SessionFile, skeleton: Skeleton, version = currentVersion(skeleton.header)) {
    this.#file = file;
    this.#skeleton = skeleton;
    this.#version = version;
  }

  /** The entry at a position, migrated; undefined when it is damaged. */
  entryAt(at: number): SessionEntry | undefined {
    const { offsets, lengths } = this.#skeleton;
    const length = lengths[at] ?? 0;
    if (((this.#skeleton.flags[at] ?? 0) & entryFlags.damaged) > 0 || length === 0) return undefined;
    return this.entryOf(this.#file.read(offsets[at] ?? 0, length), at);
  }

  /** The same from its bytes, when they are at hand. */
  entryOf(bytes: Buffer, at: number): SessionEntry | undefined {
    const entry = parse(bytes);
    if (!isRecord(entry)) return undefined;
    if (this.#version < 3) this.#migrate(entry, at);
    return entry as unknown as SessionEntry;
  }

  /** As `migrateSessionEntries` does to a whole file. */
  #migrate(entry: Record<string, unknown>, at: number): void {
    const { message } = entry;
    if (isRecord(message) && message['role'] === 'hookMessage') message['role'] = 'custom';
    if (this.#version >= 2) return;
    const parent = this.#skeleton.parents[at] ?? -1;
    entry['id'] = idAt(this.#skeleton, at);
    entry['parentId'] = parent < 0 ? null : idAt(this.#skeleton, parent);
    const kept = entry['firstKeptEntryIndex'];
    // The header is the first of the entries that are counted.
    if (entry['type'] === 'compaction' && typeof kept === 'number' && kept > 0) {
      const keptAt = this.#readablePosition(kept - 1);
      if (keptAt >= 0) entry['firstKeptEntryId'] = idAt(this.#skeleton, keptAt);
    }
  }

  #readablePosition(ordinal: number): number {
    let left = ordinal;
    return this.#skeleton.flags.findIndex((flags) => (flags & entryFlags.damaged) === 0 && left-- === 0);
  }

  /** The calls that an entry's text needs: for a tool's result the one that it answers. */
  callsFor(entry: SessionEntry, at: number): ToolCalls {
    const message = fieldOf(entry, 'message');
    if (!isRecord(message) || message['role'] !== 'toolResult') return NO_CALLS;
    const id = message['toolCallId'];
    let step = this.#skeleton.parents[at] ?? -1;
    for (let steps = 0; step >= 0 && steps < MAX_STEPS_TO_CALL; steps++) {
      if (kindAt(this.#skeleton, step).role === 'assistant') {
        const calls = this.#callsAt(step);
        if (typeof id === 'string' && calls.has(id)) return calls;
      }
      step = this.#skeleton.parents[step] ?? -1;
    }
    return NO_CALLS;
  }

  #callsAt(at: number): ToolCalls {
    const known = this.#calls.get(at);
    if (known !== undefined) return known;
    const entry = this.entryAt(at);
    const calls = entry === undefined ? NO_CALLS : toolCallsOf([entry]);
    if (this.#calls.size >= MAX_REMEMBERED) this.#calls.clear();
    this.#calls.set(at, calls);
    return calls;
  }

  /** The whole text of an entry as a person reads it: what a tool gave back is part of it. '' when damaged. */
  textAt(at: number): string {
    const entry = this.entryAt(at);
    if (entry === undefined) return '';
    const text = entryText(entry, this.callsFor(entry, at));
    const result = resultText(entry);
    return result === '' ? text : `${text}\n${result}`;
  }
}

function currentVersion(header: SessionHeader | undefined): number {
  return header === undefined ? 3 : versionOf(header);
}

/** What a tool or a command gave back. */
function resultText(entry: SessionEntry): string {
  const message = fieldOf(entry, 'message');
  if (!isRecord(message)) return '';
  if (message['role'] === 'toolResult') return contentWithImages(message['content']);
  return typeof message['output'] === 'string' ? message['output'] : '';
}

/**
 * All that an entry says, for searching: what is read of it, what an answer thought and called, what a tool gave back.
 * Pictures and signatures are no text.
 */
export function searchableText(entry: SessionEntry, calls: ToolCalls): string {
  const parts = [entryText(entry, calls), resultText(entry)];
  const message = fieldOf(entry, 'message');
  if (isRecord(message)) {
    for (const block of contentBlocks(message['content'])) {
      if (block['type'] === 'thinking') parts.push(String(block['thinking']));
      if (block['type'] === 'toolCall') parts.push(String(block['name']), stringsIn(block['arguments']));
    }
  }
  return parts.join('\n');
}

/** The strings within a value, at any depth. */
function stringsIn(value: unknown): string {
  const found: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') found.push(next);
    else if (typeof next === 'object' && next !== null) open.push(...Object.values(next).slice(0, 10_000).reverse());
  }
  return found.join('\n');
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
