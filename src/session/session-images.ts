import { createHash } from 'node:crypto';
import {
  type BlobStore,
  externalizeImageDataSync,
  externalizeImageDataUrlSync,
  isBlobRef,
  parseBlobRef,
  resolveImageData,
  resolveImageDataUrl,
} from './blob-store.ts';
import { isRecord } from './messages.ts';
import { type ImageStore, MIN_BLOB_CHARS, storeOrKeep } from './persistence.ts';

/** Stores images as blobs, durably, before the entry that names them is written. */
export function imagesIn(store: BlobStore): ImageStore {
  return {
    putImage: (base64) => externalizeImageDataSync(store, base64),
    putDataUrl: (url) => externalizeImageDataUrlSync(store, url),
  };
}

function refOf(data: Uint8Array): string {
  return `blob:sha256:${createHash('sha256').update(data).digest('hex')}`;
}

/** Gives the references that storing would give, and stores nothing: to compare what is in memory with what is on disk. */
export const imageReferences: ImageStore = {
  putImage: (base64) => {
    const data = Buffer.from(base64, 'base64');
    return isBlobRef(base64) || data.toString('base64') !== base64 ? base64 : refOf(data);
  },
  putDataUrl: (url) => (url.isWellFormed() ? refOf(Buffer.from(url)) : url),
};

/** A reference in an entry, and how to put what it stands for in its place. */
interface Reference {
  readonly ref: string;
  readonly kind: 'image' | 'url';
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** The references of an entry: images in arrays under a key `content`, and `image_url`s, at any depth. */
function* referencesIn(entry: object): Generator<Reference> {
  const pending: { readonly value: unknown; readonly isContent: boolean }[] = [{ value: entry, isContent: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, isContent } = next;
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === 'object') pending.push({ value: item, isContent });
      continue;
    }
    if (!isRecord(value)) continue;
    const { type, data, image_url: url } = value;
    if (isContent && type === 'image' && typeof data === 'string' && data.startsWith('blob:')) {
      yield { ref: data, kind: 'image', holder: value, key: 'data' };
    }
    if (typeof url === 'string' && url.startsWith('blob:'))
      yield { ref: url, kind: 'url', holder: value, key: 'image_url' };
    for (const [key, field] of Object.entries(value)) {
      if (typeof field === 'object' && field !== null) {
        pending.push({ value: field, isContent: key === 'content' && Array.isArray(field) });
      }
    }
  }
}

/**
 * Puts images back in place of their references, in the entries themselves. A reference whose blob is missing or damaged
 * stays; `warn` hears of each.
 */
export async function restoreImages(
  entries: Iterable<object>,
  store: BlobStore,
  warn: (message: string) => void,
): Promise<void> {
  // One picture is often shown many times; its text is then held once.
  const known = new Map<string, string>();
  for (const entry of entries) {
    for (const { ref, kind, holder, key } of referencesIn(entry)) {
      const resolve = kind === 'image' ? resolveImageData : resolveImageDataUrl;
      const text = known.get(kind + ref) ?? (await resolve(store, ref, warn));
      known.set(kind + ref, text);
      holder[key] = text;
    }
  }
}

function* inlineImagesIn(value: unknown): Generator<string> {
  const pending: { readonly value: unknown; readonly isContent: boolean }[] = [{ value, isContent: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next.value)) {
      for (const item of next.value) pending.push({ value: item, isContent: next.isContent });
    } else if (isRecord(next.value)) {
      const { type, data } = next.value;
      if (next.isContent && type === 'image' && typeof data === 'string' && data.length >= MIN_BLOB_CHARS) yield data;
      for (const [key, field] of Object.entries(next.value)) {
        if (typeof field === 'object')
          pending.push({ value: field, isContent: key === 'content' && Array.isArray(field) });
      }
    }
  }
}

/** A line's bytes with large inline images stored as blobs and everything else byte for byte as it was. */
export function externalizeLine(line: Buffer, images: ImageStore): Buffer {
  if (line.length < MIN_BLOB_CHARS || !line.includes('"image"')) return line;
  let bytes = line;
  for (const data of inlineImagesIn(JSON.parse(line.toString()))) {
    const ref = storeOrKeep((text) => images.putImage(text), data);
    const at = bytes.indexOf(`"${data}"`);
    if (ref === data || at < 0) continue;
    bytes = Buffer.concat([bytes.subarray(0, at + 1), Buffer.from(ref), bytes.subarray(at + 1 + data.length)]);
  }
  return bytes;
}

/** Copies the blobs that entries refer to into another store; those that are missing or damaged stay missing. */
export async function copyBlobs(entries: Iterable<object>, from: BlobStore, to: BlobStore): Promise<void> {
  if (from.dir === to.dir) return;
  const hashes = new Set<string>();
  for (const entry of entries) {
    for (const { ref } of referencesIn(entry)) hashes.add(parseBlobRef(ref) ?? '');
  }
  for (const hash of hashes) {
    const isWanted = (await from.has(hash)) && !(await to.has(hash));
    const data = isWanted ? await from.get(hash).catch(() => null) : null;
    if (data !== null) await to.put(data);
  }
}
