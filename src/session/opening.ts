import type { SessionFile } from './scan.ts';

/** What the first lines of a file are, as far as it matters to who may open it. */
export interface Opening {
  /** Is the first readable value a session header with a string id? */
  readonly startsWithHeader: boolean;
  /** Is that header alone on its line, with no byte order mark before it? Strict readers find it only then. */
  readonly isPlain: boolean;
  /** Does omp's title line stand before the header? */
  readonly hasTitleSlot: boolean;
  /** Is there a header at all, be it behind a title line? */
  readonly hasHeader: boolean;
}

function isLineBreak(bytes: Buffer): boolean {
  return bytes.length === 0 || bytes[0] === 0x0a || (bytes[0] === 0x0d && bytes[1] === 0x0a);
}

/** Looks at the beginning of a file, as far as its header or its first entry. */
export function readOpening(file: SessionFile): Opening {
  let hasTitleSlot = false;
  for (const record of file.records('full')) {
    if (record.kind === 'damage' && record.reason !== 'not_an_entry') continue;
    if (record.kind === 'title') {
      hasTitleSlot = true;
      continue;
    }
    if (record.kind !== 'header') break;
    const { offset, length } = record.span;
    const beginsLine = offset === 0 || file.read(offset - 1, 1)[0] === 0x0a;
    const isPlain = beginsLine && !record.bytes.includes('\n') && isLineBreak(file.read(offset + length, 2));
    return { startsWithHeader: !hasTitleSlot, isPlain, hasTitleSlot, hasHeader: true };
  }
  return { startsWithHeader: false, isPlain: false, hasTitleSlot, hasHeader: false };
}
