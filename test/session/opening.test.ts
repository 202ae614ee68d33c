import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOpening } from '../../src/session/opening.ts';
import { SessionFile } from '../../src/session/scan.ts';
import { makeTempDir } from './temp-dir.ts';

const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}';
const ENTRY = '{"type":"label","id":"l","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","targetId":"x"}';
const TITLE = '{"type":"title","v":1,"title":"T","pad":""}';

function openingOf(content: string) {
  const path = join(makeTempDir(), 'x.jsonl');
  writeFileSync(path, content);
  using file = new SessionFile(path);
  return readOpening(file);
}

test.each([
  ['a plain file', `${HEADER}\n${ENTRY}\n`, [true, true, false, true]],
  ['CRLF', `${HEADER}\r\n${ENTRY}\r\n`, [true, true, false, true]],
  ['a header alone without its newline', HEADER, [true, true, false, true]],
  ["omp's title line", `${TITLE}\n${HEADER}\n`, [false, true, true, true]],
  ['a byte order mark', `\ufeff${HEADER}\n`, [true, false, false, true]],
  ['an entry glued to the header', `${HEADER}${ENTRY}\n`, [true, false, false, true]],
  ['a header over several lines', `{"type":"session",\n"id":"s"}\n`, [true, false, false, true]],
  ['garbage before the header', `{nope\n${HEADER}\n`, [true, true, false, true]],
  ['a torn header', `${HEADER.slice(0, 40)}\n${ENTRY}\n`, [false, false, false, false]],
  ['an entry first', `${ENTRY}\n${HEADER}\n`, [false, false, false, false]],
  ['a header whose id is a number', '{"type":"session","id":7}\n', [false, false, false, false]],
  ['null first', `null\n${HEADER}\n`, [false, false, false, false]],
  ['nothing', '', [false, false, false, false]],
])('%s', (_name, content, [startsWithHeader, isPlain, hasTitleSlot, hasHeader]) => {
  expect(openingOf(content)).toEqual({ startsWithHeader, isPlain, hasTitleSlot, hasHeader });
});
