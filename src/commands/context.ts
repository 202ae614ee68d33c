import { neutraliseBlock, neutraliseLine } from '../model/neutralise.ts';
import { print, toJson } from '../output.ts';
import { buildSessionContext, indexById } from '../session/context.ts';
import { contentWithImages } from '../session/entry-text.ts';
import { entriesOnPath, type LoadedSession, nodesOnPath } from '../session/loaded-session.ts';
import { type AgentMessage, isRecord } from '../session/messages.ts';
import { sessionJson } from './list.ts';
import { openTarget } from './opened.ts';
import type { Place } from './place.ts';

/** Four bytes a token is what the family's own estimates use. */
const BYTES_PER_TOKEN = 4;

/** Pictures are named, never printed: their payload is nobody's to read (field report B01). */
function withoutPayload(_key: string, value: unknown): unknown {
  if (!isRecord(value) || value['type'] !== 'image' || typeof value['data'] !== 'string') return value;
  const { data, ...rest } = value;
  return String(data).startsWith('blob:') ? { ...rest, data } : { ...rest, base64Length: String(data).length };
}

/** What a model would see at a position: the entries on its path, oldest first, through `buildSessionContext`. */
function contextAt(session: LoadedSession, at: number): ReturnType<typeof buildSessionContext> {
  if (at < 0) return buildSessionContext([], null);
  // The path alone: equal ids elsewhere in the file, cycles and damage are settled by the tree.
  const entries = entriesOnPath(session, at);
  const linked = entries.map((entry, index) => ({ ...entry, parentId: entries[index - 1]?.id ?? null }));
  return buildSessionContext(linked, linked.at(-1)?.id ?? null, indexById(linked));
}

function messageText(message: AgentMessage): string {
  if (message.role === 'branchSummary' || message.role === 'compactionSummary') return message.summary;
  if (message.role === 'bashExecution') return `$ ${message.command}\n${message.output}`;
  if (message.role === 'pythonExecution') return `>>> ${message.code}\n${message.output}`;
  if (message.role === 'fileMention') return message.files.map((file) => file.path).join('\n');
  if (message.role !== 'assistant') return contentWithImages(message.content);
  const blocks = Array.isArray(message.content) ? message.content : [];
  return blocks
    .map((block) => {
      if (block.type === 'text') return block.text;
      if (block.type === 'thinking') return block.thinking;
      return block.type === 'toolCall' ? `[${block.name} ${JSON.stringify(block.arguments)}]` : '';
    })
    .join('\n');
}

export interface ContextOptions {
  readonly entry: string | undefined;
  readonly json: boolean;
}

/** `bough context TARGET`: what the model would see there, with an estimate of tokens for each message. */
export async function runContext(place: Place, target: string, { entry, json }: ContextOptions): Promise<void> {
  const { row, session, at } = await openTarget(target, entry, place);
  const context = contextAt(session, at);
  const items = context.messages.map((message) => {
    const text = messageText(message);
    return { message, text, tokens: Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN) };
  });
  if (json) {
    const { messages: _messages, ...state } = context;
    const data = {
      version: 1,
      session: sessionJson(row),
      entryId: nodesOnPath(session, at).at(-1)?.id ?? null,
      ...state,
      estimatedTokens: items.reduce((sum, item) => sum + item.tokens, 0),
      messages: items.map(({ message, tokens }) => ({ estimatedTokens: tokens, message })),
    };
    await print(toJson(JSON.parse(JSON.stringify(data, withoutPayload))));
    return;
  }
  const parts = items.map(
    ({ message, text, tokens }) => `## ${neutraliseLine(message.role)} (~${tokens} tokens)\n\n${neutraliseBlock(text)}`,
  );
  await print(parts.length === 0 ? 'The context is empty.' : parts.join('\n\n'));
}
