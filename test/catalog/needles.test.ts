import { appendFileSync, copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CatalogFolder, type Manifest, type OpenCatalog } from './catalog-folder.ts';

const SIZE = ['--sessions', '60', '--projects', '6', '--mean-kb', '25', '--median-kb', '12', '--malformed', '0.14'];

let folder: CatalogFolder;
let manifest: Manifest;

beforeAll(() => {
  folder = new CatalogFolder();
  manifest = folder.generate(...SIZE);
});
afterAll(() => folder[Symbol.dispose]());

const needles = [
  'user',
  'assistant',
  'thinking',
  'toolCall',
  'toolResult',
  'compaction',
  'branchSummary',
  'label',
  'customMessage',
  'quoted',
];

function needle(place: string): Manifest['needles'][number] {
  return manifest.needles.find((planted) => planted.place === place)!;
}

/** Where a needle is found, as session file and entry. */
function placesOf(catalog: OpenCatalog, place: string): readonly string[] {
  const { token } = needle(place);
  return [...catalog.search(token), ...catalog.searchOutput(token)].map(({ path, entryId }) => `${path} ${entryId}`);
}

function pathOf(place: string): string {
  return join(folder.agentDir, needle(place).file);
}

describe.each([
  ['without parts of words', false],
  ['with parts of words', true],
])('%s', (_name, substrings) => {
  it.each(needles)('the needle in a %s is found there and nowhere else, cold and warm', (place) => {
    const expected = [`${pathOf(place)} ${needle(place).entryId}`];
    {
      using catalog = folder.open();
      catalog.update({ substrings });
      expect(placesOf(catalog, place)).toEqual(expected);
    }
    using again = folder.open();
    expect(again.update({ substrings })).toEqual([]);
    expect(placesOf(again, place)).toEqual(expected);
  });
});

describe('a needle stays findable', () => {
  it.each(needles)('in a %s, after its file was appended to, replaced and moved', (place) => {
    using catalog = folder.open();
    catalog.update();
    const path = pathOf(place);
    const { entryId } = needle(place);
    const before = readFileSync(path);
    const added = { type: 'message', id: 'added001', parentId: entryId, timestamp: '2025-12-30T00:00:00.000Z' };
    const message = { role: 'user', content: `${place} grewhere`, timestamp: 1 };
    appendFileSync(path, `${JSON.stringify({ ...added, message })}\n`);
    expect(catalog.update()).toEqual([path]);
    expect(placesOf(catalog, place)).toEqual([`${path} ${entryId}`]);
    expect(catalog.search(`"${place} grewhere"`).map((hit) => `${hit.path} ${hit.entryId}`)).toEqual([
      `${path} added001`,
    ]);

    const copy = `${path}.new`;
    writeFileSync(copy, before);
    renameSync(copy, path);
    catalog.update();
    expect(placesOf(catalog, place)).toEqual([`${path} ${entryId}`]);
    expect(catalog.search(`"${place} grewhere"`)).toEqual([]);

    const moved = join(folder.agentDir, 'sessions', '--moved--', `moved_${place}.jsonl`);
    mkdirSync(join(moved, '..'), { recursive: true });
    renameSync(path, moved);
    expect(catalog.update()).toEqual([]);
    expect(placesOf(catalog, place)).toEqual([`${moved} ${entryId}`]);

    copyFileSync(moved, path);
    rmSync(moved);
    catalog.update();
    expect(placesOf(catalog, place)).toEqual([`${path} ${entryId}`]);
  });
});

describe('a token in several sessions', () => {
  it.each(['qvspreadten', '稀有标记字符串', '"quixotic zebra handshake"', 'quixotic zebra', '标记'])(
    '%s is found in each',
    (text) => {
      using catalog = folder.open();
      catalog.update();
      const planted = manifest.spread.find(({ token }) => token.includes(text.replaceAll('"', '')))!;
      const sessions = new Set(catalog.search(text).map(({ path }) => path));
      expect(sessions.size).toBe(planted.sessions);
    },
  );
});
