import { JsonlReader, type JsonlRecord } from '../../src/session/jsonl.ts';
import { SessionReader, type SessionRecord } from '../../src/session/records.ts';

/** A record without its borrowed bytes, and those as text. */
export type Copied<T> = T extends { bytes: Buffer } ? Omit<T, 'bytes'> & { text: string } : never;

function copy<T extends { bytes: Buffer }>({ bytes, ...rest }: T): Copied<T> {
  return { ...rest, text: bytes.toString('utf8') } as unknown as Copied<T>;
}

function* chunksOf(bytes: Buffer, sizeBytes: number): Generator<Buffer> {
  // Each chunk is overwritten after its turn, as a reader's buffer is.
  for (let at = 0; at < bytes.length; at += sizeBytes) {
    const chunk = Buffer.from(bytes.subarray(at, at + sizeBytes));
    yield chunk;
    chunk.fill(0x58);
  }
}

export function readJsonl(
  content: string | Buffer,
  { chunkBytes = 64, glance = false }: { chunkBytes?: number; glance?: boolean } = {},
): Copied<JsonlRecord>[] {
  const reader = new JsonlReader({ glance });
  const records: Copied<JsonlRecord>[] = [];
  for (const chunk of chunksOf(Buffer.from(content), chunkBytes)) {
    for (const record of reader.push(chunk)) records.push(copy(record));
  }
  for (const record of reader.end()) records.push(copy(record));
  return records;
}

export function readRecords(content: string | Buffer, depth: 'skeleton' | 'full' = 'full'): Copied<SessionRecord>[] {
  const reader = new SessionReader(depth);
  const records: Copied<SessionRecord>[] = [];
  for (const record of reader.push(Buffer.from(content))) records.push(copy(record));
  for (const record of reader.end()) records.push(copy(record));
  return records;
}

export function valuesOf(records: readonly Copied<JsonlRecord>[]): unknown[] {
  return records.flatMap((record) => (record.kind === 'value' ? [record.value] : []));
}

export function damageOf(records: readonly Copied<JsonlRecord>[]): string[] {
  return records.flatMap((record) => (record.kind === 'damage' ? [record.text] : []));
}
