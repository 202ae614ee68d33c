import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findAgentRoots } from '../../src/agents/agents.ts';
import { parseContentQuery } from '../../src/catalog/content-query.ts';
import { searchTexts } from '../../src/catalog/content-search.ts';
import { type KeepingRules, keepEverything } from '../../src/catalog/keeping.ts';
import { Refresh } from '../../src/catalog/refresh.ts';
import { Sidecar } from '../../src/catalog/sidecar.ts';
import { catalogPath } from '../../src/catalog/store-file.ts';
import { buildSubstringIndex } from '../../src/catalog/substring-index.ts';
import { CatalogFolder } from './catalog-folder.ts';

let folder: CatalogFolder;
beforeEach(() => {
  folder = new CatalogFolder();
});
afterEach(() => folder[Symbol.dispose]());

/** A session of a project folder in which one word is said. */
function addSession(name: string, cwd: string, word: string): string {
  const at = '2026-01-02T00:00:00.000Z';
  const said = (id: string, parentId: string | null, message: object) => ({
    type: 'message',
    id,
    parentId,
    timestamp: at,
    message,
  });
  return folder.write(name, [
    { type: 'session', version: 3, id: name.slice(0, 4), timestamp: at, cwd },
    said('u1', null, { role: 'user', content: `the prompt ${word}` }),
    said('a1', 'u1', { role: 'assistant', content: [{ type: 'text', text: `the answer ${word}zz` }] }),
  ]);
}

interface Looked {
  readonly rows: readonly string[];
  readonly hits: number;
  readonly leftOut: readonly string[];
  readonly read: number;
}

/** Opens the catalog under some rules as a new process does, brings it up to date and searches it. */
function look(rules: KeepingRules | undefined, word = 'word'): Looked {
  using sidecar = new Sidecar({ cacheDir: folder.cacheDir, rules });
  const { store } = sidecar;
  const roots = findAgentRoots([folder.agentDir]);
  const sessionsDirs = roots.map(({ folders }) => folders.sessionsDir);
  const refresh = new Refresh(store, roots, () => undefined);
  refresh.settle();
  const { unindexed } = refresh;
  for (const _ of refresh.read(unindexed, true));
  for (const _ of buildSubstringIndex(store));
  expect(new Refresh(store, roots, () => undefined).unindexed).toEqual([]);
  return {
    rows: [...store.rows(sessionsDirs, 100)].flat().map(({ path }) => path),
    hits: [...searchTexts(store, parseContentQuery(word), new Set(sessionsDirs))].flat().length,
    leftOut: refresh.leftOut.map(({ path }) => path),
    read: unindexed.length,
  };
}

/** Does a text stand anywhere in the catalog's files, those set aside too? */
function holds(text: string): boolean {
  return ['', '-wal', '.set-aside', '.set-aside-wal'].some((suffix) => {
    const path = catalogPath(folder.cacheDir) + suffix;
    return existsSync(path) && readFileSync(path).includes(text);
  });
}

const rulesFor = (kind: keyof KeepingRules, ...folders: string[]): KeepingRules => ({
  ...keepEverything,
  [kind]: folders,
});

