import { fieldOf, modelOf, type SessionEntry, type SessionHeader, type TitleSlot } from './entries.ts';
import { contentBlocks, contentText, epochMs, isRecord } from './messages.ts';
import type { SessionRecord } from './records.ts';

/** Token counts of a session's or branch's model calls. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** How the last turn ended; `pending` when a prompt or tool result stands unanswered. */
export type LastTurn = 'done' | 'aborted' | 'error' | 'pending';

/** Every title that a file names; which one counts is its dialect's choice. */
export interface TitleCandidates {
  readonly header: string | undefined;
  readonly headerSource: string | undefined;
  readonly slot: string | undefined;
  readonly slotSource: string | undefined;
  /** pi: the last `session_info`; an empty name clears. */
  readonly sessionInfo: string | undefined;
  /** The last compaction's short summary, xcsh's stand-in. */
  readonly shortSummary: string | undefined;
}

/** What can be said of a session after reading all of it. Times are epoch ms; undefined means the file does not say. */
export interface SessionSummary {
  readonly header: SessionHeader | undefined;
  readonly titles: TitleCandidates;
  readonly firstMessage: string | undefined;
  readonly createdMs: number | undefined;
  /** Of the last real entry: something said, not bookkeeping that opening or labelling a session adds. */
  readonly modifiedMs: number | undefined;
  readonly entryCount: number;
  readonly messageCount: number;
  readonly userTurnCount: number;
  /** Entries with more than one child. */
  readonly branchCount: number;
  /** Texts of the labels that entries bear now. */
  readonly labels: readonly string[];
  readonly hasImages: boolean;
  readonly models: readonly string[];
  readonly tokens: TokenCounts;
  /** Dollars. */
  readonly cost: number;
  readonly damagedLines: number;
  readonly lastTurn: LastTurn | undefined;
  /** Does omp's title line stand before the header? */
  readonly hasTitleSlot: boolean;
  /** Entry types that only one dialect writes, for telling dialects apart. */
  readonly dialectHints: ReadonlySet<'pi' | 'omp'>;
}

/** Was something said here? Model changes, labels, names and empty pins are bookkeeping. */
export function isRealEntry(entry: SessionEntry): boolean {
  switch (entry.type) {
    case 'message':
    case 'custom_message':
    case 'compaction':
      return true;
    case 'branch_summary':
      return entry.summary !== '';
    case 'thinking_level_change':
    case 'model_change':
    case 'service_tier_change':
    case 'custom':
    case 'label':
    case 'ttsr_injection':
    case 'mcp_tool_selection':
    case 'session_init':
    case 'mode_change':
      return false;
  }
  return false;
}

/** Epoch ms of an entry, from itself or else from its message; undefined when neither tells. */
export function entryTimeMs(entry: SessionEntry): number | undefined {
  const own = epochMs(entry.timestamp);
  if (own > 0) return own;
  const message = fieldOf(entry, 'message');
  const spoken = isRecord(message) ? message['timestamp'] : undefined;
  return typeof spoken === 'number' && Number.isFinite(spoken) && spoken > 0 ? spoken : undefined;
}

/** What a message says about how its turn stands; undefined for messages that are part of no turn. */
export function turnAfter(entry: SessionEntry): LastTurn | undefined {
  if (entry.type !== 'message' || !isRecord(entry.message)) return undefined;
  const { role, stopReason } = entry.message as { role?: unknown; stopReason?: unknown };
  if (role === 'user' || role === 'toolResult') return 'pending';
  if (role !== 'assistant') return undefined;
  if (stopReason === 'aborted' || stopReason === 'error') return stopReason;
  return stopReason === 'toolUse' ? 'pending' : 'done';
}

/** Is this a prompt that a user typed? */
export function isUserTurn(entry: SessionEntry): boolean {
  return entry.type === 'message' && isRecord(entry.message) && entry.message.role === 'user';
}

/** The text of a user's prompt, trimmed; undefined for other entries and for prompts without text. */
export function promptText(entry: SessionEntry): string | undefined {
  if (!isUserTurn(entry) || entry.type !== 'message') return undefined;
  const text = contentText(fieldOf(entry.message, 'content')).trim();
  return text === '' ? undefined : text;
}

