import { neutraliseBlock, neutraliseLine } from '../model/neutralise.ts';
import { jsonOfList, print, printAll } from '../output.ts';
import { contextOfPath } from '../session/context.ts';
import { type ContextItem, contextItems } from '../session/context-items.ts';
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

function messageJson({ message, tokens }: ContextItem): unknown {
  return { estimatedTokens: tokens, message: JSON.parse(JSON.stringify(message, withoutPayload)) };
}

function messageMarkdown({ message, text, tokens }: ContextItem, index: number): string {
  const heading = `## ${neutraliseLine(message.role)} (~${tokens} tokens)`;
  return `${index === 0 ? '' : '\n'}${heading}\n\n${neutraliseBlock(text).trimEnd()}\n`;
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
    const about = {
      version: 1,
      session: sessionJson(row),
      entryId: nodesOnPath(session, at).at(-1)?.id ?? null,
      ...state,
      estimatedTokens: items.reduce((sum, item) => sum + item.tokens, 0),
    };
    await printAll(jsonOfList(about, 'messages', items.map(messageJson)));
    return;
  }
  if (items.length === 0) await print('The context is empty.');
  else await printAll(items.map(messageMarkdown));
}
