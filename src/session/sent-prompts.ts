import { fieldOf, type SessionEntry } from './entries.ts';
import { SessionReader, type SessionRecord } from './records.ts';
import type { SessionFile } from './scan.ts';
import { entryTimeMs, promptText } from './summary.ts';

/** A prompt as it stands in a session. */
export interface SentPrompt {
  /** `#LINE` for an entry without an id. */
  readonly entryId: string;
  /** Trimmed; never ''. */
  readonly text: string;
  /** Epoch ms; undefined when the entry does not tell. */
  readonly timeMs: number | undefined;
}

/** Who and where, from a session's header; undefined fields are not known. */
export interface SentIn {
  readonly sessionId: string | undefined;
  readonly cwd: string | undefined;
}

/** Did a person type it? Agents mark what they put into a user's mouth. */
function isTyped(entry: SessionEntry): boolean {
  const message = fieldOf(entry, 'message') as { readonly synthetic?: unknown; readonly attribution?: unknown };
  return message.synthetic !== true && message.attribution !== 'agent';
}

/** Reads one line that was only glanced at. */
function readEntry(bytes: Buffer): SessionEntry | undefined {
  // Past the beginning of a file there is no header to expect.
  const reader = new SessionReader('full', { line: 0, offset: 1 });
  for (const record of [...reader.push(bytes), ...reader.end()]) {
    if (record.kind === 'entry') return record.entry;
  }
  return undefined;
}

function entryOf(record: SessionRecord, mayHold: (bytes: Buffer) => boolean): SessionEntry | undefined {
  if (record.kind !== 'entry') return undefined;
  if (record.head.type !== 'message' || record.head.role !== 'user' || !mayHold(record.bytes)) return undefined;
  return record.entry ?? readEntry(record.bytes);
}

/**
 * The prompts that a person typed into a session, of every branch, in file order; other lines are glanced at, no more.
 * `mayHold` rejects prompts by the bytes of their line. `onHeader` hears whose they are, before the first of them, and
 * says whether to go on. Throws as `SessionFile.read` does.
 */
export function* sentPrompts(
  file: SessionFile,
  onHeader: (sentIn: SentIn) => boolean,
  mayHold: (bytes: Buffer) => boolean = () => true,
): Generator<SentPrompt> {
  for (const record of file.records('skeleton')) {
    if (record.kind === 'header') {
      const { id, cwd } = record.header;
      if (!onHeader({ sessionId: id, cwd: typeof cwd === 'string' ? cwd : undefined })) return;
    }
    const entry = entryOf(record, mayHold);
    if (entry === undefined || !isTyped(entry)) continue;
    const text = promptText(entry);
    if (text === undefined) continue;
    const id: unknown = entry.id;
    yield { entryId: typeof id === 'string' ? id : `#${record.span.line}`, text, timeMs: entryTimeMs(entry) };
  }
}
