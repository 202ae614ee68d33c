import type { ReadDepth, SessionRecord } from './records.ts';
import { SessionReader } from './records.ts';
import type { SessionStorage, SessionStorageReader, SessionStorageStat } from './storage.ts';
import { openReader } from './storage-fallbacks.ts';

const FIRST_CHUNK_BYTES = 4096;
const CHUNK_BYTES = 1024 * 1024;

/** The bytes of a file from `offsetBytes` on, in order; small chunks at first, for those who want the beginning alone. */
export async function* chunksOf(
  reader: SessionStorageReader,
  offsetBytes = 0,
  firstChunkBytes = CHUNK_BYTES,
): AsyncGenerator<Buffer> {
  let offset = offsetBytes;
  for (let size = firstChunkBytes; ; size = Math.min(CHUNK_BYTES, size * 4)) {
    const bytes = await reader.read(offset, size);
    if (bytes.length === 0) return;
    offset += bytes.length;
    yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }
}

/**
 * Gives every record of a session file in any storage to `take`, in file order and in bounded memory, until it returns
 * false. Resolves to the state of the file when it was opened. The storage's errors are thrown on (`ENOENT`, …).
 */
export async function scanRecords(
  storage: SessionStorage,
  path: string,
  depth: ReadDepth,
  take: (record: SessionRecord) => boolean | undefined,
): Promise<SessionStorageStat> {
  const file = await openReader(storage, path);
  try {
    const stat = await file.stat();
    const reader = new SessionReader(depth);
    for await (const chunk of chunksOf(file, 0, FIRST_CHUNK_BYTES)) {
      for (const record of reader.push(chunk)) if (take(record) === false) return stat;
    }
    for (const record of reader.end()) if (take(record) === false) return stat;
    return stat;
  } finally {
    await file.close();
  }
}
