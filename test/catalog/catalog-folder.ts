import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findAgentRoots } from '../../src/agents/agents.ts';
import { parseContentQuery } from '../../src/catalog/content-query.ts';
import { type ContentHit, searchTexts } from '../../src/catalog/content-search.ts';
import { searchOutputs } from '../../src/catalog/output-search.ts';
import { Refresh } from '../../src/catalog/refresh.ts';
import type { SessionRow } from '../../src/catalog/session-row.ts';
import { CatalogStore } from '../../src/catalog/store.ts';
import { openStoreFile } from '../../src/catalog/store-file.ts';
import { buildSubstringIndex } from '../../src/catalog/substring-index.ts';
import { sessionsIn } from '../../src/catalog/text-search-service.ts';

const GENERATOR = fileURLToPath(new URL('../../bench/make-corpus.mjs', import.meta.url));

/** What the generator hid, and where. */
export interface Manifest {
  readonly needles: readonly {
    readonly token: string;
    readonly place: string;
    readonly file: string;
    readonly sessionId: string;
    readonly entryId: string;
  }[];
  readonly spread: readonly { readonly token: string; readonly sessions: number }[];
}

/** An agent folder with a catalog beside it; removed on disposal. */
export class CatalogFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'bough-catalog-'));
  readonly agentDir = join(this.path, 'agent');
  readonly cacheDir = join(this.path, 'cache');

  constructor() {
    mkdirSync(join(this.agentDir, 'sessions'), { recursive: true });
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  /** Fills the agent folder with synthetic sessions. */
  generate(...args: readonly string[]): Manifest {
    execFileSync(process.execPath, [GENERATOR, '--out', this.agentDir, ...args], { stdio: 'ignore' });
    return JSON.parse(readFileSync(join(this.agentDir, 'manifest.json'), 'utf8')) as Manifest;
  }

  /** Writes `sessions/<name>`: values as JSON lines, or a text as it is. Gives its path. */
  write(name: string, content: string | readonly object[]): string {
    const path = join(this.agentDir, 'sessions', name);
    mkdirSync(dirname(path), { recursive: true });
    const text = typeof content === 'string' ? content : content.map((value) => `${JSON.stringify(value)}\n`).join('');
    writeFileSync(path, text);
    return path;
  }

  open(): OpenCatalog {
    return new OpenCatalog(this);
  }
}

/** The catalog of a folder, opened as another process would. */
export class OpenCatalog implements Disposable {
  readonly store: CatalogStore;
  readonly #roots;

  constructor({ agentDir, cacheDir }: CatalogFolder) {
    this.#roots = findAgentRoots([agentDir]);
    this.store = new CatalogStore(openStoreFile(cacheDir));
  }

  [Symbol.dispose](): void {
    this.store[Symbol.dispose]();
  }

  look(): Refresh {
    return new Refresh(this.store, this.#roots, (problem) => {
      throw problem;
    });
  }

  /** Brings the catalog up to date. Gives the paths of the files that were read for their texts. */
  update({ substrings = true, texts = true } = {}): readonly string[] {
    const refresh = this.look();
    refresh.settle();
    const files = texts ? refresh.unindexed : refresh.stale;
    for (const _ of refresh.read(files, texts));
    if (substrings) for (const _ of buildSubstringIndex(this.store));
    return files.map(({ path }) => path);
  }

  rows(): readonly SessionRow[] {
    return [...this.store.rows(this.#folders, 100)].flat();
  }

  get #folders(): readonly string[] {
    return this.#roots.map(({ folders }) => folders.sessionsDir);
  }

  search(text: string, within?: readonly string[]): readonly ContentHit[] {
    return [...searchTexts(this.store, parseContentQuery(text), new Set(this.#folders), within)].flat();
  }

  searchOutput(text: string): readonly ContentHit[] {
    return [...searchOutputs(sessionsIn(this.store, this.#folders), parseContentQuery(text))].flat();
  }
}
