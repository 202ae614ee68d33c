import { activePathOf } from '../catalog/active-path.ts';
import { parseContentQuery } from '../catalog/content-query.ts';
import { type ContentHit, searchTexts } from '../catalog/content-search.ts';
import { searchOutputs } from '../catalog/output-search.ts';
import { Refresh } from '../catalog/refresh.ts';
import type { CatalogStore } from '../catalog/store.ts';
import { sessionsIn } from '../catalog/text-search-service.ts';
import { age } from '../model/age.ts';
import { neutraliseLine } from '../model/neutralise.ts';
import { rankHits } from '../model/rank-hits.ts';
import { fit, fitEnd } from '../model/text.ts';
import { print, tell, toJson } from '../output.ts';
import { indexAll, openSidecar, rootsOf } from './catalog-work.ts';
import type { Place } from './place.ts';

export interface SearchOptions {
  readonly toolOutput: boolean;
  /** Wait until everything can be found? */
  readonly wait: boolean;
  readonly limit: number | undefined;
  readonly json: boolean;
}

const DEFAULT_LIMIT = 200;
/** Hits are counted so far; beyond, their number is not known. */
const MAX_COUNTED = 2_000;

interface Found {
  readonly hits: readonly ContentHit[];
  /** null: more than were counted. */
  readonly total: number | null;
}

function collect(steps: Iterable<readonly ContentHit[]>, most: number): { hits: ContentHit[]; isWhole: boolean } {
  const hits: ContentHit[] = [];
  for (const found of steps) {
    hits.push(...found);
    if (hits.length > most) return { hits, isWhole: false };
  }
  return { hits, isWhole: true };
}

function find(store: CatalogStore, text: string, place: Place, options: SearchOptions): Found {
  const query = parseContentQuery(text);
  const roots = rootsOf(place);
  const most = Math.max(options.limit ?? DEFAULT_LIMIT, MAX_COUNTED);
  const texts = collect(searchTexts(store, query, new Set(roots)), most);
  const outputs = options.toolOutput
    ? collect(searchOutputs(sessionsIn(store, roots), query), most)
    : { hits: [], isWhole: true };
  const all = [...texts.hits, ...outputs.hits];
  // However many are asked for, the first are the same.
  const counted = (hits: readonly ContentHit[]): readonly ContentHit[] => hits.slice(0, MAX_COUNTED);
  const behind = (hits: readonly ContentHit[]): readonly ContentHit[] => hits.slice(MAX_COUNTED);
  const ordered = [
    ...rankHits([...counted(texts.hits), ...counted(outputs.hits)]),
    ...behind(texts.hits),
    ...behind(outputs.hits),
  ];
  return {
    hits: ordered.slice(0, options.limit ?? DEFAULT_LIMIT),
    total: texts.isWhole && outputs.isWhole ? all.length : null,
  };
}

/** The public shape of a hit in `search --json` (product page, "Commands"); null where something is not known. */
function hitsJson(hits: readonly ContentHit[]): Readonly<Record<string, unknown>>[] {
  const paths = new Map<string, ReadonlySet<string> | undefined>();
  return hits.map(({ path, id, entryId, role, snippet, timeMs }) => {
    if (!paths.has(path)) paths.set(path, activePathOf(path));
    const isOnPath = entryId === null ? null : (paths.get(path)?.has(entryId) ?? null);
    return { path, id, entryId, role, snippet, timestamp: timeMs, onActivePath: isOnPath };
  });
}

function tableOf(hits: readonly ContentHit[], nowMs: number): string {
  return hits
    .map(({ id, entryId, role, snippet, timeMs }) => {
      const when = timeMs === null ? '' : age(timeMs, nowMs);
      const where = `${neutraliseLine(id ?? '-')} ${fit(neutraliseLine(entryId ?? '(title)'), 9)}`;
      return `${fitEnd(when, 4)}  ${where}  ${fit(neutraliseLine(role), 14)}  ${neutraliseLine(snippet)}`;
    })
    .join('\n');
}

/** `bough search`: every text of every branch that holds all words, ranked among the newest. */
export async function runSearch(place: Place, text: string, options: SearchOptions): Promise<void> {
  using sidecar = openSidecar(place);
  const { hits, total } = await sidecar.run(async (store) => {
    if (options.wait) await indexAll(store, place);
    else tellWhatIsMissing(store, place);
    tellWhatIsLeftOut(store, place);
    return find(store, text, place, options);
  });
  if (options.json) {
    await print(toJson({ version: 1, total, hits: hitsJson(hits) }));
    return;
  }
  if (hits.length > 0) await print(tableOf(hits, place.nowMs));
  if (total === 0) tell(`nothing holds ${JSON.stringify(neutraliseLine(text))}`);
  else if (total === null) tell(`the newest ${hits.length} of more than ${MAX_COUNTED} hits`);
  else if (hits.length < total) tell(`${hits.length} of ${total} hits`);
}

function tellWhatIsMissing(store: CatalogStore, place: Place): void {
  const refresh = new Refresh(store, place.roots, (problem) => tell(problem.message));
  const missing = refresh.unindexed.length;
  if (missing > 0) tell(`partial: ${missing} of ${refresh.files.length} sessions are not indexed yet`);
}

/** What the user's settings keep out of every answer. */
function tellWhatIsLeftOut(store: CatalogStore, { roots, settings: { keeping } }: Place): void {
  const folders = (keeping?.leaveOut.length ?? 0) + (keeping?.metadataOnly.length ?? 0);
  if (folders === 0) return;
  const sessions = new Refresh(store, roots, () => undefined).unsearched.length;
  const [ofFolders, ofSessions] = [
    folders === 1 ? '1 folder' : `${folders} folders`,
    `${sessions} session${sessions === 1 ? '' : 's'}`,
  ];
  if (sessions > 0) tell(`not searched, as set: ${ofFolders} with ${ofSessions}`);
}