function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** What one paid call used: tokens in, out, read from and written to the cache, and dollars. */
export type CallUsage = readonly [input: number, output: number, cacheRead: number, cacheWrite: number, cost: number];

function usageFrom(usage: unknown): CallUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const { input, output, cacheRead, cacheWrite, cost } = usage;
  const total = isRecord(cost) ? amount(cost['total']) : 0;
  return [amount(input), amount(output), amount(cacheRead), amount(cacheWrite), total];
}

/** What an entry was paid: an answer its own use, a `task` tool's result that of its sub-agent. */
function usageOf(message: Readonly<Record<string, unknown>>): CallUsage | undefined {
  if (message['role'] === 'assistant') return usageFrom(message['usage']);
  const isTask = message['role'] === 'toolResult' && message['toolName'] === 'task';
  return isTask && isRecord(message['details']) ? usageFrom(message['details']['usage']) : undefined;
}

/** The sum of what some calls used. */
export function sumUsage(calls: Iterable<CallUsage>): { readonly tokens: TokenCounts; readonly cost: number } {
  const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  let cost = 0;
  for (const call of calls) {
    tokens.input += call[0];
    tokens.output += call[1];
    tokens.cacheRead += call[2];
    tokens.cacheWrite += call[3];
    cost += call[4];
  }
  return { tokens, cost };
}

/** Does a message or custom message show a picture? Its payload is not looked at. */
function hasImage(content: unknown): boolean {
  return contentBlocks(content).some(({ type }) => type === 'image');
}

/** All that a builder has gathered; it may be copied, kept and continued later. */
export interface SummaryState {
  header: SessionHeader | undefined;
  slot: TitleSlot | undefined;
  sessionInfo: string | undefined;
  shortSummary: string | undefined;
  firstMessage: string | undefined;
  modifiedMs: number | undefined;
  lastTimeMs: number | undefined;
  lastTurn: LastTurn | undefined;
  entryCount: number;
  messageCount: number;
  userTurnCount: number;
  damagedLines: number;
  hasImages: boolean;
  readonly childCounts: Map<string, number>;
  readonly labels: Map<string, string>;
  readonly models: Set<string>;
  /** Paid calls by what tells an entry and its copies from others: id and timestamp. */
  readonly calls: Map<string, CallUsage>;
  readonly dialectHints: Set<'pi' | 'omp'>;
}

function emptyState(): SummaryState {
  return {
    header: undefined,
    slot: undefined,
    sessionInfo: undefined,
    shortSummary: undefined,
    firstMessage: undefined,
    modifiedMs: undefined,
    lastTimeMs: undefined,
    lastTurn: undefined,
    entryCount: 0,
    messageCount: 0,
    userTurnCount: 0,
    damagedLines: 0,
    hasImages: false,
    childCounts: new Map(),
    labels: new Map(),
    models: new Set(),
    calls: new Map(),
    dialectHints: new Set(),
  };
}

/** Gathers a session's summary from its records, which may be given in any depth but `skeleton`, in file order. */
export class SummaryBuilder {
  readonly state: SummaryState;

  /** Continues from what another builder had gathered. */
  constructor(state: SummaryState = emptyState()) {
    this.state = state;
  }

  add(record: SessionRecord): void {
    switch (record.kind) {
      case 'title':
        this.state.slot = record.slot;
        this.state.dialectHints.add('omp');
        return;
      case 'header':
        this.state.header = record.header;
        return;
      case 'damage':
        this.state.damagedLines++;
        if (record.head !== undefined) this.#countChild(record.head.parentId);
        return;
      case 'extra':
        return;
      case 'entry':
        this.#countChild(record.head.parentId);
        if (record.entry !== undefined) this.#addEntry(record.entry);
        return;
    }
  }

