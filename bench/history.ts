import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openReadOnly } from '../src/session/history-database.ts';
import { wordHits } from '../src/session/history-query.ts';

const LIMIT = 100;
const LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8];
const WORDS_PER_LENGTH = 24;
const ROUNDS = 3;
/** What agents run for every key. */
const PLAIN = `SELECT h.id, h.prompt, h.created_at, h.cwd FROM history_fts f JOIN history h ON h.id = f.rowid
  WHERE history_fts MATCH ? ORDER BY h.created_at DESC, h.id DESC LIMIT ?`;

/** Times of one query length on one database, in milliseconds; `ratio` is product to floor at the 95th percentile. */
export interface HistoryMeasure {
  readonly database: 'agent' | 'prefix' | 'shuffled';
  readonly letters: number;
  readonly product: Percentiles;
  readonly floor: Percentiles;
  readonly ratio: number;
  /** Queries whose list of hits is the floor's, of all. */
  readonly sameLists: number;
  readonly queries: number;
}

interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

function percentiles(times: readonly number[]): Percentiles {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

function timed<T>(work: () => T): { readonly ms: number; readonly value: T } {
  const start = performance.now();
  const value = work();
  return { ms: performance.now() - start, value };
}

/** The beginnings of words that stand in prompts spread evenly over the history. */
function sampleQueries(db: DatabaseSync, letters: number, count: number): string[] {
  const total = Number(db.prepare('SELECT max(id) AS n FROM history').get()?.['n']);
  const queries = new Set<string>();
  const select = db.prepare('SELECT prompt FROM history WHERE id = ?');
  for (let i = 0; queries.size < count && i < count * 40; i++) {
    const prompt = String(select.get(1 + ((i * 7919 * letters) % total))?.['prompt']);
    const words =
      prompt
        .toLowerCase()
        .match(/[a-z]+/g)
        ?.filter((word) => word.length >= letters) ?? [];
    const word = words[i % Math.max(1, words.length)];
    if (word !== undefined) queries.add(word.slice(0, letters));
  }
  return [...queries];
}

function measureLength(db: DatabaseSync, database: HistoryMeasure['database'], letters: number): HistoryMeasure {
  const plain = db.prepare(PLAIN);
  const queries = sampleQueries(db, letters, WORDS_PER_LENGTH);
  const products: number[] = [];
  const floors: number[] = [];
  let sameLists = 0;
  for (const query of queries) {
    const product: number[] = [];
    const floor: number[] = [];
    let isSame = true;
    for (let round = 0; round < ROUNDS; round++) {
      const expected = timed(() => plain.all(`"${query}"*`, LIMIT).map((row) => row['id']));
      const found = timed(() => wordHits(db, query, LIMIT).map((hit) => hit.id));
      floor.push(expected.ms);
      product.push(found.ms);
      isSame &&= expected.value.join() === found.value.join();
    }
    floors.push(percentiles(floor).p50);
    products.push(percentiles(product).p50);
    if (isSame) sameLists++;
  }
  const [product, floor] = [percentiles(products), percentiles(floors)];
  return { database, letters, product, floor, ratio: product.p95 / floor.p95, sameLists, queries: queries.length };
}

/** The same prompts with the text index that Bough makes. */
function addPrefixIndex(path: string): void {
  const db = new DatabaseSync(path);
  db.exec(`DROP TABLE history_fts;
    CREATE VIRTUAL TABLE history_fts USING fts5(prompt, content='history', content_rowid='id', prefix='1 2 3');
    INSERT INTO history_fts(history_fts) VALUES('rebuild')`);
  db.close();
}

/** The same prompts, every seventh sent again later, as a database that keeps each text once has them. */
function repeatPrompts(path: string): void {
  const db = new DatabaseSync(path);
  db.exec(`UPDATE history SET created_at = created_at + (SELECT max(created_at) - history.created_at FROM history AS h)
    * (id % 97) / 97 WHERE id % 7 = 0`);
  db.close();
}

function makeCorpus(folder: string, full: boolean): string {
  const script = new URL('./make-corpus.mjs', import.meta.url).pathname;
  const size = full ? '1000000' : '50000';
  const shape = ['--sessions', '1', '--projects', '40', '--prompts', size, '--seed', '5'];
  execFileSync(process.execPath, [script, '--out', folder, ...shape], { stdio: 'ignore' });
  const path = join(folder, 'history.db');
  if (!existsSync(path)) {
    const db = new DatabaseSync(path);
    db.exec(readFileSync(join(folder, 'history.sql'), 'utf8'));
    db.close();
  }
  return path;
}

function print(measure: HistoryMeasure): void {
  const { database, letters, product, floor, ratio, sameLists, queries } = measure;
  const ms = ({ p50, p95 }: Percentiles) => `${p50.toFixed(2).padStart(8)} ${p95.toFixed(2).padStart(8)}`;
  console.log(
    `${database.padEnd(9)} ${letters}  ${ms(product)}  ${ms(floor)}  ${ratio.toFixed(4)}  ${sameLists}/${queries} lists equal`,
  );
}

/**
 * Prompt history, for each key: the word search beside the plain query of the agents, for beginnings of one to eight
 * letters, on a database as agents make it, on one with the prefix index, and on one whose times are out of order.
 */
export async function run({ full }: { readonly full: boolean }): Promise<readonly HistoryMeasure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bough-bench-history-'));
  const measures: HistoryMeasure[] = [];
  try {
    const agentPath = makeCorpus(folder, full);
    const prefixPath = join(folder, 'prefix.db');
    const shuffledPath = join(folder, 'shuffled.db');
    copyFileSync(agentPath, prefixPath);
    copyFileSync(agentPath, shuffledPath);
    addPrefixIndex(prefixPath);
    repeatPrompts(shuffledPath);
    console.log('database  letters  product p50, p95    plain p50, p95   ratio of p95');
    for (const [database, path] of [
      ['agent', agentPath],
      ['prefix', prefixPath],
      ['shuffled', shuffledPath],
    ] as const) {
      const db = openReadOnly(path);
      for (const letters of LENGTHS) {
        const measure = measureLength(db, database, letters);
        measures.push(measure);
        print(measure);
      }
      db.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return measures;
}
