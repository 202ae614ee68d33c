import type { SessionEntry } from './entries.ts';
import { contentWithImages, entryText, type ToolCalls, toolCallText } from './entry-text.ts';
import { contentBlocks, isRecord } from './messages.ts';

const NO_CALLS: ToolCalls = new Map();

/** Who or what an item of a transcript comes from. */
type TranscriptKind =
  | 'user'
  | 'assistant'
  | 'thinking'
  | 'tool'
  | 'execution'
  | 'compaction'
  | 'branch_summary'
  | 'custom'
  | 'state'
  | 'damage';

/** One piece of a conversation as a person reads it. Text is as on disk: neutralise it before it reaches a terminal. */
export interface TranscriptItem {
  /** The entry's id; several items may share it (an answer and its tool calls). */
  readonly entryId: string;
  readonly kind: TranscriptKind;
  /** For a tool: its call, such as `read: src/a.ts:1-40`. */
  readonly heading: string;
  /** For a tool: its result. Images stand as `[image png 34 KB]`. */
  readonly text: string;
  readonly isError: boolean;
  /** Epoch ms; undefined when the entry does not tell. */
  readonly timeMs: number | undefined;
  readonly label: string | undefined;
}

/** The conversation on the path to one entry, oldest first. */
export interface Transcript {
  readonly items: readonly TranscriptItem[];
  /** Items before the first of `items` that were left out to keep it small. */
  readonly omitted: number;
  readonly damagedLines: number;
}

/** What a transcript is made from: the nodes on a path, root first. */
export interface TranscriptSource {
  readonly id: string;
  readonly timeMs: number | undefined;
  /** undefined for a damaged line. */
  readonly entry: SessionEntry | undefined;
}

type Draft = { -readonly [Key in keyof TranscriptItem]: TranscriptItem[Key] };

/** Builds the items of one path; tool results join the calls that they answer. */
class TranscriptWriter {
  readonly items: Draft[] = [];
  readonly #openCalls = new Map<string, Draft>();
  readonly #labels: ReadonlyMap<string, string>;
  #source: TranscriptSource | undefined;
  #isFirstOfEntry = true;

  constructor(labels: ReadonlyMap<string, string>) {
    this.#labels = labels;
  }

  add(source: TranscriptSource): void {
    this.#source = source;
    this.#isFirstOfEntry = true;
    const { entry } = source;
    if (entry === undefined) this.#put('damage', 'damaged line', '');
    else if (entry.type === 'message' && isRecord(entry.message)) this.#addMessage(entry.message);
    else if (entry.type === 'custom_message') this.#put('custom', entry.customType, contentWithImages(entry.content));
    else if (entry.type === 'compaction') this.#put('compaction', 'compaction', entry.summary);
    else if (entry.type === 'branch_summary') this.#put('branch_summary', 'branch summary', entry.summary);
    else this.#put('state', entryText(entry, NO_CALLS), '');
  }

  #put(kind: TranscriptKind, heading: string, text: unknown, isError = false): Draft {
    const { id = '', timeMs } = this.#source ?? {};
    const label = this.#isFirstOfEntry ? this.#labels.get(id) : undefined;
    this.#isFirstOfEntry = false;
    const item = { entryId: id, kind, heading, text: typeof text === 'string' ? text : '', isError, timeMs, label };
    this.items.push(item);
    return item;
  }

  #addMessage(message: Readonly<Record<string, unknown>>): void {
    const { role } = message;
    if (role === 'user' || role === 'developer') this.#put('user', role, contentWithImages(message['content']));
    else if (role === 'assistant') this.#addAnswer(message);
    else if (role === 'toolResult') this.#addResult(message);
    else if (role === 'bashExecution') this.#put('execution', `$ ${message['command']}`, message['output']);
    else if (role === 'pythonExecution') this.#put('execution', `>>> ${message['code']}`, message['output']);
    else if (role === 'custom' || role === 'hookMessage') {
      this.#put('custom', String(message['customType']), contentWithImages(message['content']));
    } else this.#put('custom', String(role), contentWithImages(message['content']));
  }

  #addAnswer(message: Readonly<Record<string, unknown>>): void {
    const heading = typeof message['model'] === 'string' ? message['model'] : 'assistant';
    for (const block of contentBlocks(message['content'])) {
      if (block['type'] === 'text') this.#put('assistant', heading, block['text']);
      else if (block['type'] === 'thinking') this.#put('thinking', 'thinking', block['thinking']);
      else if (block['type'] === 'image') this.#put('assistant', heading, contentWithImages([block]));
      else if (block['type'] === 'toolCall') {
        const item = this.#put('tool', toolCallText(String(block['name']), block['arguments']), '');
        if (typeof block['id'] === 'string') this.#openCalls.set(block['id'], item);
      }
    }
    const { stopReason, errorMessage } = message;
    if (stopReason === 'aborted') this.#put('assistant', heading, '(aborted)', true);
    if (stopReason === 'error') this.#put('assistant', heading, `(error) ${errorMessage ?? ''}`, true);
  }

  #addResult(message: Readonly<Record<string, unknown>>): void {
    const text = contentWithImages(message['content']);
    const isError = message['isError'] === true;
    const call = this.#openCalls.get(String(message['toolCallId']));
    if (call === undefined) {
      this.#put('tool', String(message['toolName']), text, isError);
      return;
    }
    this.#openCalls.delete(String(message['toolCallId']));
    call.text = text;
    call.isError = isError;
  }
}

/** The conversation along a path of nodes, its last `limit` items. */
export function buildTranscript(
  path: Iterable<TranscriptSource>,
  labels: ReadonlyMap<string, string>,
  damagedLines: number,
  limit: number,
): Transcript {
  const writer = new TranscriptWriter(labels);
  for (const source of path) writer.add(source);
  const omitted = Math.max(0, writer.items.length - limit);
  return { items: writer.items.slice(omitted), omitted, damagedLines };
}
