import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BlobStore,
  externalizeImageData,
  externalizeImageDataSync,
  externalizeImageDataUrl,
  externalizeImageDataUrlSync,
  isBlobRef,
  isImageDataUrl,
  parseBlobRef,
  resolveImageData,
  resolveImageDataUrl,
} from '../../src/session/blob-store.ts';
import { makeTempDir } from './temp-dir.ts';

const bytes = Buffer.from('an image');
const hash = createHash('sha256').update(bytes).digest('hex');

function makeStore(): BlobStore {
  return new BlobStore(join(makeTempDir(), 'blobs'));
}

function ignore(): void {}

describe.each([
  ['put', (store: BlobStore, data: Buffer) => store.put(data)],
  ['putSync', async (store: BlobStore, data: Buffer) => store.putSync(data)],
])('%s', (_name, put) => {
  test('stores bytes under their hash, privately', async () => {
    const store = makeStore();
    expect(await put(store, bytes)).toEqual({ hash, path: join(store.dir, hash), ref: `blob:sha256:${hash}` });
    expect(fs.readdirSync(store.dir)).toEqual([hash]);
    expect(fs.statSync(join(store.dir, hash)).mode & 0o777).toBe(0o600);
    expect(fs.statSync(store.dir).mode & 0o777).toBe(0o700);
    expect(await store.get(hash)).toEqual(bytes);
    expect(await store.has(hash)).toBe(true);
  });

  test('writes nothing when the blob is there', async () => {
    const store = makeStore();
    const { path } = await put(store, bytes);
    const { ino } = fs.statSync(path);
    await put(store, bytes);
    expect(fs.statSync(path).ino).toBe(ino);
  });

  test('replaces a damaged copy, cut or changed', async () => {
    const store = makeStore();
    const { path } = await put(store, bytes);
    for (const damaged of ['an im', 'an jmage']) {
      fs.writeFileSync(path, damaged);
      await put(store, bytes);
      expect(await store.get(hash)).toEqual(bytes);
    }
  });
});

test('a missing blob is null', async () => {
  const store = makeStore();
  expect(await store.get(hash)).toBeNull();
  expect(await store.has(hash)).toBe(false);
});

test('a damaged blob is an error that says so, never other bytes', async () => {
  const store = makeStore();
  const { path } = await store.put(bytes);
  fs.truncateSync(path, 3);
  await expect(store.get(hash)).rejects.toMatchObject({ code: 'blob_missing', path });
});

test('only 64 hex digits reach the disk', async () => {
  const store = makeStore();
  fs.writeFileSync(join(store.dir, '..', 'secret'), 'secret');
  fs.mkdirSync(store.dir);
  for (const name of ['../secret', '', hash.slice(1), `${hash}0`, `${hash}\n`, `../blobs/${hash}`]) {
    expect(await store.get(name)).toBeNull();
    expect(await store.has(name)).toBe(false);
    expect(parseBlobRef(`blob:sha256:${name}`)).toBeNull();
    expect(await resolveImageData(store, `blob:sha256:${name}`, ignore)).toBe(`blob:sha256:${name}`);
  }
});

test('an unreadable blob is neither missing nor damaged', async () => {
  const store = makeStore();
  fs.mkdirSync(join(store.dir, hash), { recursive: true });
  await expect(store.get(hash)).rejects.toMatchObject({ code: 'EISDIR' });
});

test('a reference is the prefix and a hash', () => {
  expect(parseBlobRef(`blob:sha256:${hash}`)).toBe(hash);
  expect(isBlobRef(`blob:sha256:${hash}`)).toBe(true);
  expect(isBlobRef(`Blob:sha256:${hash}`)).toBe(false);
  expect(isBlobRef(hash)).toBe(false);
});

test('a data URL of an image is told from other texts', () => {
  expect(isImageDataUrl('data:image/png;base64,AAAA')).toBe(true);
  expect(isImageDataUrl('data:text/plain;base64,AAAA')).toBe(false);
  expect(isImageDataUrl('data:image/svg+xml,<svg/>')).toBe(false);
});

test('whatever is externalised comes back the same', async () => {
  const store = makeStore();
  const text = fc.oneof(
    fc.base64String(),
    fc.string({ unit: 'binary' }),
    fc.base64String().map((b) => b.replace('=', '')),
  );
  await fc.assert(
    fc.asyncProperty(text, async (data) => {
      const ref = await externalizeImageData(store, data);
      expect(externalizeImageDataSync(store, data)).toBe(ref);
      expect(await resolveImageData(store, ref)).toBe(data);
      const url = `data:image/png;base64,${data}`;
      const urlRef = await externalizeImageDataUrl(store, url);
      expect(externalizeImageDataUrlSync(store, url)).toBe(urlRef);
      expect(await resolveImageDataUrl(store, urlRef)).toBe(url);
    }),
    { numRuns: 40 },
  );
});

test('base64 and data URLs become references to their bytes', async () => {
  const store = makeStore();
  expect(await externalizeImageData(store, bytes.toString('base64'))).toBe(`blob:sha256:${hash}`);
  const url = 'data:image/png;base64,AAAA';
  expect(await externalizeImageDataUrl(store, url)).toMatch(/^blob:sha256:[0-9a-f]{64}$/);
  expect(fs.readFileSync(join(store.dir, createHash('sha256').update(url).digest('hex')), 'utf8')).toBe(url);
});

test('references stay what they are, well-formed or not', async () => {
  const store = makeStore();
  for (const ref of [`blob:sha256:${hash}`, 'blob:sha256:abcd']) {
    expect(await externalizeImageData(store, ref)).toBe(ref);
    expect(await externalizeImageDataUrl(store, ref)).toBe(ref);
  }
  expect(fs.existsSync(store.dir)).toBe(false);
});

test('a data URL that UTF-8 cannot hold stays inline', async () => {
  const url = 'data:image/png;base64,\ud800';
  expect(await externalizeImageDataUrl(makeStore(), url)).toBe(url);
});

test('a reference whose blob is missing or damaged stays, with one warning', async () => {
  const store = makeStore();
  const warnings: string[] = [];
  const ref = `blob:sha256:${hash}`;
  expect(await resolveImageData(store, ref, (message) => warnings.push(message))).toBe(ref);
  fs.truncateSync((await store.put(bytes)).path, 3);
  expect(await resolveImageDataUrl(store, ref, (message) => warnings.push(message))).toBe(ref);
  expect(warnings).toEqual([expect.stringContaining('no blob'), expect.stringContaining('damaged')]);
});

test('other text is not looked up', async () => {
  const store = makeStore();
  const fail = () => expect.unreachable();
  expect(await resolveImageData(store, 'AAAA', fail)).toBe('AAAA');
  expect(await resolveImageDataUrl(store, 'https://example.org/a.png', fail)).toBe('https://example.org/a.png');
});

test('a store that cannot be written says so', async () => {
  const dir = makeTempDir();
  fs.writeFileSync(join(dir, 'blobs'), '');
  await expect(externalizeImageData(new BlobStore(join(dir, 'blobs')), 'AAAA')).rejects.toMatchObject({
    code: 'ENOTDIR',
  });
});
