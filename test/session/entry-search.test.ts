import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EntryReader } from '../../src/session/entry-reader.ts';
import { searchEntries, wordPattern } from '../../src/session/entry-search.ts';
import { SessionFile } from '../../src/session/scan.ts';
import { searchWords } from '../../src/session/search-words.ts';
import { SkeletonBuilder } from '../../src/session/skeleton-builder.ts';
import { makeTempDir } from './temp-dir.ts';

const header = { type: 'session', version: 3, id: 's1', timestamp: '2026-01-02T03:04:05.678Z', cwd: '/w' };

function entry(id: string, parentId: string | null, rest: object): object {
  return { type: 'message', id, parentId, timestamp: '2026-01-02T03:04:05.678Z', ...rest };
}

/** Positions of the entries that a search line finds. */
function find(entries: readonly object[], line: string, within?: Int32Array): number[] {
  const path = join(makeTempDir(), 's.jsonl');
  writeFileSync(path, [header, ...entries].map((value) => `${JSON.stringify(value)}\n`).join(''));
  using file = new SessionFile(path);
  const builder = new SkeletonBuilder();
  for (const record of file.records('skeleton', undefined, builder)) builder.add(record);
  const skeleton = builder.finish();
  const scope = { skeleton, reader: new EntryReader(file, skeleton), within };
  return [...searchEntries(file, searchWords(line), scope)].flat();
}

const session = [
  entry('a', null, { message: { role: 'user', content: 'Please fix the LOGIN page' } }),
  entry('b', 'a', {
    message: {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'pondering deeply' },
        { type: 'toolCall', id: 't1', name: 'read', arguments: { path: 'src/login.ts' } },
      ],
      stopReason: 'toolUse',
    },
  }),
  entry('c', 'b', {
    message: {
      role: 'toolResult',
      toolCallId: 't1',
      toolName: 'read',
      content: [{ type: 'text', text: `${'x'.repeat(5000)} needle` }],
    },
  }),
  entry('d', 'a', {
    message: { role: 'user', content: [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }] },
  }),
  entry('e', 'd', { type: 'label', targetId: 'd', label: 'Screenshot' }),
];

it('every word must be in the entry, in any case and anywhere in its whole text', () => {
  expect(find(session, 'login')).toEqual([0, 1, 2]);
  expect(find(session, 'Page Login')).toEqual([0]);
  expect(find(session, 'needle')).toEqual([2]);
  expect(find(session, 'pondering')).toEqual([1]);
});

it('a result is found by the call that it is drawn as', () => {
  expect(find(session, 'src/login.ts')).toEqual([1, 2]);
});

it('a picture is no text, and an entry is found by its label', () => {
  expect(find(session, 'iVBOR')).toEqual([]);
  expect(find(session, 'screenshot')).toEqual([3, 4]);
});

it('a search within earlier hits looks at nothing else', () => {
  expect(find(session, 'login', Int32Array.of(1))).toEqual([1]);
});

it('a word is found in any script and with any JSON escape', () => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
    .filter((word) => searchWords(word).length === 1);
  fc.assert(
    fc.property(text, fc.string({ unit: 'grapheme' }), fc.boolean(), (word, around, isEscaped) => {
      // Signs that become ordinary letters (ohm, kelvin, ångström) are found as what they are, not as those.
      fc.pre(Array.from(word).every((one) => one.toLowerCase().toUpperCase() === one.toUpperCase()));
      const json = JSON.stringify(around + word + around);
      const written = isEscaped
        ? json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        : json;
      const wanted = searchWords(word)[0] ?? '';
      fc.pre((around + word + around).toLowerCase().includes(wanted));
      expect(wordPattern(wanted).test(Buffer.from(written).toString('latin1'))).toBe(true);
    }),
    {
      numRuns: 500,
      examples: [
        ['ǲ', '', false],
        ['ǆ', 'x', true],
        ['ς', '', false],
      ],
    },
  );
});
