import fs from 'node:fs';
import { expect, test } from 'vitest';
import { readTranscriptAt } from '../../src/history/entry-transcript.ts';
import { countFilesWith, findPlaces } from '../../src/history/places.ts';
import type { FoundRow } from '../../src/history/prompt-groups.ts';
import type { SentPlace } from '../../src/history/prompt-history.ts';
import { finish, World } from './helpers.ts';

const T0_MS = 1_770_000_000_000;
const HOUR_MS = 3_600_000;

function row(atMs: number, cwd?: string, sessionId?: string): FoundRow {
  const known = { id: 1, prompt: '', created_at: Math.floor(atMs / 1000), uses: 1 };
  return {
    source: 'xcsh',
    row: { ...known, ...(cwd === undefined ? {} : { cwd }), ...(sessionId === undefined ? {} : { sessionId }) },
  };
}

function places(world: World, prompt: string, ...rows: FoundRow[]): readonly SentPlace[] {
  const roots = ['xcsh', 'omp'].map((name) => world.root(name as 'xcsh' | 'omp'));
  return finish(findPlaces([{ prompt, rows }], roots)).get(prompt) ?? [];
}

test('a prompt is found by its time and text, with the session and the entry', () => {
  const world = new World();
  const root = world.root('xcsh');
  const path = world.session(root, 's1', '/w', [
    { text: 'first', atMs: T0_MS },
    { text: 'go on', atMs: T0_MS + HOUR_MS },
  ]);
  world.session(root, 's2', '/w', [{ text: 'go on', atMs: T0_MS + 9 * HOUR_MS }]);
  expect(places(world, 'go on', row(T0_MS + HOUR_MS + 900, '/w'))).toEqual([
    { path, id: 's1', entryId: 'u1', timeMs: T0_MS + HOUR_MS },
  ]);
});

test('of two equal prompts in one session the one of that time is meant', () => {
  const world = new World();
  world.session(world.root('xcsh'), 's1', '/w', [
    { text: 'go on', atMs: T0_MS },
    { text: 'go on', atMs: T0_MS + HOUR_MS },
  ]);
  expect(places(world, 'go on', row(T0_MS + HOUR_MS, '/w')).map(({ entryId }) => entryId)).toEqual(['u1']);
});

test("omp's session id decides where there is one", () => {
  const world = new World();
  const root = world.root('omp');
  world.session(root, 'other', '/w', [{ text: 'go on', atMs: T0_MS }]);
  const path = world.session(root, 'wanted', '/elsewhere', [{ text: 'go on', atMs: T0_MS - 50 * HOUR_MS }]);
  const found = places(world, 'go on', row(T0_MS + 2 * HOUR_MS, '/w', 'wanted'));
  expect(found.map((place) => place.path)).toEqual([path]);
});

test('where no time fits, the folder decides, whatever the times of the files say', () => {
  const world = new World();
  const root = world.root('xcsh');
  const path = world.session(root, 's1', '/w', [{ text: 'go on', atMs: T0_MS }]);
  world.session(root, 's2', '/elsewhere', [{ text: 'go on', atMs: T0_MS }]);
  fs.utimesSync(path, 1, 1);
  expect(places(world, 'go on', row(T0_MS + 90 * HOUR_MS, '/w')).map((place) => place.path)).toEqual([path]);
});

test('a project folder is the same by its real path', () => {
  const world = new World();
  const project = world.project('real');
  const link = `${project}-link`;
  fs.symlinkSync(project, link);
  const path = world.session(world.root('xcsh'), 's1', project, [{ text: 'go on', atMs: T0_MS }]);
  expect(places(world, 'go on', row(T0_MS + 90 * HOUR_MS, link)).map((place) => place.path)).toEqual([path]);
});

test('all places of a prompt that was sent several times are told, the newest first', () => {
  const world = new World();
  const root = world.root('xcsh');
  const times = [0, 1, 2].map((n) => T0_MS + n * HOUR_MS);
  for (const [n, atMs] of times.entries()) world.session(root, `s${n}`, '/w', [{ text: 'go on', atMs, id: `e${n}` }]);
  const found = places(world, 'go on', ...times.map((atMs) => row(atMs, '/w')));
  expect(found.map(({ id }) => id)).toEqual(['s2', 's1', 's0']);
});

test("a fork's copy of an entry is no place of its own", () => {
  const world = new World();
  const root = world.root('xcsh');
  const original = world.session(root, 'old', '/w', [{ text: 'go on', atMs: T0_MS, id: 'same' }]);
  const copy = world.session(root, 'fork', '/w', [
    { text: 'later', atMs: T0_MS + 30_000, id: 'x' },
    { text: 'go on', atMs: T0_MS, id: 'same' },
  ]);
  fs.utimesSync(copy, (T0_MS + HOUR_MS) / 1000, (T0_MS + HOUR_MS) / 1000);
  expect(places(world, 'go on', row(T0_MS, '/w')).map((place) => place.path)).toEqual([original]);
});

