import { nodeCode, SessionError } from '../errors.ts';
import { isImageDataUrl } from './blob-store.ts';
import { fieldOf } from './entries.ts';
import { isRecord } from './messages.ts';

/** A longer string is cut before it is written. In UTF-16 units. */
export const MAX_PERSIST_CHARS = 500_000;
const NOTICE = '\n\n[Session persistence truncated large content]';
/** Shorter images stay in their line, in characters of base64. */
export const MIN_BLOB_CHARS = 1024;
/** A part of a signature is worth nothing, so a long one is left out whole. */
const SIGNATURES: ReadonlySet<string> = new Set(['thinkingSignature', 'thoughtSignature', 'textSignature']);
/** What exists only while an answer streams in. */
const TRANSIENT: ReadonlySet<string> = new Set(['partialJson', 'jsonlEvents']);

/** Turns images into references to where they are stored; both give text back unchanged that they cannot store. */
export interface ImageStore {
  putImage(base64: string): string;
  putDataUrl(url: string): string;
}

export interface SerializeOptions {
  /** Where images go; they stay inline without one. */
  readonly images?: ImageStore | undefined;
  /** Whether long strings are cut (they are by default). */
  readonly truncates?: boolean;
}

function truncate(text: string): string {
  let end = MAX_PERSIST_CHARS - NOTICE.length;
  const last = text.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end--;
  return text.slice(0, end) + NOTICE;
}

/** An image that cannot be stored stays where it is, so that its entry is not lost with it (rule 7). */
export function storeOrKeep(store: (text: string) => string, text: string): string {
  try {
    return store(text);
  } catch (error) {
    if (nodeCode(error) === undefined && !(error instanceof SessionError)) throw error;
    return text;
  }
}

/** Prepares one entry's values on their way into JSON, as the replacer of `JSON.stringify`. */
class Preparation {
  readonly #root: object;
  readonly #options: SerializeOptions;
  /** Arrays under the key `content`, and arrays in them. */
  readonly #contentArrays = new Set<unknown>();
  readonly #contentBlocks = new Set<unknown>();
  /** Data of extensions and arguments of tools: their keys are theirs, whatever they are called. */
  readonly #foreign = new Set<unknown>();

  constructor(root: object, options: SerializeOptions) {
    this.#root = root;
    this.#options = options;
  }

  prepare(holder: unknown, key: string, value: unknown): unknown {
    if (typeof value === 'string') return this.#prepareText(holder, key, value);
    const isTransient = TRANSIENT.has(key) && !Array.isArray(holder) && !this.#foreign.has(holder);
    if (isTransient && value !== undefined) return undefined;
    if (typeof value !== 'object' || value === null) return value;
    const prepared = this.#withLineCount(value);
    if (this.#foreign.has(holder) || this.#startsForeign(holder, key)) this.#foreign.add(prepared);
    if (Array.isArray(prepared)) {
      const isContent = key === 'content' || this.#contentArrays.has(holder);
      if (isContent) this.#contentArrays.add(prepared);
    } else if (this.#contentArrays.has(holder)) this.#contentBlocks.add(prepared);
    return prepared;
  }

  #prepareText(holder: unknown, key: string, text: string): string | undefined {
    const { images, truncates = true } = this.#options;
    if (TRANSIENT.has(key) && !Array.isArray(holder) && !this.#foreign.has(holder)) return undefined;
    if (key === 'data' && isRecord(holder) && holder['type'] === 'image') {
      // Half an image is none: one that is not stored elsewhere is never cut.
      const isStored = images !== undefined && text.length >= MIN_BLOB_CHARS && this.#contentBlocks.has(holder);
      return isStored ? storeOrKeep((data) => images.putImage(data), text) : text;
    }
    if (key === 'image_url' && isImageDataUrl(text)) {
      return images === undefined ? text : storeOrKeep((url) => images.putDataUrl(url), text);
    }
    if (!truncates || text.length <= MAX_PERSIST_CHARS) return text;
    return SIGNATURES.has(key) ? '' : truncate(text);
  }

  #startsForeign(holder: unknown, key: string): boolean {
    if (!isRecord(holder)) return false;
    switch (key) {
      case 'arguments':
        return holder['type'] === 'toolCall';
      case 'data':
      case 'preserveData':
      case 'outputSchema':
        return holder === this.#root;
      case 'details':
        return holder === this.#root || holder['role'] === 'custom' || holder['role'] === 'hookMessage';
    }
    return false;
  }

  /** The count of lines that goes with a text has to be that of what is kept of it. */
  #withLineCount(value: object): object {
    if (Array.isArray(value) || this.#options.truncates === false) return value;
    const { content, lineCount } = value as { content?: unknown; lineCount?: unknown };
    if (typeof content !== 'string' || typeof lineCount !== 'number' || content.length <= MAX_PERSIST_CHARS)
      return value;
    const kept = truncate(content);
    return { ...value, content: kept, lineCount: kept.split('\n').length };
  }
}

/** Larger entries are rare, and a value that contains itself is endless: both take the slow way. */
const MAX_GLANCED_VALUES = 20_000;

/** Whether an entry can be written as it is, which nearly all can: told by a look at its keys and the lengths of its texts. */
function isPlain(entry: object): boolean {
  const pending: object[] = [entry];
  let seen = 0;
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (seen++ > MAX_GLANCED_VALUES || typeof fieldOf(value, 'toJSON') === 'function') return false;
    const isArray = Array.isArray(value);
    if (!isArray && fieldOf(value, 'type') === 'image') return false;
    for (const [key, field] of Object.entries(value)) {
      if (!isArray && (key === 'image_url' || TRANSIENT.has(key))) return false;
      if (typeof field === 'string' && field.length > MAX_PERSIST_CHARS) return false;
      if (typeof field === 'object' && field !== null) pending.push(field);
    }
  }
  return true;
}

/**
 * An entry (or header) as its line in a session file, without the newline (specification 8, contract 1.9). The entry
 * itself is left as it is. Throws what `JSON.stringify` throws for a value that JSON cannot hold.
 */
export function serializeEntry(entry: object, options: SerializeOptions = {}): string {
  // `JSON.stringify` alone is four times as fast as with a function that looks at every value.
  if (isPlain(entry)) return JSON.stringify(entry);
  const preparation = new Preparation(entry, options);
  return JSON.stringify(entry, function prepare(this: unknown, key, value) {
    return preparation.prepare(this, key, value);
  });
}
