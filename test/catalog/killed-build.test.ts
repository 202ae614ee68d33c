import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CatalogFolder, type Manifest } from './catalog-folder.ts';

/** Set it to 50 for the long run. */
const KILLS = Number(process.env['BOUGH_TEST_KILLS'] ?? 4);
const SEED = Number(process.env['BOUGH_TEST_SEED'] ?? 1);
const CHILD = fileURLToPath(new URL('./build-child.ts', import.meta.url));

interface Built {
  /** What it was busy with when it was killed; undefined when it was done before. */
  readonly killedIn: string | undefined;
  readonly tookMs: number;
}

/** Builds in another process and kills it `afterMs` after it began. */
function build(folder: CatalogFolder, afterMs: number): Promise<Built> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--no-warnings', CHILD, folder.agentDir, folder.cacheDir]);
    let [output, begunMs] = ['', 0];
    let timer: NodeJS.Timeout | undefined;
    let errors = '';
    child.stderr.on('data', (data) => {
      errors += data;
    });
    child.stdout.on('data', (data) => {
      output += data;
      if (begunMs > 0 || !output.includes('begun')) return;
      begunMs = performance.now();
      if (Number.isFinite(afterMs)) timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
    });
    child.on('exit', () => {
      clearTimeout(timer);
      if (errors !== '') reject(new Error(errors));
      else {
        const last = output.trimEnd().split('\n').at(-1) ?? '';
        resolve({ killedIn: last === 'done' ? undefined : last, tookMs: performance.now() - begunMs });
      }
    });
  });
}

/** Everything that the catalog can tell, in an order of its own. */
function answersOf(folder: CatalogFolder, manifest: Manifest): unknown {
  using catalog = folder.open();
  const { db } = catalog.store;
  db.exec("INSERT INTO words(words) VALUES('integrity-check')");
  db.exec("INSERT INTO trigrams(trigrams) VALUES('integrity-check')");
  const docs = db
    .prepare(
      'SELECT f.path, d.offset, d.length, d.line, d.entry, d.role, d.time FROM docs d JOIN files f ON f.id = d.file',
    )
    .all();
  const texts = ['the', 'config', 'err', ...manifest.needles.map(({ token }) => token)];
  return {
    pending: catalog.look().unindexed.length,
    rows: catalog.rows(),
    docs: docs.map((columns) => JSON.stringify(columns)).sort(),
    hits: texts.map((text) =>
      catalog
        .search(text)
        .map(({ path, entryId }) => `${path} ${entryId}`)
        .sort(),
    ),
  };
}

/** A session of which the texts are kept in several pieces. */
function addLong(folder: CatalogFolder): void {
  const at = '2026-01-01T00:00:00.000Z';
  const entries = Array.from({ length: 64 }, (_, n) => {
    const text = `turn ${n} of many: ${'what was said about the weather, the tides and the boats '.repeat(1_000)}`;
    const message = { role: 'assistant', content: [{ type: 'text', text }] };
    return { type: 'message', id: `e${n}`, parentId: n === 0 ? null : `e${n - 1}`, timestamp: at, message };
  });
  folder.write('--long--/long.jsonl', [
    { type: 'session', version: 3, id: 'long', timestamp: at, cwd: '/w' },
    ...entries,
  ]);
}

/** Numbers between 0 and 1 from a seed. */
function* randomNumbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

it(`a first build that is killed ${KILLS} times ends with the same answers`, { timeout: 600_000 }, async () => {
  using folder = new CatalogFolder();
  const manifest = folder.generate('--sessions', '60', '--projects', '5', '--mean-kb', '60', '--malformed', '0.1');
  addLong(folder);
  const tooks: number[] = [];
  for (let round = 0; round < 2; round++) {
    rmSync(folder.cacheDir, { recursive: true, force: true });
    tooks.push((await build(folder, Number.POSITIVE_INFINITY)).tookMs);
  }
  // The shorter: a moment behind the end kills nothing.
  const wholeMs = Math.min(...tooks);
  const expected = answersOf(folder, manifest);
  const random = randomNumbers(SEED);
  const landed: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    rmSync(folder.cacheDir, { recursive: true, force: true });
    // Killed at one moment of the build, and once more at another of what was left.
    const firstMs = (wholeMs * (kill + random.next().value)) / KILLS;
    for (const afterMs of [firstMs, wholeMs * random.next().value * 0.6]) {
      const { killedIn } = await build(folder, afterMs);
      if (killedIn !== undefined) landed.push(killedIn);
    }
    await build(folder, Number.POSITIVE_INFINITY);
    expect(answersOf(folder, manifest)).toEqual(expected);
  }
  const places = Map.groupBy(landed, (place) => place);
  if (KILLS >= 25) for (const [place, { length }] of places) console.log(`${length} kills: ${place}`);
  expect(landed.some((place) => place.startsWith('words'))).toBe(true);
  expect(landed.some((place) => place.startsWith('substrings'))).toBe(true);
});
