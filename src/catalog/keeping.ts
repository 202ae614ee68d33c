import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { SessionError } from '../errors.ts';
import { isInsideOrSame, pathAndRealPath } from '../session/paths.ts';
import { SessionFile } from '../session/scan.ts';
import type { FoundFile } from './session-files.ts';

/** Project folders, absolute, whose sessions the catalog holds in part or not at all; each stands for all below it. */
export interface KeepingRules {
  readonly leaveOut: readonly string[];
  readonly metadataOnly: readonly string[];
}

export const keepEverything: KeepingRules = { leaveOut: [], metadataOnly: [] };

/** What the catalog may hold of a session: row and texts, the row alone, nothing. */
export type Kept = 'all' | 'metadata' | 'nothing';

const STRICTNESS: Readonly<Record<Kept, number>> = { all: 0, metadata: 1, nothing: 2 };

function stricter(a: Kept, b: Kept): Kept {
  return STRICTNESS[a] >= STRICTNESS[b] ? a : b;
}

function isBelow(folders: readonly string[], paths: readonly string[]): boolean {
  return folders.some((folder) => paths.some((path) => isInsideOrSame(relative(folder, path))));
}

/** The project folder that a session file's header names; null when there is no telling. */
function cwdIn(path: string): string | null {
  try {
    using file = new SessionFile(path);
    for (const record of file.records('full')) {
      if (record.kind === 'header') return typeof record.header.cwd === 'string' ? record.header.cwd : null;
      if (record.kind === 'entry') return null;
    }
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
  }
  return null;
}

/** Decides what the catalog may hold of which session, by the folder that the session's own header names. */
export class Keeping {
  /** Tells these rules from others; '' when everything is kept. */
  readonly key: string;
  readonly #leaveOut: readonly string[];
  readonly #metadataOnly: readonly string[];
  readonly #byFolder = new Map<string, Kept>();
  readonly #byPath = new Map<string, { readonly stamp: string; readonly kept: Kept }>();

  constructor(rules: KeepingRules = keepEverything) {
    const bothNames = (folders: readonly string[]): string[] => [...new Set(folders.flatMap(pathAndRealPath))].sort();
    this.#leaveOut = bothNames(rules.leaveOut);
    this.#metadataOnly = bothNames(rules.metadataOnly);
    const isAll = this.#leaveOut.length + this.#metadataOnly.length === 0;
    const names = JSON.stringify([this.#leaveOut, this.#metadataOnly]);
    // The folders' names are not the catalog's either.
    this.key = isAll ? '' : createHash('sha256').update(names).digest('base64');
  }

  /** Of sessions of a folder. Where the folder is not known it may be any: then the strictest rule there is holds. */
  #ofFolder(cwd: string | null): Kept {
    if (cwd === null || cwd === '') {
      if (this.#leaveOut.length > 0) return 'nothing';
      return this.#metadataOnly.length > 0 ? 'metadata' : 'all';
    }
    const known = this.#byFolder.get(cwd);
    if (known !== undefined) return known;
    const paths = pathAndRealPath(cwd);
    const kept = isBelow(this.#leaveOut, paths) ? 'nothing' : isBelow(this.#metadataOnly, paths) ? 'metadata' : 'all';
    this.#byFolder.set(cwd, kept);
    return kept;
  }

  /** Of a session that is known already. What a sub-agent did belongs to the session that it worked for as well. */
  ofSession(path: string, cwd: string | null, isSubAgent: boolean): Kept {
    if (this.key === '') return 'all';
    let kept = this.#ofFolder(cwd);
    let folder = dirname(path);
    while (isSubAgent && kept !== 'nothing' && dirname(folder) !== folder) {
      const parent = `${folder}.jsonl`;
      if (existsSync(parent)) kept = stricter(kept, this.#ofFolder(cwdIn(parent)));
      folder = dirname(folder);
    }
    return kept;
  }

  /** Of a file as it is now: looks at its beginning, once for each of its states. */
  ofFile({ path, isSubAgent, sizeBytes, mtimeMs, inode }: FoundFile): Kept {
    if (this.key === '') return 'all';
    const stamp = `${sizeBytes} ${mtimeMs} ${inode}`;
    const known = this.#byPath.get(path);
    if (known?.stamp === stamp) return known.kept;
    const kept = this.ofSession(path, cwdIn(path), isSubAgent);
    this.#byPath.set(path, { stamp, kept });
    return kept;
  }
}

/** What happens to files of which the catalog holds nothing, from one look to the next. */
export class LeftOutFiles {
  #known = new Map<string, FoundFile>();

  /** Those that are new or changed since the last look, and the paths of those that are gone. */
  look(files: readonly FoundFile[]): { readonly changed: readonly FoundFile[]; readonly gone: readonly string[] } {
    const before = this.#known;
    this.#known = new Map(files.map((file) => [file.path, file]));
    const changed = files.filter(({ path, mtimeMs, sizeBytes, inode }) => {
      const known = before.get(path);
      return known?.mtimeMs !== mtimeMs || known.sizeBytes !== sizeBytes || known.inode !== inode;
    });
    const gone = [...before.keys()].filter((path) => !this.#known.has(path) && !existsSync(path));
    return { changed, gone };
  }
}
