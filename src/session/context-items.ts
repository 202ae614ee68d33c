import type { SessionContext } from './context.ts';
import { contentWithImages } from './entry-text.ts';
import type { AgentMessage } from './messages.ts';

/** Four bytes a token is what the family's own estimates use. */
const BYTES_PER_TOKEN = 4;

/** One message that a model would be given. */
export interface ContextItem {
  readonly message: AgentMessage;
  /** What it says; images as placeholders. */
  readonly text: string;
  /** Estimated. */
  readonly tokens: number;
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

/** One message with its text and an estimate of its tokens. */
export function contextItem(message: AgentMessage): ContextItem {
  const text = messageText(message);
  return { message, text, tokens: Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN) };
}

/** The messages of a context, each with its text and an estimate of its tokens. */
export function contextItems({ messages }: SessionContext): ContextItem[] {
  return messages.map(contextItem);
}
