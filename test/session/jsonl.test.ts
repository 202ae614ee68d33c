import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { damageOf, readJsonl, valuesOf } from './reading-helpers.ts';

const ENTRY = '{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{}}';

describe('values', () => {
  test('one a line, with or without a final newline', () => {
    expect(valuesOf(readJsonl('{"a":1}\n{"b":2}'))).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test('blank lines and CRLF are no matter', () => {
    expect(readJsonl('\n{"a":1}\r\n \t\r\n{"b":2}\r\n').map(({ span }) => span.line)).toEqual([2, 4]);
  });

  test('a byte order mark is no part of the first value', () => {
    const [first] = readJsonl('\ufeff{"a":1}\n');
    expect(first).toMatchObject({ kind: 'value', value: { a: 1 }, span: { line: 1, offset: 3, length: 7 } });
  });

  test('two values glued on one line are both read', () => {
    expect(readJsonl('{"a":1}{"b":2}\n')).toMatchObject([
      { value: { a: 1 }, span: { line: 1, offset: 0, length: 7 } },
      { value: { b: 2 }, span: { line: 1, offset: 7, length: 7 } },
    ]);
  });

  test('a value may span lines, and the line after it is read on its own', () => {
    const records = readJsonl('{\n  "a": [1,\n  2]\n}\n{"b":2}\n');
    expect(records).toMatchObject([
      { value: { a: [1, 2] }, span: { line: 1, offset: 0, length: 19 } },
      { value: { b: 2 }, span: { line: 5 } },
    ]);
  });

  test('a second value may follow on the last line of one that spans lines', () => {
    expect(valuesOf(readJsonl('[\n1\n]{"b":2}\n{"c":3}\n'))).toEqual([[1], { b: 2 }, { c: 3 }]);
  });

  test('numbers, null, strings and arrays are values', () => {
    expect(valuesOf(readJsonl('null\n12\n"x"\n[]\n'))).toEqual([null, 12, 'x', []]);
  });

  test('U+2028 is no line break', () => {
    expect(valuesOf(readJsonl('{"a":"\u2028"}\n'))).toEqual([{ a: '\u2028' }]);
  });

  test('nesting of any depth neither overflows nor is lost', () => {
    const depth = 200_000;
    const records = readJsonl(`${'['.repeat(depth)}${']'.repeat(depth)}\n{"b":2}\n`, { chunkBytes: 65_536 });
    expect(records.at(-1)).toMatchObject({ kind: 'value', value: { b: 2 } });
  });
});

describe('damage', () => {
  test('is reported with its bytes, and reading resumes on the next line', () => {
    const records = readJsonl('{"a":1}\n{not json\n{"b":2}\n');
    expect(valuesOf(records)).toEqual([{ a: 1 }, { b: 2 }]);
    expect(damageOf(records)).toEqual(['{not json']);
  });

  test('what follows a value on its line is damage when it is no JSON', () => {
    const records = readJsonl('{"a":1} rest,\n');
    expect(valuesOf(records)).toEqual([{ a: 1 }]);
    expect(damageOf(records)).toEqual([' rest,']);
  });

  test.each([
    ['a raw control character in a string', '{"a":"\u0001"}'],
    ['single quotes', "{'a':1}"],
    ['a comment', '{"a":1/* x */}'],
    ['a trailing comma', '{"a":1,}'],
    ['NaN', '{"a":NaN}'],
    ['a bad escape', '{"a":"\\*"}'],
    ['a run of NUL bytes', '\0'.repeat(500)],
    ['a lone carriage return in a string', '{"a":"\r"}'],
  ])('%s makes the line bad', (_name, line) => {
    const records = readJsonl(`${line}\n{"b":2}\n`);
    expect(damageOf(records)).toEqual([line]);
    expect(valuesOf(records)).toEqual([{ b: 2 }]);
  });

  test('a torn line does not swallow the lines behind it', () => {
    for (let length = 1; length < ENTRY.length; length++) {
      const records = readJsonl(`${ENTRY.slice(0, length)}\n{"b":2}\n{"c":3}\n`);
      expect(valuesOf(records).slice(-2)).toEqual([{ b: 2 }, { c: 3 }]);
      expect(damageOf(records)).toEqual([ENTRY.slice(0, length)]);
    }
  });

  test('an entry glued to a torn one is recovered', () => {
    const records = readJsonl(`${ENTRY.slice(0, 60)}${ENTRY}\n`);
    expect(damageOf(records)).toEqual([ENTRY.slice(0, 60)]);
    expect(valuesOf(records)).toEqual([JSON.parse(ENTRY)]);
  });

  test('a last line without its newline that does not parse is torn', () => {
    expect(readJsonl('{"a":1}\n{"b":').at(-1)).toMatchObject({ kind: 'damage', reason: 'torn', text: '{"b":' });
  });

  test('a damaged line whose head reads says where it belongs', () => {
    const records = readJsonl(`${ENTRY.slice(0, -1)},"x":"\\*"}\n`);
    expect(records).toMatchObject([{ kind: 'damage', head: { id: 'a', parentId: null, type: 'message' } }]);
  });

  test('the head is found behind other fields too', () => {
    const line =
      '{"type":"custom","data":{"id":"no"},"id":"c","parentId":"a","timestamp":"2026-01-01T00:00:00Z","x":\\}';
    expect(readJsonl(`${line}\n`)).toMatchObject([{ head: { id: 'c', parentId: 'a', type: 'custom' } }]);
  });

  test('many unfinished values cost linear time', () => {
    const lines = 20_000;
    const records = readJsonl('[\n'.repeat(lines), { chunkBytes: 65_536 });
    expect(damageOf(records)).toHaveLength(lines);
  });
});

/** Lines of all sorts: entries, their torn beginnings, garbage, blank space. */
const anyLine = fc.oneof(
  fc.json().map((json) => json.replaceAll('\n', ' ')),
  fc.constant(ENTRY),
  fc.nat(ENTRY.length).map((length) => ENTRY.slice(0, length)),
  fc.constantFrom('', ' ', '{', '[', '}', '{"a":', '"', '\0\0', '{"a":1}{"b":2}', '{"a":1},', `${ENTRY}${ENTRY}`),
  fc.string().map((text) => text.replaceAll('\n', ' ')),
);
const anyFile = fc.tuple(fc.array(anyLine, { maxLength: 12 }), fc.boolean()).map(([lines, isWhole]) => {
  return `${lines.join('\n')}${isWhole ? '\n' : ''}`;
});

describe('any file', () => {
  test('records and blank space add up to its bytes, in order', () => {
    fc.assert(
      fc.property(anyFile, (content) => {
        const bytes = Buffer.from(content);
        let end = 0;
        for (const { span } of readJsonl(content)) {
          expect(span.offset).toBeGreaterThanOrEqual(end);
          expect(
            bytes
              .toString('latin1', end, span.offset)
              .replace(/^\u00ef\u00bb\u00bf/, '')
              .trim(),
          ).toBe('');
          end = span.offset + span.length;
        }
        expect(bytes.toString('latin1', end).trim()).toBe('');
      }),
    );
  });

  test('is read the same in chunks of any size', () => {
    fc.assert(
      fc.property(anyFile, fc.integer({ min: 1, max: 40 }), (content, chunkBytes) => {
        expect(readJsonl(content, { chunkBytes })).toEqual(readJsonl(content, { chunkBytes: 1_000_000 }));
      }),
    );
  });

  test('every line that JSON.parse accepts is read as its value', () => {
    fc.assert(
      fc.property(fc.array(fc.json(), { maxLength: 20 }), (lines) => {
        const flat = lines.map((line) => line.replaceAll('\n', ' '));
        expect(valuesOf(readJsonl(flat.join('\n')))).toEqual(flat.map((line) => JSON.parse(line)));
      }),
    );
  });

  test('spans lead back to the very bytes', () => {
    fc.assert(
      fc.property(anyFile, (content) => {
        const bytes = Buffer.from(content);
        for (const { span, text } of readJsonl(content)) {
          expect(text).toBe(bytes.toString('utf8', span.offset, span.offset + span.length));
        }
      }),
    );
  });
});

describe('a glance', () => {
  test('gives the head of a line as every agent writes it', () => {
    const line = ENTRY.replace('"message":{}', '"message":{"role":"user","content":"x"}');
    expect(readJsonl(`${line}\n`, { glance: true })).toMatchObject([
      { kind: 'head', head: { id: 'a', parentId: null, type: 'message', role: 'user' } },
    ]);
  });

  test('reads glued values, torn lines and headers in full', () => {
    const header = '{"type":"session","id":"s","parentId":null,"timestamp":"x"}';
    const kinds = readJsonl(`${header}\n${ENTRY}${ENTRY}\n${ENTRY.slice(0, 90)}\n`, { glance: true }).map(
      (r) => r.kind,
    );
    expect(kinds).toEqual(['value', 'value', 'value', 'damage']);
  });
});
