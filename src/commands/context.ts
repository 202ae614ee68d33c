import { neutraliseBlock, neutraliseLine } from '../model/neutralise.ts';
import { print, toJson } from '../output.ts';
import { contextItems, contextOfPath } from '../session/context-items.ts';
import { entriesOnPath, nodesOnPath } from '../session/loaded-session.ts';
import { isRecord } from '../session/messages.ts';
import { sessionJson } from './list.ts';
import { openTarget } from './opened.ts';
import type { Place } from './place.ts';

/** Pictures are named, never printed: their payload is nobody's to read (field report B01). */
function withoutPayload(_key: string, value: unknown): unknown {
  if (!isRecord(value) || value['type'] !== 'image' || typeof value['data'] !== 'string') return value;
  const { data, ...rest } = value;
  return String(data).startsWith('blob:') ? { ...rest, data } : { ...rest, base64Length: String(data).length };
}

export interface ContextOptions {
  readonly entry: string | undefined;
  readonly json: boolean;
}

/** `bough context TARGET`: what the model would see there, with an estimate of tokens for each message. */
export async function runContext(place: Place, target: string, { entry, json }: ContextOptions): Promise<void> {
  const { row, session, at } = await openTarget(target, entry, place);
  // The path alone: equal ids elsewhere in the file, cycles and damage are settled by the tree.
  const context = contextOfPath(at < 0 ? [] : entriesOnPath(session, at));
  const items = contextItems(context);
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
