import { fieldOf, modelOf, type SessionEntry } from './entries.ts';
import { contentBlocks, contentText, isRecord } from './messages.ts';

/** What is shown of a call of a tool that we do not know. */
const MAX_ARGUMENT_CHARS = 60;

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The size of base64 as bytes, from its length alone. */
function decodedBytes(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}

/** `[image png 34 KB]`; without a size when the picture is stored elsewhere. The payload itself is never looked at. */
function imageText(block: Readonly<Record<string, unknown>>): string {
  const kind = text(block['mimeType']).replace(/^image\//, '');
  const data = text(block['data']);
  const isInline = data !== '' && !data.startsWith('blob:');
  const size = isInline ? ` ${Math.max(1, Math.round(decodedBytes(data) / 1024))} KB` : '';
  return `[image${kind === '' ? '' : ` ${kind}`}${size}]`;
}

/** The readable text of a `content`, with images as placeholders. */
export function contentWithImages(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: string[] = [];
  for (const block of contentBlocks(content)) {
    if (block['type'] === 'image') parts.push(imageText(block));
    else if (block['type'] === 'text') parts.push(text(block['text']));
  }
  return parts.join('\n');
}

function lineRange(args: Readonly<Record<string, unknown>>): string {
  const { offset, limit } = args;
  if (typeof offset !== 'number' && typeof limit !== 'number') return '';
  const first = typeof offset === 'number' ? offset : 1;
  return typeof limit === 'number' ? `:${first}-${first + limit - 1}` : `:${first}`;
}

/** A tool call in a few words, `read: src/a.ts:1-40`, as the agents' own trees write it (family 1.2). */
export function toolCallText(name: string, callArguments: unknown): string {
  const args = isRecord(callArguments) ? callArguments : {};
  const path = text(args['path']) || text(args['file_path']);
  const within = path === '' ? '' : ` in ${path}`;
  switch (name) {
    case 'read':
      return `read: ${path}${lineRange(args)}`;
    case 'write':
    case 'edit':
    case 'ls':
      return `${name}: ${path === '' ? '.' : path}`;
    case 'bash':
      return `bash: ${text(args['command'])}`;
    case 'grep':
      return `grep: /${text(args['pattern'])}/${within}`;
    case 'find':
    case 'glob':
      return `${name}: ${text(args['pattern'])}${within}`;
  }
  const json = JSON.stringify(args);
  if (json === '{}') return name;
  return `${name}: ${json.length > MAX_ARGUMENT_CHARS ? `${json.slice(0, MAX_ARGUMENT_CHARS)}…` : json}`;
}

/** Tool calls by their id, so that a result can be drawn as its call. */
export type ToolCalls = ReadonlyMap<string, { readonly name: string; readonly arguments: unknown }>;

/** Every tool call of some entries. */
export function toolCallsOf(entries: Iterable<SessionEntry>): ToolCalls {
  const calls = new Map<string, { name: string; arguments: unknown }>();
  for (const entry of entries) {
    if (entry.type !== 'message' || !isRecord(entry.message)) continue;
    for (const block of contentBlocks(entry.message['content'])) {
      if (block['type'] !== 'toolCall' || typeof block['id'] !== 'string') continue;
      calls.set(block['id'], { name: text(block['name']), arguments: block['arguments'] });
    }
  }
  return calls;
}

function assistantText(message: Readonly<Record<string, unknown>>): string {
  const spoken = contentWithImages(message['content']);
  const error = text(message['errorMessage']);
  if (message['stopReason'] === 'aborted') return spoken === '' ? '(aborted)' : `${spoken}\n(aborted)`;
  if (message['stopReason'] === 'error') return [spoken, `(error) ${error}`].filter((part) => part !== '').join('\n');
  if (spoken !== '') return spoken;
  const calls = contentBlocks(message['content']).filter((block) => block['type'] === 'toolCall');
  if (calls.length === 0) return '(no content)';
  return calls.map((call) => `[${toolCallText(text(call['name']), call['arguments'])}]`).join('\n');
}

function messageEntryText(message: Readonly<Record<string, unknown>>, calls: ToolCalls): string {
  switch (message['role']) {
    case 'user':
    case 'developer':
      return contentWithImages(message['content']);
    case 'assistant':
      return assistantText(message);
    case 'toolResult': {
      const call = calls.get(text(message['toolCallId']));
      return `[${toolCallText(call?.name ?? text(message['toolName']), call?.arguments)}]`;
    }
    case 'bashExecution':
      return `$ ${text(message['command'])}`;
    case 'pythonExecution':
      return `>>> ${text(message['code'])}`;
    case 'custom':
    case 'hookMessage':
      return `[${text(message['customType'])}] ${contentWithImages(message['content'])}`;
    case 'fileMention': {
      const files = Array.isArray(message['files']) ? message['files'].filter(isRecord) : [];
      return files.map((file) => `@${text(file['path'])}`).join(' ');
    }
    case 'branchSummary':
    case 'compactionSummary':
      return text(message['summary']);
  }
  return contentText(message['content']) || `[${text(message['role']) || 'message'}]`;
}

/** What an entry says, in full and as it is on disk; entries that only carry state say what they set, in brackets. */
export function entryText(entry: SessionEntry, calls: ToolCalls): string {
  switch (entry.type) {
    case 'message':
      return isRecord(entry.message) ? messageEntryText(entry.message, calls) : '[message]';
    case 'custom_message':
      return `[${entry.customType}] ${contentWithImages(entry.content)}`;
    case 'compaction':
      return `[compaction: ${Math.round((Number(entry.tokensBefore) || 0) / 1000)}k tokens] ${text(entry.summary)}`;
    case 'branch_summary':
      return text(entry.summary) === '' ? '[branch]' : `[branch summary] ${entry.summary}`;
    case 'thinking_level_change':
      return `[thinking: ${entry.thinkingLevel ?? 'off'}]`;
    case 'model_change':
      return `[model: ${modelOf(entry) ?? '?'}${entry.role === undefined ? '' : ` for ${entry.role}`}]`;
    case 'service_tier_change':
      return `[service tier: ${typeof entry.serviceTier === 'string' ? entry.serviceTier : JSON.stringify(entry.serviceTier)}]`;
    case 'custom':
      return `[custom: ${entry.customType}]`;
    case 'label':
      return `[label: ${entry.label || '(cleared)'}]`;
    case 'ttsr_injection':
      return `[rules: ${Array.isArray(entry.injectedRules) ? entry.injectedRules.join(', ') : ''}]`;
    case 'mcp_tool_selection':
      return `[tools: ${Array.isArray(entry.selectedToolNames) ? entry.selectedToolNames.join(', ') : ''}]`;
    case 'session_init':
      return `[task] ${text(entry.task)}`;
    case 'mode_change':
      return `[mode: ${entry.mode}]`;
  }
  return foreignText(entry);
}

/** Types of other dialects, and those of the future under their own name. */
function foreignText(entry: { readonly type: string }): string {
  const field = (key: string): string => text(fieldOf(entry, key));
  switch (entry.type) {
    case 'session_info':
      return `[title: ${field('name') || '(cleared)'}]`;
    case 'title_change':
      return `[title: ${field('title')}]`;
    case 'model_usage':
      return `[model usage: ${field('purpose')} ${field('provider')}/${field('model')}]`;
    case 'credential_pin':
      return `[credential pin: ${field('provider')}]`;
    case 'reset_boundary':
      return '[reset boundary]';
  }
  return `[${entry.type}]`;
}
