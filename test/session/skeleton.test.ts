import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadSession } from '../../src/session/loaded-session.ts';
import { SessionFile } from '../../src/session/scan.ts';
import { entryFlags, idAt, isSameSkeleton, kindAt, pathLengths, type Skeleton } from '../../src/session/skeleton.ts';
import { SkeletonBuilder } from '../../src/session/skeleton-builder.ts';
import { makeTempDir } from './temp-dir.ts';

let folder: string;
beforeEach(() => {
  folder = makeTempDir();
});

function write(name: string, ...lines: readonly (string | object)[]): string {
  const path = join(folder, `${name}.jsonl`);
  writeFileSync(path, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  return path;
}

function skeletonOf(path: string, depth: 'glance' | 'full'): Skeleton {
  using file = new SessionFile(path);
  const builder = new SkeletonBuilder();
  const records = depth === 'full' ? file.records('full') : file.records('skeleton', undefined, builder);
  for (const record of records) builder.add(record);
  return builder.finish();
}

const header = { type: 'session', version: 3, id: 's1', timestamp: '2026-01-02T03:04:05.678Z', cwd: '/w' };

function message(id: string, parentId: string | null, value: object): object {
  return { type: 'message', id, parentId, timestamp: '2026-01-02T03:04:05.678Z', message: value };
}

function rowsOf(skeleton: Skeleton): unknown[] {
  return Array.from(skeleton.parents, (parent, at) => ({
    id: idAt(skeleton, at),
    parent,
    ...kindAt(skeleton, at),
    line: skeleton.lines[at],
    timeMs: Number.isNaN(skeleton.times[at]) ? undefined : skeleton.times[at],
  }));
}

function loadedRowsOf(path: string): { rows: unknown[]; leaf: number; labels: unknown } {
  using file = new SessionFile(path);
  const { tree, leaf, labels } = loadSession(file);
  const rows = tree.items.map(({ id, type, role, span, timeMs }, at) => ({
    id,
    parent: tree.parents[at],
    type,
    role,
    line: span.line,
    timeMs,
  }));
  return { rows, leaf, labels: [...labels] };
}

describe('on every fixture', () => {
  const fixtures = join(import.meta.dirname, '../fixtures/sessions');
  for (const name of readdirSync(fixtures).filter((file) => file.endsWith('.jsonl'))) {
    it(`the skeleton of ${name} is the tree that a full reading gives, migrated ids included`, () => {
      const path = join(fixtures, name);
      const skeleton = skeletonOf(path, 'glance');
      const expected = loadedRowsOf(path);
      // Damage without a place is an entry of the skeleton alone.
      const isPlaced = (row: unknown): boolean => !/^#/.test((row as { id: string }).id);
      expect(rowsOf(skeleton).filter(isPlaced)).toEqual(expected.rows.filter(isPlaced));
      expect(rowsOf(skeletonOf(path, 'full'))).toEqual(rowsOf(skeleton));
    });
  }
});

it('damage inside a line that looks whole is found by the full reading alone', () => {
  const broken = `{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user",oops}}`;
  const path = write('inner', header, message('a', null, { role: 'user', content: 'x' }), broken);
  const glanced = skeletonOf(path, 'glance');
  const full = skeletonOf(path, 'full');
  expect(Array.from(glanced.flags)).toEqual([0, 0]);
  expect(Array.from(full.flags)).toEqual([0, entryFlags.damaged]);
  expect(isSameSkeleton(glanced, full)).toBe(false);
  expect(Array.from(full.parents)).toEqual([-1, 0]);
});

it('answers that only call tools, and failed ones, are flagged alike by both readings', () => {
  const call = { type: 'toolCall', id: 't', name: 'bash', arguments: { command: 'ls' } };
  const says = (...content: object[]) => ({ role: 'assistant', content, stopReason: 'toolUse' });
  const path = write(
    'flags',
    header,
    message('a', null, says(call)),
    message('b', 'a', says({ type: 'text', text: 'hello' }, call)),
    message('c', 'b', says({ type: 'text', text: '' }, call)),
    message('d', 'c', says({ type: 'thinking', thinking: 'hm' }, call)),
    message('e', 'd', { ...says(call), stopReason: 'aborted' }),
    message('f', 'e', { ...says({ type: 'text', text: 'x' }), stopReason: 'error', errorMessage: 'no' }),
    message('g', 'f', { ...says(), stopReason: 'stop' }),
    message('h', 'g', { role: 'user', content: '"stopReason":"error"' }),
  );
  const { toolsOnly, failed } = entryFlags;
  const expected = [toolsOnly, 0, toolsOnly, toolsOnly, toolsOnly | failed, failed, 0, 0];
  expect(Array.from(skeletonOf(path, 'glance').flags)).toEqual(expected);
  expect(Array.from(skeletonOf(path, 'full').flags)).toEqual(expected);
});

it('orphans, cycle heads and duplicates are marked, and the parent of a repeated id is its last bearer', () => {
  const say = { role: 'user', content: 'x' };
  const path = write(
    'marks',
    header,
    message('a', 'b', say),
    message('b', 'a', say),
    message('c', 'c', say),
    message('d', null, say),
    message('d', 'a', say),
    message('e', 'gone', say),
    message('f', 'd', say),
  );
  const skeleton = skeletonOf(path, 'glance');
  const { cycle, duplicate, orphan } = entryFlags;
  expect(Array.from(skeleton.flags)).toEqual([cycle, 0, cycle, 0, duplicate, orphan, 0]);
  expect(Array.from(skeleton.parents)).toEqual([-1, 0, -1, -1, 0, -1, 4]);
  expect(skeleton.leaf).toBe(6);
});

it('a label stands on its target until it is cleared, by an empty or a missing text', () => {
  const label = (id: string, targetId: string, text?: string) => ({
    ...message(id, 'a', {}),
    type: 'label',
    targetId,
    label: text,
  });
  const path = write(
    'labels',
    header,
    message('a', null, { role: 'user', content: 'x' }),
    message('b', 'a', { role: 'user', content: 'x' }),
    label('l1', 'a', 'one'),
    label('l2', 'b', 'two'),
    label('l3', 'a', 'three'),
    label('l4', 'b'),
    label('l5', 'gone', 'lost'),
  );
  const labels = [{ at: 0, label: 'three', timeMs: Date.parse('2026-01-02T03:04:05.678Z') }];
  expect(skeletonOf(path, 'glance').labels).toEqual(labels);
});

it('whatever stands in a file, glance and full reading agree on places, and every entry is reached once', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'ä', 'id-of-some-length');
  const entry = fc
    .record({ id, parentId: fc.option(id), time: fc.constantFrom('2026-01-02T03:04:05.678Z', 'never', '2026-01-02') })
    .map(({ id: own, parentId, time }) =>
      JSON.stringify({ ...message(own, parentId, { role: 'user' }), timestamp: time }),
    );
  const torn = entry.chain((line) => fc.nat(line.length).map((end) => line.slice(0, end)));
  const glued = fc.tuple(entry, entry).map(([a, b]) => a + b);
  const line = fc.oneof(entry, torn, glued, fc.constant('{"type":"custom"}'), fc.constant(''), fc.constant('[1]'));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const path = write('any', header, ...lines);
      const glanced = skeletonOf(path, 'glance');
      expect(rowsOf(glanced)).toEqual(rowsOf(skeletonOf(path, 'full')));
      for (let at = 0; at < glanced.parents.length; at++) {
        let steps = 0;
        for (let step = at; step >= 0; step = glanced.parents[step] ?? -1) steps++;
        expect(steps).toBeLessThanOrEqual(glanced.parents.length);
        expect(pathLengths(glanced)[at]).toBe(steps);
      }
    }),
    { numRuns: 200 },
  );
});
