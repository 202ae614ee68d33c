/** What one message of a conversation holds, as the agents write it. Files from disk may break any of this: readers narrow. */
export interface TextBlock {
  type: 'text';
  text: string;
  textSignature?: string;
}

export interface ImageBlock {
  type: 'image';
  /** Base64, or a reference `blob:sha256:<hash>` while it is on disk. */
  data: string;
  mimeType: string;
}

export interface ThinkingBlock {
  type: 'thinking';
  thinking: string;
  thinkingSignature?: string;
}

export interface ToolCallBlock {
  type: 'toolCall';
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  intent?: string;
}

export interface RedactedThinkingBlock {
  type: 'redactedThinking';
  data: string;
}

export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolCallBlock;
export type ContentBlock = TextBlock | ImageBlock;
export type Attribution = 'user' | 'agent';

/** Token counts and their price in dollars, as the provider billed one assistant message. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens?: number;
  premiumRequests?: number;
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

export type StopReason = 'stop' | 'length' | 'toolUse' | 'error' | 'aborted';

export interface UserMessage {
  role: 'user';
  content: string | ContentBlock[];
  attribution?: Attribution;
  synthetic?: boolean;
  providerPayload?: unknown;
  timestamp: number;
}

export interface DeveloperMessage {
  role: 'developer';
  content: string | ContentBlock[];
  attribution?: Attribution;
  timestamp: number;
}

export interface AssistantMessage {
  role: 'assistant';
  content: AssistantBlock[];
  api?: string;
  provider: string;
  model: string;
  responseId?: string;
  usage: Usage;
  stopReason: StopReason;
  errorMessage?: string;
  providerPayload?: unknown;
  duration?: number;
  ttft?: number;
  timestamp: number;
}

export interface ToolResultMessage {
  role: 'toolResult';
  toolCallId: string;
  toolName: string;
  content: ContentBlock[];
  details?: unknown;
  isError: boolean;
  attribution?: Attribution;
  prunedAt?: number;
  timestamp: number;
}

export interface BashExecutionMessage {
  role: 'bashExecution';
  command: string;
  output: string;
  exitCode?: number;
  cancelled: boolean;
  truncated: boolean;
  meta?: unknown;
  excludeFromContext?: boolean;
  timestamp: number;
}

export interface PythonExecutionMessage {
  role: 'pythonExecution';
  code: string;
  output: string;
  exitCode?: number;
  cancelled: boolean;
  truncated: boolean;
  meta?: unknown;
  excludeFromContext?: boolean;
  timestamp: number;
}

interface ExtensionMessage {
  customType: string;
  content: string | ContentBlock[];
  display: boolean;
  details?: unknown;
  attribution?: Attribution;
  timestamp: number;
}

export interface CustomMessage extends ExtensionMessage {
  role: 'custom';
}

/** The form that `custom` had before version 3. */
export interface HookMessage extends ExtensionMessage {
  role: 'hookMessage';
}

export interface BranchSummaryMessage {
  role: 'branchSummary';
  summary: string;
  fromId: string;
  timestamp: number;
}

export interface CompactionSummaryMessage {
  role: 'compactionSummary';
  summary: string;
  shortSummary?: string;
  tokensBefore: number;
  providerPayload?: unknown;
  timestamp: number;
}

export interface MentionedFile {
  path: string;
  content: string;
  lineCount?: number;
  image?: ImageBlock;
}

export interface FileMentionMessage {
  role: 'fileMention';
  files: MentionedFile[];
  timestamp: number;
}

/** The `details` of a custom message that stands for a skill which the user called. */
export interface SkillPromptDetails {
  name: string;
  path: string;
  args?: string;
  lineCount: number;
}

export const SKILL_PROMPT_MESSAGE_TYPE = 'skill-prompt';

export type AgentMessage =
  | UserMessage
  | DeveloperMessage
  | AssistantMessage
  | ToolResultMessage
  | BashExecutionMessage
  | PythonExecutionMessage
  | CustomMessage
  | HookMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage
  | FileMentionMessage;

/** Epoch milliseconds of an ISO time; 0 when it is none, so that a bad time sorts first and never spreads NaN. */
export function epochMs(iso: unknown): number {
  const ms = typeof iso === 'string' ? Date.parse(iso) : Number.NaN;
  return Number.isFinite(ms) ? ms : 0;
}

/** The context's message for a `branch_summary` entry. */
export function createBranchSummaryMessage(summary: string, fromId: string, isoTime: string): BranchSummaryMessage {
  return { role: 'branchSummary', summary, fromId, timestamp: epochMs(isoTime) };
}

/** The context's message for a `compaction` entry. */
export function createCompactionSummaryMessage(
  summary: string,
  tokensBefore: number,
  isoTime: string,
  shortSummary?: string,
  providerPayload?: unknown,
): CompactionSummaryMessage {
  return {
    role: 'compactionSummary',
    summary,
    ...(shortSummary === undefined ? {} : { shortSummary }),
    tokensBefore,
    ...(providerPayload === undefined ? {} : { providerPayload }),
    timestamp: epochMs(isoTime),
  };
}

/** The context's message for a `custom_message` entry. */
export function createCustomMessage(
  customType: string,
  content: string | ContentBlock[],
  display: boolean,
  details: unknown,
  isoTime: string,
  attribution?: Attribution,
): CustomMessage {
  return {
    role: 'custom',
    customType,
    content,
    display,
    ...(details === undefined ? {} : { details }),
    ...(attribution === undefined ? {} : { attribution }),
    timestamp: epochMs(isoTime),
  };
}

/** Is this a JSON object (no array, not null)? */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects in a `content` array; [] when it is something else. Blocks are unknown until their `type` is looked at. */
export function contentBlocks(content: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

/** The readable text of a `content`: the string itself, or its text blocks, a line break between them. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts: string[] = [];
  for (const block of contentBlocks(content)) {
    if (block['type'] === 'text' && typeof block['text'] === 'string') texts.push(block['text']);
  }
  return texts.join('\n');
}

/** Does an assistant's provider payload replay a response history of OpenAI's? */
function replaysOpenAIResponses(payload: unknown): boolean {
  return isRecord(payload) && payload['type'] === 'openaiResponsesHistory';
}

/**
 * An assistant message without what only the process that received it may replay: its response history and the
 * signatures of its thinking (contract 1.9). The same object when there is nothing to take out.
 */
export function sanitizeRehydratedOpenAIResponsesAssistantMessage(message: AssistantMessage): AssistantMessage {
  if (!replaysOpenAIResponses(message.providerPayload)) return message;
  const { providerPayload: _payload, ...rest } = message;
  const content = Array.isArray(message.content)
    ? message.content.map((block) => {
        if (block?.type !== 'thinking' || block.thinkingSignature === undefined) return block;
        const { thinkingSignature: _signature, ...kept } = block;
        return kept;
      })
    : message.content;
  return { ...rest, content };
}
