import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import type { SessionRecord } from '../../src/session/records.ts';
import { SessionFile } from '../../src/session/scan.ts';

const folder = mkdtempSync(join(tmpdir(), 'bough-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let nextId = 0;

function entryLine(sizeUnits: number): string {
  const id = (nextId++).toString(16).padStart(8, '0');
  const message = { role: 'user', content: 'x'.repeat(sizeUnits) };
  return JSON.stringify({ type: 'message', id, parentId: null, timestamp: '2025-01-01T00:00:00.000Z', message });
}

const entries = fc.constantFrom(3, 200, 5_000, 40_000).map(entryLine);
const oddLines = fc.constantFrom('', '  ', '{"type":"message","id":"torn', 'no json', '\r', '{"type":', '"id":1}', '[');
const glued = fc.tuple(entries, entries).map(([a, b]) => a + b);
const files = fc.tuple(
  fc.array(fc.oneof({ weight: 4, arbitrary: entries }, oddLines, glued), { maxLength: 12 }),
  fc.constantFrom('\n', '\r\n'),
  fc.boolean(),
);

/** What a reading gives, without what a reading from the end cannot know. */
function placesOf(records: Iterable<SessionRecord>): readonly (readonly [string, number, number])[] {
  return Array.from(records, ({ kind, span: { offset, length } }) => [kind, offset, length] as const);
}

it('reading backwards gives what reading forwards gives', () => {
  fc.assert(
    fc.property(files, ([lines, lineBreak, endsWithBreak]) => {
      const path = join(folder, 'session.jsonl');
      writeFileSync(path, lines.join(lineBreak) + (endsWithBreak ? lineBreak : ''));
      using file = new SessionFile(path);
      expect(placesOf([...file.recordsBackwards()].reverse())).toEqual(placesOf(file.records('full')));
    }),
    { numRuns: 300 },
  );
});

it('a value that spans lines is one entry from behind, too', () => {
  const path = join(folder, 'spanned.jsonl');
  const spanned = JSON.stringify(JSON.parse(entryLine(3)), undefined, 2);
  writeFileSync(path, [entryLine(3), spanned, entryLine(3)].join('\n'));
  using file = new SessionFile(path);
  const kinds = Array.from(file.recordsBackwards(), ({ kind }) => kind);
  expect(kinds).toEqual(['entry', 'entry', 'entry']);
});
