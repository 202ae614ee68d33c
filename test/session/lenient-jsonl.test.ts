import { describe, expect, test } from 'vitest';
import * as engine from '../../src/session/index.ts';
import { getLatestCompactionEntry, parseJsonlLenient, parseSessionEntries } from '../../src/session/lenient-jsonl.ts';

describe('parseJsonlLenient', () => {
  test.each([
    ['nothing', '', []],
    ['any kind of value', '1\n"a"\nnull\n[2]\n{"b":3}\n', [1, 'a', null, [2], { b: 3 }]],
    ['blank lines, CRLF and no final newline', '\n \r\n{"a":1}\r\n\n{"b":2}', [{ a: 1 }, { b: 2 }]],
    ['a bad line between good ones', '{"a":1}\n{bad\n{"b":2}\n', [{ a: 1 }, { b: 2 }]],
    ['two values on one line', '{"a":1}{"b":2}\n', [{ a: 1 }, { b: 2 }]],
    ['a value and garbage', '{"a":1} garbage\n{"b":2},\n', [{ a: 1 }, { b: 2 }]],
    ['an object over several lines', '{\n"a":1\n}\n{"b":2}\n', [{ a: 1 }, { b: 2 }]],
    ['a torn last line', '{"a":1}\n{"b":', [{ a: 1 }]],
    ['a byte order mark', '\ufeff{"a":1}\n', [{ a: 1 }]],
    ['NULs, single quotes, comments, NaN', '\0\0\n{\'a\':1}\n// x\nNaN\n{"b":2}\n', [{ b: 2 }]],
    ['U+2028 in a string', '{"a":"x\u2028y"}\n', [{ a: 'x\u2028y' }]],
  ])('reads %s', (_kind, text, values) => {
    expect(parseJsonlLenient(text)).toEqual(values);
    expect(parseSessionEntries(text)).toEqual(values);
  });

  test('gives __proto__ as a key of its own', () => {
    const [value] = parseJsonlLenient('{"__proto__":{"x":1}}');
    expect(Object.hasOwn(value as object, '__proto__')).toBe(true);
  });
});

test('the latest compaction is the last in the array', () => {
  const entries = [{ type: 'compaction', n: 1 }, { type: 'message' }, { type: 'compaction', n: 2 }, { type: 'label' }];
  expect(getLatestCompactionEntry(entries)).toBe(entries[2]);
  expect(getLatestCompactionEntry([{ type: 'message' }])).toBeNull();
});

test('session ids are 16 hex digits, sort by time, and differ within a millisecond', () => {
  const ids = Array.from({ length: 1000 }, () => engine.Snowflake.next(1_700_000_000_000));
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(engine.Snowflake.next(1_700_000_000_001) > (ids.at(0) ?? '')).toBe(true);
});

test('the engine offers every name of the contract', () => {
  const names = [
    'BlobStore CURRENT_SESSION_VERSION FileSessionStorage HistoryStorage MemorySessionStorage SKILL_PROMPT_MESSAGE_TYPE',
    'SessionManager Snowflake bashExecutionToText buildSessionContext convertToLlm createBranchSummaryMessage',
    'createCompactionSummaryMessage createCustomMessage externalizeImageData externalizeImageDataUrl',
    'findMostRecentSession getBlobsDir getConfigRootDir getLatestCompactionEntry getRecentSessions getSessionsDir',
    'isBlobRef isImageDataUrl loadEntriesFromFile matchSessions migrateSessionEntries parseBlobRef parseJsonlLenient',
    'parseSessionEntries pythonExecutionToText resolveImageData resolveImageDataUrl resolveResumableSession',
    'sanitizeRehydratedOpenAIResponsesAssistantMessage setAgentDir',
  ].flatMap((line) => line.split(' '));
  expect(names.filter((name) => !(name in engine))).toEqual([]);
});
