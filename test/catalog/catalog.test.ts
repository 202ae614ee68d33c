import { appendFileSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAgentRoots } from '../../src/agents/agents.ts';
import { measureRow } from '../../src/catalog/read-row.ts';
import { findSessionFiles } from '../../src/catalog/session-files.ts';
import { switchSubstrings } from '../../src/catalog/substring-index.ts';
import { CatalogFolder } from './catalog-folder.ts';

function header(id: string, change: object = {}): object {
  return { type: 'session', version: 3, id, timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w', ...change };
}

function entry(id: string, parentId: string | null, message: object, second = 0): object {
  const timestamp = new Date(Date.parse('2026-01-02T00:00:00.000Z') + second * 1000).toISOString();
  return { type: 'message', id, parentId, timestamp, message };
}

function user(id: string, parentId: string | null, content: string, second = 0): object {
  return entry(id, parentId, { role: 'user', content }, second);
}

function answer(id: string, parentId: string, cost: number, second = 0): object {
  const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, cost: { total: cost } };
  const content = [{ type: 'text', text: `answer ${id}` }];
  return entry(
    id,
    parentId,
    { role: 'assistant', content, provider: 'p', model: 'm', usage, stopReason: 'stop' },
    second,
  );
}

function lines(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

/** The rows as a reading of everything gives them. */
function measured(folder: CatalogFolder): unknown {
  const files = findSessionFiles(findAgentRoots([folder.agentDir]), () => undefined);
  return files
    .map((file) => ({ ...measureRow(file, undefined), live: null }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function sorted(rows: readonly { readonly path: string }[]): unknown {
  return rows.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

describe('figures', () => {
  it('are those of a whole reading, wherever a file was cut between two readings', () => {
    using folder = new CatalogFolder();
    folder.generate('--sessions', '8', '--projects', '2', '--mean-kb', '20', '--malformed', '1');
    const files = findSessionFiles(findAgentRoots([folder.agentDir]), () => undefined);
    const contents = files.map(({ path }) => readFileSync(path));
    fc.assert(
      fc.property(fc.nat(7), fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }), (at, cuts) => {
        const { path } = files[at]!;
        const bytes = contents[at]!;
        using catalog = folder.open();
        for (const cut of cuts.toSorted((a, b) => a - b)) {
          writeFileSync(path, bytes);
          truncateSync(path, Math.floor(cut * bytes.length));
          catalog.update({ substrings: false });
        }
        truncateSync(path, 0);
        writeFileSync(path, bytes);
        catalog.update({ substrings: false });
        expect(sorted(catalog.rows())).toEqual(measured(folder));
      }),
      { numRuns: 12 },
    );
  });

  it('count what a fork copied once, in the session that has it from', () => {
    using folder = new CatalogFolder();
    const first = [user('u1', null, 'one'), answer('a1', 'u1', 1, 1)];
    folder.write('p/a_aaaa.jsonl', [header('aaaa'), ...first]);
    const forked = header('bbbb', { parentSession: 'aaaa', timestamp: '2026-02-01T00:00:00.000Z' });
    folder.write('p/b_bbbb.jsonl', [forked, ...first, user('u2', 'a1', 'two', 2), answer('a2', 'u2', 2, 3)]);
    const path = join(folder.agentDir, 'sessions', 'p', 'b_bbbb.jsonl');
    const again = header('cccc', { parentSession: path, timestamp: '2026-03-01T00:00:00.000Z' });
    folder.write('p/c_cccc.jsonl', [again, ...first, answer('a2', 'u2', 2, 3), answer('a3', 'a1', 4, 9)]);
    // The same ids in a session that is no relative were paid for there.
    folder.write('p/d_dddd.jsonl', [header('dddd'), ...first]);
    using catalog = folder.open();
    catalog.update();
    const costs = Object.fromEntries(catalog.rows().map((row) => [row.id, row.cost]));
    expect(costs).toEqual({ aaaa: 1, bbbb: 2, cccc: 4, dddd: 1 });
  });

  it('know the texts of labels and whether there are pictures', () => {
    using folder = new CatalogFolder();
    const label = { type: 'label', parentId: 'u1', timestamp: '2026-01-02T00:00:01.000Z' };
    const image = entry('r1', 'u1', { role: 'toolResult', toolCallId: 'c', content: [{ type: 'image', data: 'x' }] });
    folder.write('p/a_aaaa.jsonl', [
      header('aaaa'),
      user('u1', null, 'one'),
      { ...label, id: 'l1', targetId: 'u1', label: 'first' },
      { ...label, id: 'l2', targetId: 'l1', label: 'second' },
      { ...label, id: 'l3', targetId: 'u1' },
      image,
    ]);
    using catalog = folder.open();
    catalog.update();
    expect(catalog.rows()[0]).toMatchObject({ labels: ['second'], labelCount: 1, hasImages: true });
  });
});

describe('a file', () => {
  it('that only grew is read from where the last reading ended', () => {
    using folder = new CatalogFolder();
    const path = folder.write('p/a_aaaa.jsonl', [header('aaaa'), user('u1', null, 'one'), user('u2', 'u1', 'two')]);
    using catalog = folder.open();
    catalog.update();
    // A reading from the start would put this right.
    catalog.store.db.exec("UPDATE docs SET role = 'as it was'");
    appendFileSync(path, lines([user('u3', 'u2', 'three', 60)]));
    catalog.update();
    const roles = catalog.store.db.prepare('SELECT role FROM docs ORDER BY id').all();
    expect(roles.map(({ role }) => role)).toEqual(['as it was', 'as it was', 'user']);
  });

  it('that was rewritten at the same size is read again', () => {
    using folder = new CatalogFolder();
    const path = folder.write('p/a_aaaa.jsonl', [header('aaaa'), user('u1', null, 'before')]);
    using catalog = folder.open();
    catalog.update();
    writeFileSync(path, lines([header('aaaa'), user('u1', null, 'behind')]));
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    catalog.update();
    expect(catalog.search('before')).toEqual([]);
    expect(catalog.search('behind')).toHaveLength(1);
  });

  it('with a torn end is found whole once the rest is there, and once only', () => {
    using folder = new CatalogFolder();
    const last = JSON.stringify(user('u2', 'u1', 'the torn sentence', 5));
    const whole = lines([header('aaaa'), user('u1', null, 'one')]);
    const path = folder.write('p/a_aaaa.jsonl', whole + last.slice(0, 40));
    using catalog = folder.open();
    catalog.update();
    expect(catalog.rows()[0]).toMatchObject({ entryCount: 1, damagedLines: 1 });
    appendFileSync(path, last.slice(40));
    catalog.update();
    expect(catalog.rows()[0]).toMatchObject({ entryCount: 2, damagedLines: 0 });
    appendFileSync(path, '\n');
    catalog.update();
    expect(catalog.rows()[0]).toMatchObject({ entryCount: 2, damagedLines: 0 });
    expect(catalog.search('torn sentence').map(({ entryId }) => entryId)).toEqual(['u2']);
  });
});

describe('a search', () => {
  it('finds the newest first, whatever the order in which files are read', () => {
    using folder = new CatalogFolder();
    using catalog = folder.open();
    for (const [name, second] of [
      ['b', 50],
      ['a', 10],
      ['c', 90],
      ['d', 30],
    ] as const) {
      folder.write(`p/${name}_${name}.jsonl`, [header(name), user(`u${name}`, null, 'the word', second)]);
      catalog.update();
    }
    expect(catalog.search('word').map(({ id }) => id)).toEqual(['c', 'b', 'd', 'a']);
  });

  it('finds parts of words, and without their index the beginnings of words', () => {
    using folder = new CatalogFolder();
    folder.write('p/a_aaaa.jsonl', [header('aaaa'), user('u1', null, 'Größenordnung: 検索履歴 in foo_barBaz')]);
    using catalog = folder.open();
    catalog.update();
    for (const text of ['ordnung', 'grossen', 'GRÖSSE', '索履', '歴', 'barbaz', 'o_b', 'no']) {
      expect(catalog.search(text), text).toHaveLength(1);
    }
    switchSubstrings(catalog.store, false);
    catalog.update();
    expect(catalog.search('größ')).toHaveLength(1);
    expect(catalog.search('索履')).toHaveLength(1);
    expect(catalog.search('ordnung')).toHaveLength(0);
  });

  it('shows the place of the match, in one line', () => {
    using folder = new CatalogFolder();
    const text = `${'before '.repeat(300)}\n\nthe NEEDLE\tstands here ${'behind '.repeat(300)}`;
    folder.write('p/a_aaaa.jsonl', [header('aaaa'), user('u1', null, text)]);
    using catalog = folder.open();
    catalog.update();
    const [hit] = catalog.search('needle');
    expect(hit?.snippet).toMatch(/^….*the NEEDLE stands here behind.*…$/);
    expect(hit!.snippet.length).toBeLessThan(220);
  });
});

describe('two catalogs on one file', () => {
  it('read the same sessions side by side and end with each text once', () => {
    using folder = new CatalogFolder();
    for (let n = 0; n < 30; n++) {
      folder.write(`p/${n}_s${n}.jsonl`, [header(`s${n}`), user(`u${n}`, null, `token number${n}`, n)]);
    }
    using one = folder.open();
    using other = folder.open();
    const [a, b] = [one.look(), other.look()];
    const [readingA, readingB] = [a.read(a.unindexed, true), b.read(b.unindexed, true)];
    for (let isDone = false; !isDone; ) {
      const [stepA, stepB] = [readingA.next(), readingB.next()];
      isDone = stepA.done === true && stepB.done === true;
    }
    expect(one.search('token')).toHaveLength(30);
    expect(other.search('number7').map(({ entryId }) => entryId)).toEqual(['u7']);
  });

  it('one that is locked by another program is stood in for', () => {
    using folder = new CatalogFolder();
    folder.write('p/a_aaaa.jsonl', [header('aaaa'), user('u1', null, 'find me')]);
    folder.open()[Symbol.dispose]();
    const holder = new DatabaseSync(join(folder.cacheDir, 'catalog.db'));
    holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE meta SET value = 1');
    {
      using catalog = folder.open();
      catalog.update();
      expect(catalog.search('find')).toHaveLength(1);
    }
    holder.exec('ROLLBACK');
    holder.close();
  });
});
