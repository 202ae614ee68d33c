import { nodeCode, SessionError } from '../errors.ts';
import type { SessionHeader } from './entries.ts';
import { contentText, isRecord } from './messages.ts';
import type { SessionRecord } from './records.ts';
import type { SessionStorage } from './storage.ts';
import { scanRecords } from './storage-records.ts';
import { promptText, SummaryBuilder, type TitleCandidates } from './summary.ts';

/** What lists and searches show of a session, after reading all of it. */
export interface SessionInfo {
  path: string;
  id: string;
  /** The folder that the header names; "" when it names none. */
  cwd: string;
  title?: string;
  /** The header's `parentSession`: an id or a path, depending on the flow that wrote it. */
  parentSessionPath?: string;
  created: Date;
  /** When something was last said; the file's mtime where no entry tells. */
  modified: Date;
  /** Messages of all branches. */
  messageCount: number;
  /** The first prompt, or `(no messages)`. */
  firstMessage: string;
  /** What user and assistant said, joined by blanks; the first million characters of it. */
  allMessagesText: string;
}

/** Keeps a list's memory bounded whatever the files hold; a real conversation is far shorter. */
const MAX_SEARCHED_CHARS = 1_000_000;

/** What a search finds: the texts of user and assistant. */
class ConversationText {
  readonly #texts: string[] = [];
  #chars = 0;

  add(record: SessionRecord): void {
    if (record.kind !== 'entry' || record.entry?.type !== 'message' || this.#chars >= MAX_SEARCHED_CHARS) return;
    const { message } = record.entry;
    if (!isRecord(message) || (message.role !== 'user' && message.role !== 'assistant')) return;
    const text = contentText(message.content);
    if (text === '') return;
    this.#texts.push(text);
    this.#chars += text.length;
  }

  toString(): string {
    const joined = this.#texts.join(' ');
    return joined.length > MAX_SEARCHED_CHARS ? joined.slice(0, MAX_SEARCHED_CHARS) : joined;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The title that a session goes by: omp's title line, the header, pi's last name, else its last compaction in short. */
function titleAmong(titles: TitleCandidates): string | undefined {
  return text(titles.slot) ?? text(titles.header) ?? text(titles.sessionInfo) ?? text(titles.shortSummary);
}

/** Whether an error says that a file cannot be read, rather than that the program is wrong. */
export function isReadFailure(error: unknown): boolean {
  return error instanceof SessionError || nodeCode(error) !== undefined;
}

/** Reads a whole session for a list; undefined when the file has no header. The storage's errors are thrown on. */
async function readSessionInfo(storage: SessionStorage, path: string): Promise<SessionInfo | undefined> {
  const builder = new SummaryBuilder();
  const conversation = new ConversationText();
  const stat = await scanRecords(storage, path, 'full', (record) => {
    builder.add(record);
    conversation.add(record);
    return true;
  });
  const summary = builder.finish();
  if (summary.header === undefined) return undefined;
  const { id, cwd, parentSession } = summary.header;
  const title = titleAmong(summary.titles);
  return {
    path,
    id,
    cwd: typeof cwd === 'string' ? cwd : '',
    ...(title === undefined ? {} : { title }),
    ...(typeof parentSession === 'string' ? { parentSessionPath: parentSession } : {}),
    created: new Date(summary.createdMs ?? stat.mtimeMs),
    modified: new Date(summary.modifiedMs ?? stat.mtimeMs),
    messageCount: summary.messageCount,
    firstMessage: summary.firstMessage ?? '(no messages)',
    allMessagesText: conversation.toString(),
  };
}

/** `readSessionInfo` for many files, newest first; files that cannot be read or are no sessions are left out. */
export async function readSessionInfos(storage: SessionStorage, paths: Iterable<string>): Promise<SessionInfo[]> {
  const infos: SessionInfo[] = [];
  for (const path of paths) {
    try {
      const info = await readSessionInfo(storage, path);
      if (info !== undefined) infos.push(info);
    } catch (error) {
      if (!isReadFailure(error)) throw error;
    }
  }
  return infos.sort((a, b) => b.modified.getTime() - a.modified.getTime());
}

/** The beginning of a session, read no further than needed. */
export interface SessionOpening {
  readonly header: SessionHeader;
  readonly titleSlot: string | undefined;
  readonly firstPrompt: string | undefined;
}

/** A prompt further down than this is not looked for: a glance at a session has to stay one. */
const MAX_OPENING_BYTES = 256 * 1024;
/** Damage before the header may be longer, but a large file of something else is not read to its end. */
const MAX_DAMAGE_BYTES = 16 * 1024 * 1024;

/**
 * A session's header, wherever it ends, and its first prompt if that stands near the beginning; undefined when the file
 * has no header. The storage's errors are thrown on.
 */
export async function readSessionOpening(storage: SessionStorage, path: string): Promise<SessionOpening | undefined> {
  let header: SessionHeader | undefined;
  let titleSlot: string | undefined;
  let firstPrompt: string | undefined;
  await scanRecords(storage, path, 'full', (record) => {
    if (record.kind === 'title') titleSlot = record.slot.title;
    if (record.kind === 'header') header = record.header;
    if (record.kind === 'entry' && record.entry !== undefined) firstPrompt ??= promptText(record.entry);
    if (header !== undefined) return firstPrompt === undefined && record.span.offset < MAX_OPENING_BYTES;
    if (record.kind === 'title') return true;
    return record.kind === 'damage' && record.reason !== 'not_an_entry' && record.span.offset < MAX_DAMAGE_BYTES;
  });
  return header === undefined ? undefined : { header, titleSlot, firstPrompt };
}
