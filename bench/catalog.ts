import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type AgentRoot, findAgentRoots } from '../src/agents/agents.ts';
import { parseContentQuery } from '../src/catalog/content-query.ts';
import { searchTexts } from '../src/catalog/content-search.ts';
import { glanceAtRow } from '../src/catalog/read-row.ts';
import { Refresh } from '../src/catalog/refresh.ts';
import { findSessionFiles } from '../src/catalog/session-files.ts';
import { CatalogStore } from '../src/catalog/store.ts';
import { catalogPath, openStoreFile } from '../src/catalog/store-file.ts';
import { buildSubstringIndex } from '../src/catalog/substring-index.ts';
import { indexedText } from '../src/session/indexed-text.ts';
import { SessionFile } from '../src/session/scan.ts';
import { corpus } from './corpus.ts';
import { compare, type Measurement, median, p95, print, timed } from './measure.ts';

const FIRST_ROWS = 60;
const HITS = 50;
const HEAD_BYTES = 4096;
const RIPGREP = 'rg';

/** How large the index is beside the text that it is of. */
interface Size {
  readonly what: string;
  readonly ratio: number;
  readonly target: number;
}

class Bench {
  readonly agentDir: string;
  readonly roots: readonly AgentRoot[];
  readonly folder = mkdtempSync(path.join(tmpdir(), 'bough-bench-catalog-'));
  readonly rows: (Measurement | Size)[] = [];
  readonly rounds: number;

  constructor(agentDir: string, rounds: number) {
    this.agentDir = agentDir;
    this.roots = findAgentRoots([agentDir]);
    this.rounds = rounds;
  }

  get sessionFolders(): readonly string[] {
    return this.roots.map(({ folders }) => folders.sessionsDir);
  }

  get paths(): readonly string[] {
    return findSessionFiles(this.roots, () => undefined).map((file) => file.path);
  }

  open(name: string): CatalogStore {
    return new CatalogStore(openStoreFile(path.join(this.folder, name)));
  }

  look(store: CatalogStore): Refresh {
    return new Refresh(store, this.roots, () => undefined);
  }

  add(measurement: Measurement): void {
    this.rows.push(measurement);
    print(measurement);
  }

  addSize(size: Size): void {
    this.rows.push(size);
    const verdict = size.ratio <= size.target ? '' : '  MISSED';
    process.stdout.write(
      `${size.what.padEnd(44)} ${size.ratio.toFixed(2)}× the text  target ${size.target}${verdict}\n`,
    );
  }
}

function statAll(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) statAll(file);
    else statSync(file);
  }
}

function parseAll(paths: readonly string[]): void {
  for (const file of paths) {
    const bytes = readFileSync(file);
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      try {
        JSON.parse(bytes.toString('utf8', start, end));
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
      start = end + 1;
    }
  }
}

function readEnds(paths: readonly string[]): void {
  for (const file of paths) {
    using session = new SessionFile(file);
    session.read(0, HEAD_BYTES);
    session.read(Math.max(0, session.stamp.sizeBytes - HEAD_BYTES), HEAD_BYTES);
  }
}

function indexedBytes(paths: readonly string[]): number {
  let sum = 0;
  for (const file of paths) {
    using session = new SessionFile(file);
    for (const record of session.records('full')) {
      const found = record.kind === 'entry' && record.entry !== undefined ? indexedText(record.entry) : undefined;
      if (found !== undefined) sum += Buffer.byteLength(found.text);
    }
  }
  return sum;
}

async function measureReading(bench: Bench): Promise<void> {
  const { paths, rounds } = bench;
  const cold = (): Promise<number> =>
    timed(() => {
      for (const file of findSessionFiles(bench.roots, () => undefined)) glanceAtRow(file);
    });
  const ends = (): Promise<number> => timed(() => readEnds(paths));
  bench.add(
    await compare('cold rows of all, head and tail', cold, '4 KB + 4 KB of each file', ends, { rounds, target: 3 }),
  );
  let build = 0;
  const texts = (): Promise<number> => {
    using store = bench.open(`build${build++}`);
    const refresh = bench.look(store);
    return timed(() => {
      for (const _ of refresh.read(refresh.unindexed, true));
    });
  };
  bench.add(
    await compare('full-text build, words', texts, 'JSON.parse of every line', () => timed(() => parseAll(paths)), {
      rounds: Math.min(rounds, 3),
      target: 0.7,
    }),
  );
}

