import {
  type AgentMessage,
  type AssistantMessage,
  type Attribution,
  type BashExecutionMessage,
  type ContentBlock,
  contentText,
  type DeveloperMessage,
  type FileMentionMessage,
  type PythonExecutionMessage,
  type ToolResultMessage,
  type UserMessage,
} from './messages.ts';

/** What a model accepts. */
export type LlmMessage = UserMessage | DeveloperMessage | AssistantMessage | ToolResultMessage;

interface Execution {
  readonly output: string;
  readonly exitCode?: number;
  readonly cancelled: boolean;
  readonly truncated: boolean;
}

/** Fences that no run of backticks inside the output can close. */
function fenced(text: string): string {
  let fence = '```';
  while (text.includes(fence)) fence += '`';
  return `${fence}\n${text}\n${fence}`;
}

function executionToText(what: string, run: Execution): string {
  const notes: string[] = [];
  if (run.cancelled) notes.push('Stopped by the user before it ended.');
  else if (run.exitCode !== undefined && run.exitCode !== 0) notes.push(`Exit status ${run.exitCode}.`);
  if (run.truncated) notes.push('The output is cut; the rest was not kept.');
  return [what, run.output === '' ? 'No output.' : fenced(run.output), ...notes].join('\n');
}

/** A shell command that the user ran, with its output and its end, as text for a model. */
export function bashExecutionToText(message: BashExecutionMessage): string {
  return executionToText(`The user ran this in a shell: \`${message.command}\``, message);
}

/** Python code that the user ran, with its output and its end, as text for a model. */
export function pythonExecutionToText(message: PythonExecutionMessage): string {
  return executionToText(`The user ran this Python code:\n${fenced(message.code)}`, message);
}

function userText(text: string, attribution: Attribution, timestamp: number): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }], attribution, timestamp };
}

function summaryText(introduction: string, summary: string): string {
  return `${introduction}\n\n<summary>\n${summary}\n</summary>`;
}

function mentionToUser(message: FileMentionMessage): UserMessage {
  const files = Array.isArray(message.files) ? message.files : [];
  const parts = files.map((file) => `<file path="${file.path}">\n${file.content}\n</file>`);
  const images = files.flatMap((file): ContentBlock[] => (file.image === undefined ? [] : [file.image]));
  const text = `<system-reminder>\n${parts.join('\n')}\n</system-reminder>`;
  return {
    role: 'user',
    content: [{ type: 'text', text }, ...images],
    attribution: 'user',
    timestamp: message.timestamp,
  };
}

function prunedResult(message: ToolResultMessage): ToolResultMessage {
  const text = contentText(message.content);
  return { ...message, content: [{ type: 'text', text: text === '' ? '[Output truncated]' : text }] };
}

function toLlm(message: AgentMessage): LlmMessage | undefined {
  switch (message.role) {
    case 'user':
      return { ...message, attribution: message.attribution ?? 'user' };
    case 'developer':
      return { ...message, attribution: message.attribution ?? 'agent' };
    case 'assistant':
      return message;
    case 'toolResult': {
      const result: ToolResultMessage = { ...message, attribution: message.attribution ?? 'agent' };
      return message.prunedAt === undefined ? result : prunedResult(result);
    }
    case 'bashExecution':
      if (message.excludeFromContext) return undefined;
      return userText(bashExecutionToText(message), 'user', message.timestamp);
    case 'pythonExecution':
      if (message.excludeFromContext) return undefined;
      return userText(pythonExecutionToText(message), 'user', message.timestamp);
    case 'custom':
    case 'hookMessage': {
      const { content, timestamp } = message;
      const blocks: ContentBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      // The attribution's key stays even when it has no value: callers compare whole messages.
      return { role: 'user', content: blocks, attribution: message.attribution, timestamp } as UserMessage;
    }
    case 'branchSummary': {
      const text = summaryText('The conversation came back here from another branch, in short:', message.summary);
      return userText(text, 'agent', message.timestamp);
    }
    case 'compactionSummary': {
      const text = summaryText('What was said before this point, condensed to save room:', message.summary);
      const user = userText(text, 'agent', message.timestamp);
      return message.providerPayload === undefined ? user : { ...user, providerPayload: message.providerPayload };
    }
    case 'fileMention':
      return mentionToUser(message);
  }
  return undefined; // A role that nobody knows.
}

/** The messages as a model takes them (contract 5): extension roles become user text, unknown roles are dropped. */
export function convertToLlm(messages: readonly AgentMessage[]): LlmMessage[] {
  const converted: LlmMessage[] = [];
  for (const message of messages) {
    const llm = toLlm(message);
    if (llm !== undefined) converted.push(llm);
  }
  return converted;
}
