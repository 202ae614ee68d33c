import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { FileParts, ReplaceOptions, SessionStorage, SessionStorageReader } from './storage.ts';

/** A reader on `path` in any storage; one without `openReader` is read whole. Throws `ENOENT`. */
export async function openReader(storage: SessionStorage, path: string): Promise<SessionStorageReader> {
  if (storage.openReader) return await storage.openReader(path);
  const stat = storage.statSync(path);
  const bytes = Buffer.from(await storage.readText(path));
  return {
    read: async (offsetBytes, lengthBytes) => bytes.subarray(offsetBytes, offsetBytes + lengthBytes),
    stat: async () => stat,
    close: async () => {},
  };
}

/** New content for `path` in any storage, all or nothing: a storage without `replaceFile` gets a temporary file. */
export async function replaceFile(
  storage: SessionStorage,
  path: string,
  parts: FileParts,
  options: ReplaceOptions = {},
): Promise<void> {
  if (storage.replaceFile) {
    await storage.replaceFile(path, parts, options);
    return;
  }
  const temp = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.tmp`);
  try {
    await writeThrough(storage, temp, parts);
    options.guard?.();
    await storage.rename(temp, path);
  } catch (error) {
    if (storage.existsSync(temp)) await storage.unlink(temp);
    throw error;
  }
  await storage.syncDir?.(dirname(path));
}

/** A new file in any storage; throws `EEXIST` when the name is taken. All or nothing only with `createFileSync`. */
export function createFileSync(storage: SessionStorage, path: string, parts: Iterable<string | Uint8Array>): void {
  if (storage.createFileSync) {
    storage.createFileSync(path, parts);
    return;
  }
  if (storage.existsSync(path)) {
    throw Object.assign(new Error(`EEXIST: file already exists, open '${path}'`), { code: 'EEXIST', path });
  }
  storage.writeTextSync(path, Buffer.concat([...parts].map((part) => Buffer.from(part))).toString());
}

async function writeThrough(storage: SessionStorage, path: string, parts: FileParts): Promise<void> {
  const writer = storage.openWriter(path, { flags: 'w' });
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  try {
    for await (const part of parts) {
      await writer.writeLine(typeof part === 'string' ? part : decoder.decode(part, { stream: true }));
    }
    await writer.writeLine(decoder.decode());
    await writer.fsync();
  } finally {
    await writer.close();
  }
}
