import type { SessionEntry } from './entries.ts';
import { contentWithImages, type ToolCalls, toolCallsOf, toolCallText } from './entry-text.ts';
import { headOfValue } from './line-head.ts';
import { contentBlocks, isRecord } from './messages.ts';
import { entryTimeMs, promptText, SummaryBuilder, type TokenCounts } from './summary.ts';

/** What happened on one branch. Texts are as on disk: neutralise them before they reach a terminal. */
export interface BranchFigures {
  readonly entryCount: number;
  /** Each prompt's beginning, oldest first. */
  readonly prompts: readonly string[];
  /** The last answer that says something. */
  readonly lastAnswer: string | undefined;
  /** Files that were written or edited, in the order in which they were first touched. */
  readonly files: readonly { readonly path: string; readonly changes: number }[];
  /** Calls that failed, such as `bash: npm test`. */
  readonly failures: readonly string[];
  readonly tokens: TokenCounts;
  /** Dollars. */
  readonly cost: number;
  readonly models: readonly string[];
  /** Epoch ms of the first and the last entry; undefined when none tells. */
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
}

/** Two branches behind the last entry that they share. */
export interface Comparison {
  /** The position of that entry; −1 when they share none. */
  readonly ancestor: number;
  readonly sides: readonly [BranchFigures, BranchFigures];
}

const MAX_TEXT_UNITS = 2_000;
const WRITING_TOOLS: ReadonlySet<string> = new Set(['write', 'edit', 'multi_edit', 'apply_patch', 'notebook_edit']);
const NO_BYTES = Buffer.alloc(0);
const NO_SPAN = { line: 0, offset: 0, length: 0 };

/** Gathers the figures of a branch from its entries, oldest first. */
export class BranchFiguresBuilder {
  #entryCount = 0;
  #lastAnswer: string | undefined;
  #startMs: number | undefined;
  #endMs: number | undefined;
  readonly #prompts: string[] = [];
  readonly #files = new Map<string, number>();
  readonly #failures: string[] = [];
  readonly #calls = new Map<string, { readonly name: string; readonly arguments: unknown }>();
  readonly #summary = new SummaryBuilder();

  add(entry: SessionEntry): void {
    this.#entryCount++;
    this.#summary.add({ kind: 'entry', span: NO_SPAN, bytes: NO_BYTES, head: headOfValue({ ...entry }), entry });
    const timeMs = entryTimeMs(entry);
    this.#startMs ??= timeMs;
    this.#endMs = timeMs ?? this.#endMs;
    const prompt = promptText(entry);
    if (prompt !== undefined) this.#prompts.push(prompt.slice(0, MAX_TEXT_UNITS));
    if (entry.type !== 'message' || !isRecord(entry.message)) return;
    const message: Readonly<Record<string, unknown>> = entry.message;
    if (message['role'] === 'assistant') this.#addAnswer(message, toolCallsOf([entry]));
    if (message['role'] === 'toolResult') this.#addResult(message);
  }

  #addAnswer(message: Readonly<Record<string, unknown>>, calls: ToolCalls): void {
    const said = contentWithImages(contentBlocks(message['content'])).trim();
    if (said !== '') this.#lastAnswer = said.slice(0, MAX_TEXT_UNITS);
    for (const [id, call] of calls) this.#calls.set(id, call);
  }

  #addResult(message: Readonly<Record<string, unknown>>): void {
    const call = this.#calls.get(String(message['toolCallId']));
    const name = call?.name ?? String(message['toolName']);
    if (message['isError'] === true) this.#failures.push(toolCallText(name, call?.arguments));
    else if (WRITING_TOOLS.has(name)) {
      const path = pathOf(call?.arguments);
      if (path !== undefined) this.#files.set(path, (this.#files.get(path) ?? 0) + 1);
    }
  }

  finish(): BranchFigures {
    const { tokens, cost, models } = this.#summary.finish();
    return {
      entryCount: this.#entryCount,
      prompts: this.#prompts,
      lastAnswer: this.#lastAnswer,
      files: Array.from(this.#files, ([path, changes]) => ({ path, changes })),
      failures: this.#failures,
      tokens,
      cost,
      models,
      startMs: this.#startMs,
      endMs: this.#endMs,
    };
  }
}

function pathOf(callArguments: unknown): string | undefined {
  if (!isRecord(callArguments)) return undefined;
  const path = callArguments['path'] ?? callArguments['file_path'];
  return typeof path === 'string' && path !== '' ? path : undefined;
}