test.each(['会话迁移的测试', 'a "quoted"\nprompt \\ of two lines', 'x'])(
  '%j is found though it is written as JSON',
  (text) => {
    const world = new World();
    world.session(world.root('xcsh'), 's1', '/w', [{ text, atMs: T0_MS }]);
    expect(places(world, text, row(T0_MS, '/w'))).toHaveLength(1);
  },
);

test('what only contains the prompt, or was said by somebody else, is no place', () => {
  const world = new World();
  const root = world.root('xcsh');
  const atMs = T0_MS;
  const timestamp = new Date(atMs).toISOString();
  const message = { role: 'user', content: 'go on', synthetic: true };
  world.session(
    root,
    's1',
    '/w',
    [{ text: 'go on and on', atMs }],
    [
      { type: 'message', id: 'z', parentId: 'a0', timestamp, message },
      { type: 'message', id: 'y', parentId: 'z', timestamp, message: { role: 'assistant', content: 'go on' } },
    ],
  );
  expect(places(world, 'go on', row(atMs, '/w'))).toEqual([]);
});

test('damaged files are looked through all the same, unreadable ones passed over', () => {
  const world = new World();
  const root = world.root('xcsh');
  const path = world.session(root, 's1', '/w', [{ text: 'go on', atMs: T0_MS }]);
  fs.writeFileSync(path, `{"broken\n${fs.readFileSync(path, 'utf8')}{"type":"mess`);
  fs.symlinkSync('/nowhere', `${path}.jsonl`);
  expect(places(world, 'go on', row(T0_MS, '/w'))).toMatchObject([{ path, entryId: 'u0' }]);
});

test('the conversation opens at the entry, on the active path or on the branch that was left', () => {
  const world = new World();
  const atMs = T0_MS;
  const timestamp = new Date(atMs).toISOString();
  const say = (id: string, parentId: string, role: string, text: string): object => ({
    type: 'message',
    id,
    parentId,
    timestamp,
    message: { role, content: [{ type: 'text', text }] },
  });
  const path = world.session(
    world.root('xcsh'),
    's1',
    '/w',
    [{ text: 'first', atMs }],
    [
      say('left', 'a0', 'user', 'the left branch'),
      say('left2', 'left', 'assistant', 'left answer'),
      say('right', 'a0', 'user', 'the right branch'),
      say('right2', 'right', 'assistant', 'right answer'),
    ],
  );
  const textsAt = (entryId: string): string[] => {
    const { transcript, at } = readTranscriptAt(path, entryId, 100);
    return [transcript.items[at]?.text ?? '', ...transcript.items.map(({ text }) => text)];
  };
  expect(textsAt('u0')).toEqual(['first', 'first', 'On first', 'the right branch', 'right answer']);
  expect(textsAt('left')).toEqual(['the left branch', 'first', 'On first', 'the left branch', 'left answer']);
  expect(() => readTranscriptAt(path, 'gone', 100)).toThrow(/not in .* any more/);
});

test('of a long conversation the part around the entry is read', () => {
  const world = new World();
  const prompts = Array.from({ length: 50 }, (_, n) => ({ text: `prompt ${n}`, atMs: T0_MS + n }));
  const path = world.session(world.root('xcsh'), 's1', '/w', prompts);
  const { transcript, at, title } = readTranscriptAt(path, 'u30', 10);
  expect(title).toBe('prompt 0');
  expect(transcript.items).toHaveLength(10);
  expect(transcript.items[at]?.text).toBe('prompt 30');
  expect(transcript.omitted).toBe(55);
});

test('an entry without an id is found by its line', () => {
  const world = new World();
  const root = world.root('xcsh');
  const path = world.session(root, 's1', '/w', []);
  const timestamp = new Date(T0_MS).toISOString();
  const lines = [
    { type: 'session', id: 's1', timestamp, cwd: '/w' },
    { type: 'message', timestamp, message: { role: 'user', content: 'old form' } },
  ];
  fs.writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const [place] = places(world, 'old form', row(T0_MS, '/w'));
  expect(place?.entryId).toBe('#2');
  const { transcript, at } = readTranscriptAt(path, '#2', 10);
  expect(transcript.items[at]?.text).toBe('old form');
});

test('files that still hold one of some prompts are counted once each', () => {
  const world = new World();
  const root = world.root('xcsh');
  world.session(root, 's1', '/w', [
    { text: 'secret', atMs: T0_MS },
    { text: 'secret', atMs: T0_MS + 1 },
  ]);
  world.session(root, 's2', '/w', [{ text: 'harmless', atMs: T0_MS }]);
  world.session(root, 's3', '/w', [{ text: 'other secret', atMs: T0_MS + 5 }]);
  expect(finish(countFilesWith(['secret', 'other secret'], [root]))).toBe(2);
});
