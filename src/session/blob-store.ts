import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { nodeCode, SessionError } from '../errors.ts';
import { replaceFile, replaceFileSync } from './atomic-write.ts';

const REF_PREFIX = 'blob:sha256:';
const HASH = /^[0-9a-f]{64}$/;

export interface BlobPutResult {
  /** SHA-256 of the raw bytes, 64 lower-case hex digits. */
  readonly hash: string;
  readonly path: string;
  /** `blob:sha256:<hash>`, as it stands in session files. */
  readonly ref: string;
}

/** Content-addressed files `<dir>/<hash>`; the folder is created with the first blob. */
export class BlobStore {
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
  }

  /** Stores `data` atomically; nothing is written when it is there, and a damaged copy of it is replaced. */
  async put(data: Uint8Array): Promise<BlobPutResult> {
    const blob = this.#blobOf(data);
    if (!this.#holds(blob.path, data)) await replaceFile(blob.path, [data]);
    return blob;
  }

  /** `put` for appends, which must not wait. */
  putSync(data: Uint8Array): BlobPutResult {
    const blob = this.#blobOf(data);
    if (!this.#holds(blob.path, data)) replaceFileSync(blob.path, [data]);
    return blob;
  }

  /**
   * The bytes of a blob, or null when there is none, or `hash` is not 64 hex digits. Node's errors are thrown on.
   * @throws SessionError `blob_missing` when the bytes on disk are not those that the hash names
   */
  async get(hash: string): Promise<Buffer | null> {
    if (!HASH.test(hash)) return null;
    const path = join(this.dir, hash);
    try {
      const data = await fs.promises.readFile(path);
      if (hashOf(data) === hash) return data;
    } catch (error) {
      if (nodeCode(error) === 'ENOENT') return null;
      throw error;
    }
    throw new SessionError('blob_missing', `the stored image ${hash.slice(0, 12)} is damaged`, { path });
  }

  /** Whether there is a file for `hash`; its bytes are not looked at. */
  async has(hash: string): Promise<boolean> {
    return HASH.test(hash) && fs.existsSync(join(this.dir, hash));
  }

  #blobOf(data: Uint8Array): BlobPutResult {
    const hash = hashOf(data);
    return { hash, path: join(this.dir, hash), ref: `${REF_PREFIX}${hash}` };
  }

  #holds(path: string, data: Uint8Array): boolean {
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    return stat?.size === data.length && fs.readFileSync(path).equals(data);
  }
}

/** Whether `text` is a well-formed blob reference. */
export function isBlobRef(text: string): boolean {
  return parseBlobRef(text) !== null;
}

/** The hash in a blob reference; null for anything else, a hash that is not 64 lower-case hex digits included. */
export function parseBlobRef(text: string): string | null {
  if (!text.startsWith(REF_PREFIX)) return null;
  const hash = text.slice(REF_PREFIX.length);
  return HASH.test(hash) ? hash : null;
}

export function isImageDataUrl(text: string): boolean {
  return text.startsWith('data:image/') && text.includes(';base64,');
}

/**
 * Stores an image and gives its reference. Text that would not come back unchanged (references, base64url, a `data:`
 * prefix) is given back as it is. Throws what the store throws; the image then stays where it was.
 */
export async function externalizeImageData(store: BlobStore, base64: string): Promise<string> {
  const data = imageBytes(base64);
  return data === undefined ? base64 : (await store.put(data)).ref;
}

/** `externalizeImageData` for appends, which must not wait. */
export function externalizeImageDataSync(store: BlobStore, base64: string): string {
  const data = imageBytes(base64);
  return data === undefined ? base64 : store.putSync(data).ref;
}

/** Stores the whole text of an image's data URL and gives its reference; any other text is given back as it is. */
export async function externalizeImageDataUrl(store: BlobStore, url: string): Promise<string> {
  const data = urlBytes(url);
  return data === undefined ? url : (await store.put(data)).ref;
}

/** `externalizeImageDataUrl` for appends, which must not wait. */
export function externalizeImageDataUrlSync(store: BlobStore, url: string): string {
  const data = urlBytes(url);
  return data === undefined ? url : store.putSync(data).ref;
}

/** Told of each reference whose blob is missing, damaged or unreadable. */
export type BlobWarning = (message: string) => void;

/** The base64 of the image behind a reference; other text, and a reference without its blob, as it is. */
export async function resolveImageData(store: BlobStore, text: string, warn: BlobWarning = emit): Promise<string> {
  return (await load(store, text, warn))?.toString('base64') ?? text;
}

/** The data URL behind a reference; other text, and a reference without its blob, as it is. */
export async function resolveImageDataUrl(store: BlobStore, text: string, warn: BlobWarning = emit): Promise<string> {
  return (await load(store, text, warn))?.toString() ?? text;
}

async function load(store: BlobStore, text: string, warn: BlobWarning): Promise<Buffer | undefined> {
  if (!text.startsWith(REF_PREFIX)) return undefined;
  try {
    const data = await store.get(text.slice(REF_PREFIX.length));
    if (data !== null) return data;
    warn(`no blob for the reference ${JSON.stringify(text.slice(0, 100))}`);
  } catch (error) {
    // One unreadable image must not keep a whole session from opening.
    if (!(error instanceof SessionError) && nodeCode(error) === undefined) throw error;
    warn(error instanceof Error ? error.message : String(error));
  }
  return undefined;
}

function emit(message: string): void {
  process.emitWarning(message, 'BlobWarning');
}

function hashOf(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function imageBytes(base64: string): Buffer | undefined {
  if (base64.startsWith(REF_PREFIX)) return undefined;
  const data = Buffer.from(base64, 'base64');
  return data.toString('base64') === base64 ? data : undefined;
}

function urlBytes(url: string): Buffer | undefined {
  // Text that UTF-8 cannot hold would come back changed.
  return isImageDataUrl(url) && url.isWellFormed() ? Buffer.from(url) : undefined;
}