describe('a folder that is left out', () => {
  it('leaves nothing of its sessions in the catalog, and those beside it as they are', () => {
    const secret = addSession('aaaa.jsonl', '/w/secret/deep', 'wordsecret');
    const open = addSession('bbbb.jsonl', '/w/secret-not', 'wordopen');
    const seen = look(rulesFor('leaveOut', '/w/secret'));
    expect(seen).toMatchObject({ rows: [open], leftOut: [secret], hits: 2 });
    for (const text of ['secret/deep', 'wordsecret', 'aaaa.jsonl']) expect(holds(text)).toBe(false);
    expect(holds('bbbb.jsonl')).toBe(true);
  });

  it('takes out of the catalog what it held before the rule was made: no byte of it is left', () => {
    const secret = addSession('aaaa.jsonl', '/w/secret', 'wordsecret');
    for (let n = 0; n < 40; n++) addSession(`b${n}bb.jsonl`, '/w/open', `wordopen${n}`);
    expect(look(keepEverything).hits).toBe(82);
    expect(holds('wordsecret')).toBe(true);
    // So that its words are in pages that are not in use any more, too.
    appendFileSync(secret, '\n');
    writeFileSync(secret, readFileSync(secret, 'utf8').replaceAll('wordsecret', 'wordsecreet'));
    look(keepEverything);
    writeFileSync(`${catalogPath(folder.cacheDir)}.set-aside`, 'wordsecret of an older catalog');
    const seen = look(rulesFor('leaveOut', '/w/secret'));
    expect(seen).toMatchObject({ hits: 80, leftOut: [secret] });
    for (const text of ['wordsecr', 'secr', 'aaaa.jsonl']) expect(holds(text)).toBe(false);
    expect(holds('wordopen7')).toBe(true);
  });

  it('comes back when the rule goes', () => {
    const secret = addSession('aaaa.jsonl', '/w/secret', 'word');
    look(rulesFor('leaveOut', '/w/secret'));
    expect(look(keepEverything)).toMatchObject({ rows: [secret], hits: 2, leftOut: [] });
  });

  it('is known by its other name as well', () => {
    const real = join(folder.path, 'real');
    const link = join(folder.path, 'link');
    mkdirSync(real);
    symlinkSync(real, link);
    const files = [addSession('aaaa.jsonl', real, 'word'), addSession('bbbb.jsonl', link, 'word')];
    for (const name of [real, link]) expect(new Set(look(rulesFor('leaveOut', name)).leftOut)).toEqual(new Set(files));
  });

  it('takes its sub-agents with it, wherever they worked', () => {
    addSession('p/aaaa.jsonl', '/w/secret', 'word');
    addSession('p/aaaa/0-task.jsonl', '/elsewhere', 'word');
    expect(look(rulesFor('leaveOut', '/w/secret'))).toMatchObject({ rows: [], hits: 0 });
  });

  it('may be that of a file without a header, which is not kept then', () => {
    const torn = folder.write('torn.jsonl', '{"type":"session","ver\n{"type":"message","id":"u1","parentId":null}\n');
    expect(look(rulesFor('leaveOut', '/w/secret')).leftOut).toEqual([torn]);
    expect(look(keepEverything).rows).toEqual([torn]);
  });

  it('keeps out what one with the rule took out, also from a Bough that was started before it was made', () => {
    addSession('aaaa.jsonl', '/w/secret', 'wordsecret');
    using early = new Sidecar({ cacheDir: folder.cacheDir, rules: keepEverything });
    const refresh = new Refresh(early.store, findAgentRoots([folder.agentDir]), () => undefined);
    look(rulesFor('leaveOut', '/w/secret'));
    for (const _ of refresh.read(refresh.unindexed, true));
    expect(holds('wordsecret')).toBe(false);
  });

  it('is where a session went that was moved there', () => {
    const file = addSession('aaaa.jsonl', '/w/open', 'word');
    const rules = rulesFor('leaveOut', '/w/secret');
    expect(look(rules).rows).toEqual([file]);
    writeFileSync(file, readFileSync(file, 'utf8').replace('/w/open', '/w/secret'));
    look(rules);
    expect(look(rules)).toMatchObject({ rows: [], leftOut: [file], hits: 0, read: 0 });
    expect(holds('wordzz')).toBe(false);
  });
});

describe('a folder with metadata only', () => {
  const rules = rulesFor('metadataOnly', '/w/secret');

  it('has rows and no texts, and is read once', () => {
    const secret = addSession('aaaa.jsonl', '/w/secret', 'word');
    expect(look(rules)).toMatchObject({ rows: [secret], hits: 0, read: 1 });
    expect(holds('wordzz')).toBe(false);
    expect(look(rules).read).toBe(0);
    appendFileSync(
      secret,
      readFileSync(secret, 'utf8').split('\n').slice(1).join('\n').replaceAll('"id":"', '"id":"x'),
    );
    expect(look(rules)).toMatchObject({ rows: [secret], hits: 0, read: 1 });
  });

  it('loses the texts that were there before, and gets them back', () => {
    addSession('aaaa.jsonl', '/w/secret', 'word');
    expect(look(keepEverything).hits).toBe(2);
    expect(look(rules).hits).toBe(0);
    expect(holds('wordzz')).toBe(false);
    expect(look(keepEverything).hits).toBe(2);
  });
});

it('nothing is written where the rules are not known, and everything is found all the same', () => {
  addSession('aaaa.jsonl', '/w/secret', 'word');
  expect(look(undefined).hits).toBe(2);
  expect(existsSync(catalogPath(folder.cacheDir))).toBe(false);
});