  finish(): SessionSummary {
    const { tokens, cost } = sumUsage(this.state.calls.values());
    let branchCount = 0;
    for (const count of this.state.childCounts.values()) if (count > 1) branchCount++;
    const createdMs = epochMs(this.state.header?.timestamp);
    return {
      header: this.state.header,
      titles: {
        header: this.state.header?.title,
        headerSource: this.state.header?.titleSource,
        slot: this.state.slot?.title,
        slotSource: this.state.slot?.source,
        sessionInfo: this.state.sessionInfo,
        shortSummary: this.state.shortSummary,
      },
      firstMessage: this.state.firstMessage,
      createdMs: createdMs === 0 ? undefined : createdMs,
      modifiedMs: this.state.modifiedMs ?? this.state.lastTimeMs ?? (createdMs === 0 ? undefined : createdMs),
      entryCount: this.state.entryCount,
      messageCount: this.state.messageCount,
      userTurnCount: this.state.userTurnCount,
      branchCount,
      labels: [...this.state.labels.values()],
      hasImages: this.state.hasImages,
      models: [...this.state.models],
      tokens,
      cost,
      damagedLines: this.state.damagedLines,
      lastTurn: this.state.lastTurn,
      hasTitleSlot: this.state.slot !== undefined,
      dialectHints: this.state.dialectHints,
    };
  }

  #countChild(parentId: string | null | undefined): void {
    if (typeof parentId !== 'string') return;
    this.state.childCounts.set(parentId, (this.state.childCounts.get(parentId) ?? 0) + 1);
  }

  #addEntry(entry: SessionEntry): void {
    this.state.entryCount++;
    const timeMs = entryTimeMs(entry);
    if (timeMs !== undefined) {
      this.state.lastTimeMs = timeMs;
      if (isRealEntry(entry)) this.state.modifiedMs = timeMs;
    }
    this.state.lastTurn = turnAfter(entry) ?? this.state.lastTurn;
    switch (entry.type) {
      case 'message':
        this.#addMessage(entry, entry.message);
        if (isUserTurn(entry)) this.state.userTurnCount++;
        this.state.firstMessage ??= promptText(entry);
        return;
      case 'model_change': {
        const model = modelOf(entry);
        if (model !== undefined) this.state.models.add(model);
        if (fieldOf(entry, 'modelId') !== undefined) this.state.dialectHints.add('pi');
        return;
      }
      case 'label':
        if (entry.label === undefined || entry.label === '') this.state.labels.delete(entry.targetId);
        else this.state.labels.set(entry.targetId, entry.label);
        return;
      case 'compaction':
        if (typeof entry.shortSummary === 'string') this.state.shortSummary = entry.shortSummary;
        return;
      case 'custom_message':
        if (hasImage(entry.content)) this.state.hasImages = true;
        return;
      case 'thinking_level_change':
      case 'service_tier_change':
      case 'branch_summary':
      case 'custom':
      case 'ttsr_injection':
      case 'mcp_tool_selection':
      case 'session_init':
      case 'mode_change':
        return;
    }
    this.#addForeign(entry);
  }

  #addForeign(entry: { readonly type: string }): void {
    const { type } = entry;
    if (type === 'session_info') {
      this.state.dialectHints.add('pi');
      const name = fieldOf(entry, 'name');
      this.state.sessionInfo = typeof name === 'string' ? name : '';
    } else if (['title_change', 'model_usage', 'reset_boundary', 'credential_pin'].includes(type)) {
      this.state.dialectHints.add('omp');
    }
  }

  #addMessage({ id, timestamp }: SessionEntry, message: unknown): void {
    this.state.messageCount++;
    if (!isRecord(message)) return;
    if (hasImage(message['content'])) this.state.hasImages = true;
    const { role, provider, model } = message;
    if (role === 'assistant' && typeof provider === 'string' && typeof model === 'string') {
      this.state.models.add(`${provider}/${model}`);
    }
    const usage = usageOf(message);
    // An entry that stands twice was paid for once; one without an id cannot be told from others.
    const key = typeof id === 'string' ? `${id} ${timestamp}` : `#${this.state.entryCount}`;
    if (usage !== undefined && !this.state.calls.has(key)) this.state.calls.set(key, usage);
  }
}
