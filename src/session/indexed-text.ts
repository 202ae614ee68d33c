import { fieldOf, type SessionEntry } from './entries.ts';
import { contentBlocks, contentText, isRecord } from './messages.ts';

/** What is searched of an entry without asking for tool output, and who says it: a role, or the entry's type. */
export interface IndexedText {
  readonly role: string;
  readonly text: string;
}

/** So much without a space is no text but a picture or a signature. */
const PAYLOAD_UNITS = 1000;
const PAYLOAD_START = /(?:data:[\w/+.-]{1,100};base64,)?[A-Za-z0-9+/=_-]{1000}/g;
const NO_PAYLOAD = /[^A-Za-z0-9+/=_-]/g;
const MAX_STRINGS = 10_000;

/** Is there a stretch of `PAYLOAD_UNITS` without a space? Looks at one character of each such stretch, and at its neighbours. */
function mayHoldPayload(text: string): boolean {
  for (let probe = PAYLOAD_UNITS - 1; probe < text.length; probe += PAYLOAD_UNITS) {
    if (text.charCodeAt(probe) <= 0x20) continue;
    let [start, end] = [probe, probe];
    while (start > 0 && text.charCodeAt(start - 1) > 0x20) start--;
    while (end < text.length && end - start < PAYLOAD_UNITS && text.charCodeAt(end) > 0x20) end++;
    if (end - start >= PAYLOAD_UNITS) return true;
  }
  return false;
}

/** Not one expression for all of a payload: one that repeats runs out of stack on a picture of some megabytes. */
function withoutPayloads(text: string): string {
  if (!mayHoldPayload(text)) return text;
  const kept: string[] = [];
  let from = 0;
  PAYLOAD_START.lastIndex = 0;
  for (let start = PAYLOAD_START.exec(text); start !== null; start = PAYLOAD_START.exec(text)) {
    kept.push(text.slice(from, start.index));
    NO_PAYLOAD.lastIndex = PAYLOAD_START.lastIndex;
    from = NO_PAYLOAD.exec(text)?.index ?? text.length;
    PAYLOAD_START.lastIndex = from;
  }
  return [...kept, text.slice(from)].join(' ');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The strings within a value, at any depth, in their order. */
function stringsIn(value: unknown): string[] {
  const found: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0 && found.length < MAX_STRINGS) {
    const next = open.pop();
    if (typeof next === 'string') found.push(next);
    else if (typeof next === 'object' && next !== null) {
      for (const inner of Object.values(next).slice(0, MAX_STRINGS).reverse()) open.push(inner);
    }
  }
  return found;
}

function answerText(content: unknown, withCalls: boolean): string {
  if (typeof content === 'string') return content;
  const parts: string[] = [];
  for (const block of contentBlocks(content)) {
    if (block['type'] === 'text') parts.push(text(block['text']));
    else if (block['type'] === 'thinking') parts.push(text(block['thinking']));
    else if (block['type'] === 'toolCall' && withCalls)
      parts.push(text(block['name']), ...stringsIn(block['arguments']));
  }
  return parts.join('\n');
}

function messageText(message: Readonly<Record<string, unknown>>): string {
  switch (message['role']) {
    case 'assistant':
      return [answerText(message['content'], true), text(message['errorMessage'])].join('\n');
    case 'toolResult':
      return '';
    case 'bashExecution':
      return text(message['command']);
    case 'pythonExecution':
      return text(message['code']);
    case 'fileMention':
      return Array.isArray(message['files'])
        ? message['files'].map((file) => (isRecord(file) ? text(file['path']) : '')).join('\n')
        : '';
    case 'branchSummary':
    case 'compactionSummary':
      return text(message['summary']);
  }
  return contentText(message['content']);
}

function ownText(entry: SessionEntry): string {
  switch (entry.type) {
    case 'message':
      return isRecord(entry.message) ? messageText(entry.message) : '';
    case 'custom_message':
      return contentText(entry.content);
    case 'compaction':
      return [text(entry.shortSummary), text(entry.summary)].join('\n');
    case 'branch_summary':
      return text(entry.summary);
    case 'label':
      return text(entry.label);
    case 'session_init':
      return text(entry.task);
    case 'thinking_level_change':
    case 'model_change':
    case 'service_tier_change':
    case 'custom':
    case 'ttsr_injection':
    case 'mcp_tool_selection':
    case 'mode_change':
      return '';
  }
  // Titles as pi and omp write them.
  const { type }: { readonly type: string } = entry;
  if (type === 'session_info') return text(fieldOf(entry, 'name'));
  return type === 'title_change' ? text(fieldOf(entry, 'title')) : '';
}

function roleOf(entry: SessionEntry): string {
  if (entry.type !== 'message') return entry.type;
  const role = isRecord(entry.message) ? entry.message['role'] : undefined;
  return typeof role === 'string' ? role : 'message';
}

/** The searchable text of an entry, pictures and signatures left out; undefined when it says nothing. */
export function indexedText(entry: SessionEntry): IndexedText | undefined {
  const own = withoutPayloads(ownText(entry)).trim();
  return own === '' ? undefined : { role: roleOf(entry), text: own };
}

/** What an answer says beside the tools that it calls; undefined for any other entry. */
export function textBesideCalls(entry: SessionEntry): string | undefined {
  if (entry.type !== 'message' || !isRecord(entry.message) || entry.message['role'] !== 'assistant') return undefined;
  return answerText(entry.message['content'], false);
}

/** The same of what a tool or a command gave back. */
export function outputText(entry: SessionEntry): IndexedText | undefined {
  if (entry.type !== 'message' || !isRecord(entry.message)) return undefined;
  const message: Readonly<Record<string, unknown>> = entry.message;
  const output = message['role'] === 'toolResult' ? contentText(message['content']) : text(message['output']);
  const own = withoutPayloads(output).trim();
  return own === '' ? undefined : { role: roleOf(entry), text: own };
}