async function measureSizes(bench: Bench, store: CatalogStore): Promise<void> {
  const refresh = bench.look(store);
  for (const _ of refresh.read(refresh.unindexed, true));
  const bytes = indexedBytes(bench.paths);
  const size = (): number => {
    store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return statSync(catalogPath(path.join(bench.folder, 'kept'))).size;
  };
  bench.addSize({ what: 'catalog with words', ratio: size() / bytes, target: 1.3 });
  for (const _ of buildSubstringIndex(store));
  bench.addSize({ what: 'catalog with words and parts of words', ratio: size() / bytes, target: 4.5 });
}

async function measureWarm(bench: Bench, store: CatalogStore): Promise<void> {
  const { rounds } = bench;
  const [folder = ''] = bench.sessionFolders;
  const first = (): Promise<number> => timed(() => store.rows(bench.sessionFolders, FIRST_ROWS).next());
  using empty = bench.open('empty');
  const none = (): Promise<number> => timed(() => empty.rows(bench.sessionFolders, FIRST_ROWS).next());
  bench.add(
    await compare('first 60 rows, warm (beside none)', first, 'the same on an empty catalog', none, { rounds }),
  );
  const refresh = (): Promise<number> => timed(() => bench.look(store).stale);
  const stats = (): Promise<number> => timed(() => statAll(folder));
  bench.add(
    await compare('warm refresh: find changes', refresh, 'readdir and stat of all', stats, { rounds, target: 2 }),
  );
}

function ripgrep(word: string, folder: string): number | undefined {
  const start = performance.now();
  try {
    execFileSync(RIPGREP, ['-l', '-i', '-F', word, folder], { stdio: 'ignore' });
  } catch (error) {
    // Without a hit it ends with 1; without the program there is nothing to compare with.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  }
  return performance.now() - start;
}

function scan(word: string, paths: readonly string[]): number {
  const start = performance.now();
  const bytes = Buffer.from(word);
  for (const file of paths) readFileSync(file).includes(bytes);
  return performance.now() - start;
}

function firstHits(store: CatalogStore, text: string, folders: readonly string[]): void {
  let found = 0;
  for (const hits of searchTexts(store, parseContentQuery(text), new Set(folders))) {
    found += hits.length;
    if (found >= HITS) return;
  }
}

async function measureSearch(bench: Bench, store: CatalogStore): Promise<void> {
  const words = ['configuration', 'deadlock', 'merge', 'qvspreadten', 'telemetry', 'workspace', 'snapshot', '检索速度'];
  const { paths, sessionFolders } = bench;
  const floorMs = median(words.map((word) => ripgrep(word, bench.agentDir) ?? scan(word, paths)));
  const floor = ripgrep('x', bench.agentDir) === undefined ? 'Buffer.includes in every file' : 'rg -l of the word';
  for (let letters = 1; letters <= 8; letters++) {
    const times: number[] = [];
    for (const word of words) {
      const text = [...word].slice(0, letters).join('');
      firstHits(store, text, sessionFolders);
      times.push(await timed(() => firstHits(store, text, sessionFolders)));
    }
    bench.add({
      what: `full-text per key, ${letters} letters, p95`,
      productMs: p95(times),
      floor,
      floorMs,
      target: 0.02,
    });
  }
}

/** The catalog: cold and warm rows, the text index, its size, and a search for each key. */
export async function run({ full }: { readonly full: boolean }): Promise<readonly (Measurement | Size)[]> {
  const agentDir = full
    ? corpus('--sessions', '10000', '--projects', '150', '--mean-kb', '200', '--seed', '3')
    : corpus('--sessions', '300', '--projects', '20', '--mean-kb', '200', '--seed', '7');
  const bench = new Bench(agentDir, full ? 3 : 5);
  try {
    await measureReading(bench);
    using store = bench.open('kept');
    await measureSizes(bench, store);
    await measureWarm(bench, store);
    await measureSearch(bench, store);
  } finally {
    rmSync(bench.folder, { recursive: true, force: true });
  }
  return bench.rows;
}
