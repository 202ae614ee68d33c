import { fieldOf, modelOf, type SessionEntry, type SessionHeader, type TitleSlot } from './entries.ts';
import { contentText, epochMs, isRecord } from './messages.ts';
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
  readonly labelCount: number;
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

interface MutableUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cost: number;
}

function addUsage(total: MutableUsage, usage: unknown): void {
  if (!isRecord(usage)) return;
  total.input += amount(usage['input']);
  total.output += amount(usage['output']);
  total.cacheRead += amount(usage['cacheRead']);
  total.cacheWrite += amount(usage['cacheWrite']);
  if (isRecord(usage['cost'])) total.cost += amount(usage['cost']['total']);
}

/** Gathers a session's summary from its records, which may be given in any depth but `skeleton`, in file order. */
export class SummaryBuilder {
  #header: SessionHeader | undefined;
  #slot: TitleSlot | undefined;
  #sessionInfo: string | undefined;
  #shortSummary: string | undefined;
  #firstMessage: string | undefined;
  #modifiedMs: number | undefined;
  #lastTimeMs: number | undefined;
  #lastTurn: LastTurn | undefined;
  #entryCount = 0;
  #messageCount = 0;
  #userTurnCount = 0;
  #damagedLines = 0;
  readonly #childCounts = new Map<string, number>();
  readonly #labels = new Map<string, string>();
  readonly #models = new Set<string>();
  readonly #usage: MutableUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
  readonly #billed = new Set<string>();
  readonly #dialectHints = new Set<'pi' | 'omp'>();

  add(record: SessionRecord): void {
    switch (record.kind) {
      case 'title':
        this.#slot = record.slot;
        this.#dialectHints.add('omp');
        return;
      case 'header':
        this.#header = record.header;
        return;
      case 'damage':
        this.#damagedLines++;
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
    const { cost, ...tokens } = this.#usage;
    let branchCount = 0;
    for (const count of this.#childCounts.values()) if (count > 1) branchCount++;
    const createdMs = epochMs(this.#header?.timestamp);
    return {
      header: this.#header,
      titles: {
        header: this.#header?.title,
        headerSource: this.#header?.titleSource,
        slot: this.#slot?.title,
        slotSource: this.#slot?.source,
        sessionInfo: this.#sessionInfo,
        shortSummary: this.#shortSummary,
      },
      firstMessage: this.#firstMessage,
      createdMs: createdMs === 0 ? undefined : createdMs,
      modifiedMs: this.#modifiedMs ?? this.#lastTimeMs ?? (createdMs === 0 ? undefined : createdMs),
      entryCount: this.#entryCount,
      messageCount: this.#messageCount,
      userTurnCount: this.#userTurnCount,
      branchCount,
      labelCount: this.#labels.size,
      models: [...this.#models],
      tokens,
      cost,
      damagedLines: this.#damagedLines,
      lastTurn: this.#lastTurn,
      hasTitleSlot: this.#slot !== undefined,
      dialectHints: this.#dialectHints,
    };
  }

  #countChild(parentId: string | null | undefined): void {
    if (typeof parentId !== 'string') return;
    this.#childCounts.set(parentId, (this.#childCounts.get(parentId) ?? 0) + 1);
  }

  #addEntry(entry: SessionEntry): void {
    this.#entryCount++;
    const timeMs = entryTimeMs(entry);
    if (timeMs !== undefined) {
      this.#lastTimeMs = timeMs;
      if (isRealEntry(entry)) this.#modifiedMs = timeMs;
    }
    this.#lastTurn = turnAfter(entry) ?? this.#lastTurn;
    switch (entry.type) {
      case 'message':
        this.#addMessage(entry.id, entry.message);
        if (isUserTurn(entry)) this.#userTurnCount++;
        this.#firstMessage ??= promptText(entry);
        return;
      case 'model_change': {
        const model = modelOf(entry);
        if (model !== undefined) this.#models.add(model);
        if (fieldOf(entry, 'modelId') !== undefined) this.#dialectHints.add('pi');
        return;
      }
      case 'label':
        if (entry.label === undefined || entry.label === '') this.#labels.delete(entry.targetId);
        else this.#labels.set(entry.targetId, entry.label);
        return;
      case 'compaction':
        if (typeof entry.shortSummary === 'string') this.#shortSummary = entry.shortSummary;
        return;
      case 'thinking_level_change':
      case 'service_tier_change':
      case 'branch_summary':
      case 'custom':
      case 'custom_message':
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
      this.#dialectHints.add('pi');
      const name = fieldOf(entry, 'name');
      this.#sessionInfo = typeof name === 'string' ? name : '';
    } else if (['title_change', 'model_usage', 'reset_boundary', 'credential_pin'].includes(type)) {
      this.#dialectHints.add('omp');
    }
  }

  #addMessage(id: string, message: unknown): void {
    this.#messageCount++;
    if (!isRecord(message)) return;
    // An entry that stands twice was paid for once.
    if (typeof id === 'string' && this.#billed.has(id)) return;
    if (typeof id === 'string') this.#billed.add(id);
    if (message['role'] === 'assistant') {
      const { provider, model } = message;
      if (typeof provider === 'string' && typeof model === 'string') this.#models.add(`${provider}/${model}`);
      addUsage(this.#usage, message['usage']);
    } else if (message['role'] === 'toolResult' && message['toolName'] === 'task') {
      if (isRecord(message['details'])) addUsage(this.#usage, message['details']['usage']);
    }
  }
}
