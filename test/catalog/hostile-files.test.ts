import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { findAgentRoots } from '../../src/agents/agents.ts';
import { findSessionFiles } from '../../src/catalog/session-files.ts';
import { openUnkept } from '../../src/catalog/store-file.ts';
import { IdPlaces } from '../../src/catalog/text-index.ts';
import { SessionFile } from '../../src/session/scan.ts';
import { CatalogFolder } from './catalog-folder.ts';

const HEADER = '{"type":"session","version":3,"id":"aaaa","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n';

function namesIn(folder: CatalogFolder): string[] {
  const found = findSessionFiles(findAgentRoots([folder.agentDir]), (problem) => {
    throw problem;
  });
  return found.map(({ path }) => basename(path)).sort();
}

it.skipIf(process.platform === 'win32')(
  'pipes are neither listed nor waited for, links to themselves are listed',
  () => {
    using folder = new CatalogFolder();
    const pipe = join(folder.agentDir, 'sessions', 'pipe.jsonl');
    execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', pipe]);
    symlinkSync(pipe, join(folder.agentDir, 'sessions', 'link-to-pipe.jsonl'));
    const itself = join(folder.agentDir, 'sessions', 'itself.jsonl');
    symlinkSync(itself, itself);
    symlinkSync('/nowhere/at/all', join(folder.agentDir, 'sessions', 'nowhere.jsonl'));
    folder.write('p/a.jsonl', HEADER);
    expect(namesIn(folder)).toEqual(['a.jsonl', 'itself.jsonl', 'nowhere.jsonl']);
    expect(() => new SessionFile(pipe)).toThrow(/is not a regular file/);
    expect(() => new SessionFile(itself)).toThrow(/cannot open/);
  },
);

it.skipIf(process.platform === 'win32')(
  'a folder that several links lead to is walked once, one that links lead back to as well',
  () => {
    using folder = new CatalogFolder();
    const sessions = join(folder.agentDir, 'sessions');
    folder.write('p/a.jsonl', HEADER);
    const elsewhere = join(folder.path, 'elsewhere');
    mkdirSync(join(elsewhere, 'deep'), { recursive: true });
    writeFileSync(join(elsewhere, 'deep', 'b.jsonl'), HEADER);
    symlinkSync(elsewhere, join(sessions, 'linked'));
    symlinkSync(elsewhere, join(sessions, 'p', 'linked-too'));
    symlinkSync(join(elsewhere, 'deep'), join(elsewhere, 'deep', 'loop'));
    symlinkSync(sessions, join(sessions, 'p', 'back'));
    symlinkSync('/', join(sessions, 'everything'));
    expect(namesIn(folder)).toEqual(['a.jsonl', 'b.jsonl']);
  },
);

it('however many texts bear one time, nobody tries all of their ids for the next', () => {
  const db = openUnkept();
  const insert = db.prepare(
    "INSERT OR IGNORE INTO docs(id, file, line, offset, length, role) VALUES (?, 1, 1, 0, 0, 'user')",
  );
  const given = new Set<number>();
  let tries = 0;
  // As after another start: nothing is known of what is there.
  for (let start = 0; start < 3; start++) {
    const places = new IdPlaces(db);
    for (let n = 0; n < 300; n++) {
      const id = places.place(n < 100 ? 640 : n < 200 ? 704 : 640 + n, (at) => {
        tries++;
        return insert.run(at).changes === 1;
      });
      given.add(id);
    }
  }
  expect(given.size).toBe(900);
  expect(Number(db.prepare('SELECT count(*) AS n FROM docs').get()?.['n'])).toBe(900);
  expect(tries).toBeLessThanOrEqual(903);
  db.close();
});

it('a picture of any size pasted into a prompt hides neither the words around it nor the sessions beside it', () => {
  using folder = new CatalogFolder();
  const picture = `data:image/png;base64,iVBOR${'x'.repeat(20_000_000)}=`;
  const said = { role: 'user', content: `before the picture ${picture} behind ${'y'.repeat(1500)}. At the end` };
  const entry = { type: 'message', id: 'u1', parentId: null, timestamp: '2026-01-01T00:00:00.000Z', message: said };
  folder.write('p/a.jsonl', `${HEADER}${JSON.stringify(entry)}\n`);
  using catalog = folder.open();
  catalog.update();
  expect(catalog.search('iVBOR')).toEqual([]);
  expect(catalog.search('yyy')).toEqual([]);
  expect(catalog.search('"before the picture" behind "at the end"')).toMatchObject([{ entryId: 'u1' }]);
});
