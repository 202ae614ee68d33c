import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { branchAt } from '../../src/actions/branch.ts';
import { Journal } from '../../src/actions/journal.ts';
import { setLabel } from '../../src/actions/label.ts';
import { undoLast } from '../../src/actions/undo.ts';
import { buildSessionContext, pathToRoot } from '../../src/session/context.ts';
import type { SessionEntry } from '../../src/session/entries.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import { stateOf } from '../actions/place.ts';
import { makeTempDir } from '../session/temp-dir.ts';

const generator = fileURLToPath(new URL('../../bench/make-corpus.mjs', import.meta.url));

/** Sessions as agents write them, some of them damaged; gives their paths. */
function makeCorpus(dir: string, sessions: number, seed: number): string[] {
  const size = ['--sessions', `${sessions}`, '--mean-kb', '60', '--median-kb', '30', '--malformed', '0.2'];
  execFileSync(process.execPath, [generator, '--out', dir, '--seed', `${seed}`, ...size], { stdio: 'ignore' });
  const root = join(dir, 'sessions');
  const names = fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  return names.sort().map((name) => join(root, name));
}

async function withEngine<T>(path: string, use: (session: SessionManager) => T): Promise<T> {
  const session = await SessionManager.open(path, undefined, undefined, { breadcrumb: false, mustBeSession: true });
  try {
    return use(session);
  } finally {
    await session.close();
  }
}

/** The entries of a session that the engine knows, looked at in a copy, since opening brings older versions up to date. */
async function entriesOf(path: string, scratch: string): Promise<SessionEntry[]> {
  fs.copyFileSync(path, scratch);
  try {
    return await withEngine(scratch, (session) => session.getEntries());
  } catch (error) {
    if ((error as { code?: unknown }).code === 'not_a_session') return [];
    throw error;
  }
}

function isSentByUser(entry: SessionEntry): boolean {
  return entry.type === 'custom_message' || (entry.type === 'message' && entry.message.role === 'user');
}

/** Where a session goes on when an entry is chosen, by the rule of the agents; null: from nothing. */
function wantedBy(entry: SessionEntry, byId: ReadonlyMap<string, SessionEntry>): SessionEntry | undefined {
  if (!isSentByUser(entry)) return entry;
  return entry.parentId === null ? undefined : byId.get(entry.parentId);
}

const withoutTrail = (path: readonly SessionEntry[]): string[] => {
  const last = path.findLastIndex(({ type, ...own }) => {
    return type !== 'label' && !(type === 'branch_summary' && (own as { summary?: unknown }).summary === '');
  });
  return path.slice(0, last + 1).map(({ id }) => id);
};

/** Chooses entries by numbers; gives what was tried, each with the session's entries of that moment. */
async function* choices(paths: readonly string[], dir: string, count: number, seed: number) {
  const picks = fc.sample(fc.tuple(fc.nat(), fc.nat()), { numRuns: count, seed });
  for (const [file, place] of picks) {
    const path = paths[file % paths.length]!;
    const entries = await entriesOf(path, join(dir, 'scratch.jsonl'));
    const entry = entries[place % Math.max(1, entries.length)];
    if (entry !== undefined) yield { path, entries, entry, byId: new Map(entries.map((each) => [each.id, each])) };
  }
}

const seed = Math.floor(Math.random() * 2 ** 31);

test(`a session branched at any entry goes on there when it is opened again (seed ${seed})`, async () => {
  const dir = makeTempDir();
  const options = { journal: new Journal(join(dir, 'state')) };
  let appended = 0;
  const tries = choices(makeCorpus(dir, 80, seed), dir, 2_000, seed);
  for await (const { path, entries, entry, byId } of tries) {
    const before = stateOf(path);
    const outcome = await branchAt({ path, agent: 'xcsh' }, entry.id, { isNew: false }, options).catch(
      (error) => error,
    );
    if (outcome instanceof Error) {
      expect(outcome).toMatchObject({ code: 'refused' });
      expect(stateOf(path)).toEqual(before);
      continue;
    }
    if (outcome.kind === 'already') expect(stateOf(path)).toEqual(before);
    else expect(stateOf(path)[0].startsWith(before[0])).toBe(true);
    const wanted = wantedBy(entry, byId);
    await withEngine(path, (session) => {
      expect(session.getLeafId()).toBe(outcome.leafId);
      const ids = session.getBranch().map(({ id }) => id);
      const expected = pathToRoot(wanted, byId).map(({ id }) => id);
      if (outcome.kind === 'appended') expect(ids).toEqual([...expected, outcome.leafId]);
      else expect(withoutTrail(session.getBranch())).toEqual(withoutTrail(pathToRoot(wanted, byId)));
      const context =
        wanted === undefined ? buildSessionContext([], null) : buildSessionContext(entries, wanted.id, byId);
      expect(session.buildSessionContext()).toEqual(context);
    });
    if (outcome.kind === 'appended' && ++appended === 1_000) break;
  }
  expect(appended).toBe(1_000);
}, 300_000);

test(`a new file has the same messages and labels, and its source stays as it was (seed ${seed})`, async () => {
  const dir = makeTempDir();
  const options = { journal: new Journal(join(dir, 'state')) };
  let created = 0;
  for await (const { path, entry, byId } of choices(makeCorpus(dir, 40, seed), dir, 150, seed)) {
    const before = stateOf(path);
    const target = { path, agent: 'xcsh' } as const;
    const outcome = await branchAt(target, entry.id, { isNew: true }, options).catch((error) => error);
    expect(stateOf(path)).toEqual(before);
    if (outcome instanceof Error) {
      expect(outcome).toMatchObject({ code: 'refused' });
      continue;
    }
    created++;
    const source = await withEngine(path, (session) => {
      const kept = pathToRoot(wantedBy(entry, byId), byId).filter(({ type }) => type !== 'label');
      return { kept, labels: kept.map(({ id }) => session.getLabel(id)), title: session.getSessionName() };
    });
    await withEngine(outcome.path, (session) => {
      const copied = session.getBranch().filter(({ type }) => type !== 'label');
      const bare = (list: readonly SessionEntry[]): unknown[] => list.map(({ parentId: _, ...own }) => own);
      expect(bare(copied)).toEqual(bare(source.kept));
      expect(copied.map(({ id }) => session.getLabel(id))).toEqual(source.labels);
      expect(session.getSessionName()).toBe(source.title);
    });
    await undoLast(options);
    expect(fs.existsSync(outcome.path)).toBe(false);
  }
  expect(created).toBeGreaterThan(80);
}, 120_000);

test(`a label that is undone leaves every byte as it was (seed ${seed})`, async () => {
  const dir = makeTempDir();
  const options = { journal: new Journal(join(dir, 'state')) };
  let labelled = 0;
  for await (const { path, entry } of choices(makeCorpus(dir, 40, seed), dir, 100, seed)) {
    const [text] = stateOf(path);
    const outcome = await setLabel({ path, agent: 'xcsh' }, entry.id, 'a label 🏷', options).catch((error) => error);
    if (outcome instanceof Error) continue;
    labelled++;
    expect(stateOf(path)[0]).not.toBe(text);
    expect((await undoLast(options)).how).toBe('cut_off');
    expect(stateOf(path)[0]).toBe(text);
  }
  expect(labelled).toBeGreaterThan(60);
}, 120_000);
