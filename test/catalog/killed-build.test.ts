import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CatalogFolder, type Manifest } from './catalog-folder.ts';

/** Set it to 50 for the long run. */
const KILLS = Number(process.env['BOUGH_TEST_KILLS'] ?? 4);
const CHILD = fileURLToPath(new URL('./build-child.ts', import.meta.url));

/** Builds in another process and kills it `afterMs` after it began; gives how long it took when it was done before. */
function build(folder: CatalogFolder, afterMs: number): Promise<number | undefined> {
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
      else resolve(output.includes('done') ? performance.now() - begunMs : undefined);
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

it(`a first build that is killed ${KILLS} times ends with the same answers`, { timeout: 300_000 }, async () => {
  using folder = new CatalogFolder();
  const manifest = folder.generate('--sessions', '50', '--projects', '5', '--mean-kb', '60', '--malformed', '0.1');
  const wholeMs = (await build(folder, Number.POSITIVE_INFINITY)) ?? 0;
  const expected = answersOf(folder, manifest);
  let landed = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    rmSync(folder.cacheDir, { recursive: true, force: true });
    // Killed at one moment of the build, and once more at another of what was left.
    const firstMs = (wholeMs * (kill + 0.5)) / KILLS;
    if ((await build(folder, firstMs)) === undefined) landed++;
    if ((await build(folder, wholeMs * 0.3)) === undefined) landed++;
    await build(folder, Number.POSITIVE_INFINITY);
    expect(answersOf(folder, manifest)).toEqual(expected);
  }
  expect(landed).toBeGreaterThan(0);
});
