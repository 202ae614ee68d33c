import { statSync } from 'node:fs';
import { isSubstringIndexWhole } from '../catalog/candidates.ts';
import { Refresh } from '../catalog/refresh.ts';
import type { CatalogStore } from '../catalog/store.ts';
import { catalogPath } from '../catalog/store-file.ts';
import { switchSubstrings, wantsSubstrings } from '../catalog/substring-index.ts';
import { print, tell, toJson } from '../output.ts';
import { getOwnFolders } from '../own-folders.ts';
import { indexAll, openSidecar } from './catalog-work.ts';
import type { Place } from './place.ts';

export interface IndexOptions {
  readonly rebuild: boolean;
  readonly status: boolean;
  /** Switches the index of parts of words. */
  readonly substrings: 'on' | 'off' | undefined;
  readonly json: boolean;
}

interface Status {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sessions: number;
  readonly indexedSessions: number;
  /** By the user's settings: nothing kept; only what a list shows. */
  readonly leftOutSessions: number;
  readonly metadataOnlySessions: number;
  readonly totalBytes: number;
  readonly indexedBytes: number;
  readonly substrings: 'ready' | 'incomplete' | 'off';
}

function statusOf(store: CatalogStore, place: Place): Status {
  const refresh = new Refresh(store, place.roots, (problem) => tell(problem.message));
  const [unsearched, leftOut] = [refresh.unsearched.length, refresh.leftOut.length];
  const path = catalogPath(getOwnFolders(place.env).cacheDir);
  const { doneBytes, totalBytes } = refresh.progress;
  const sizes = ['', '-wal'].map((suffix) => statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0);
  return {
    path,
    sizeBytes: sizes.reduce((a, b) => a + b),
    sessions: refresh.files.length,
    indexedSessions: refresh.files.length - refresh.unindexed.length - unsearched,
    leftOutSessions: leftOut,
    metadataOnlySessions: unsearched - leftOut,
    totalBytes,
    indexedBytes: doneBytes,
    substrings: !wantsSubstrings(store) ? 'off' : isSubstringIndexWhole(store) ? 'ready' : 'incomplete',
  };
}

function statusText(status: Status): string {
  const { path, sizeBytes, sessions, indexedSessions, totalBytes, indexedBytes, substrings } = status;
  const { leftOutSessions, metadataOnlySessions } = status;
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  return [
    `catalog       ${path} (${mb(sizeBytes)})`,
    `sessions      ${indexedSessions} of ${sessions} indexed`,
    `bytes         ${mb(indexedBytes)} of ${mb(totalBytes)}`,
    `parts of words  ${substrings}`,
    ...(leftOutSessions + metadataOnlySessions === 0
      ? []
      : [`as set        ${leftOutSessions} sessions left out, ${metadataOnlySessions} without their texts`]),
  ].join('\n');
}

/** `bough index`: brings the catalog up to date, or says how it stands, or begins it anew. */
export async function runIndex(place: Place, options: IndexOptions): Promise<void> {
  using sidecar = openSidecar(place);
  if (options.rebuild) sidecar.rebuild();
  const status = await sidecar.run(async (store) => {
    if (options.substrings !== undefined) switchSubstrings(store, options.substrings === 'on');
    if (!options.status) await indexAll(store, place);
    return statusOf(store, place);
  });
  await print(options.json ? toJson({ version: 1, ...status }) : statusText(status));
}
