import { SessionError } from '../errors.ts';
import type { SessionEntry, SessionEntryBase } from './entries.ts';
import type { AgentMessage, Attribution, ContentBlock } from './messages.ts';
import { ReadableSession } from './readable-session.ts';
import { createEntryId } from './session-ids.ts';

/** An entry's own fields. */
type OwnFields<T extends SessionEntry> = T extends SessionEntry
  ? Omit<T, Exclude<keyof SessionEntryBase, 'type'>>
  : never;

/**
 * The writing half of an open session (contract 1.3). Every append makes one entry whose parent is the leaf, becomes the
 * leaf, and gives back its id without waiting.
 *
 * An append throws, with everything as before, for a value that JSON cannot hold. When an earlier entry could not be
 * written it throws that stored error, but its own entry counts and waits in line with the others.
 */
export abstract class AppendableSession extends ReadableSession {
  /** The entry as its line; undefined when none is to be written now. Throws for a value that JSON cannot hold. */
  protected abstract prepare(entry: SessionEntry): string | undefined;
  /** Has the entry, which is in memory by now, written. Throws the stored error. */
  protected abstract persist(entry: SessionEntry, line: string | undefined): void;

  /** A message as it is, kept by reference; not one of the two summaries that only contexts have. */
  appendMessage(message: AgentMessage): string {
    return this.#append({ type: 'message', message });
  }

  appendThinkingLevelChange(thinkingLevel?: string | null): string {
    return this.#append({ type: 'thinking_level_change', thinkingLevel: thinkingLevel ?? null });
  }

  /** `model` is "provider/id"; no `role` means the default one. */
  appendModelChange(model: string, role?: string): string {
    return this.#append({ type: 'model_change', model, ...(role === undefined ? {} : { role }) });
  }

  appendServiceTierChange(serviceTier: string | null): string {
    return this.#append({ type: 'service_tier_change', serviceTier });
  }

  appendCompaction(
    summary: string,
    shortSummary: string | undefined,
    firstKeptEntryId: string,
    tokensBefore: number,
    details?: unknown,
    fromExtension?: boolean,
    preserveData?: Record<string, unknown>,
  ): string {
    return this.#append({
      type: 'compaction',
      summary,
      ...(shortSummary === undefined ? {} : { shortSummary }),
      firstKeptEntryId,
      tokensBefore,
      ...(details === undefined ? {} : { details }),
      ...(fromExtension === undefined ? {} : { fromExtension }),
      ...(preserveData === undefined ? {} : { preserveData }),
    });
  }

  /** State of an extension, which no model sees. */
  appendCustomEntry(customType: string, data?: unknown): string {
    return this.#append({ type: 'custom', customType, ...(data === undefined ? {} : { data }) });
  }

  /** A message of an extension, which the model sees. */
  appendCustomMessageEntry(
    customType: string,
    content: string | ContentBlock[],
    display: boolean,
    details?: unknown,
    attribution: Attribution = 'agent',
  ): string {
    const fields = details === undefined ? {} : { details };
    return this.#append({ type: 'custom_message', customType, content, display, ...fields, attribution });
  }

  /**
   * Labels an entry; undefined or "" clears its label.
   * @throws SessionError `entry_not_found`
   */
  appendLabelChange(targetId: string, label: string | undefined): string {
    this.#assertEntry(targetId);
    return this.#append({ type: 'label', targetId, ...(label === undefined ? {} : { label }) });
  }

  appendTtsrInjection(rules: readonly string[]): string {
    return this.#append({ type: 'ttsr_injection', injectedRules: [...rules] });
  }

  appendMCPToolSelection(names: readonly string[]): string {
    return this.#append({ type: 'mcp_tool_selection', selectedToolNames: [...names] });
  }

  appendSessionInit(init: { systemPrompt: string; task: string; tools: string[]; outputSchema?: unknown }): string {
    const { systemPrompt, task, tools, outputSchema } = init;
    const schema = outputSchema === undefined ? {} : { outputSchema };
    return this.#append({ type: 'session_init', systemPrompt, task, tools, ...schema });
  }

  appendModeChange(mode: string, data?: Record<string, unknown>): string {
    return this.#append({ type: 'mode_change', mode, ...(data === undefined ? {} : { data }) });
  }

  /**
   * Moves the leaf, and nothing else: forgotten unless something is appended.
   * @throws SessionError `entry_not_found`
   */
  branch(entryId: string): void {
    this.#assertEntry(entryId);
    this.index.leafId = entryId;
  }

  /** The next entry will be a root. */
  resetLeaf(): void {
    this.index.leafId = null;
  }

  /**
   * Moves the leaf to an entry (null: before the first) and appends a summary of what is left behind there.
   * @throws SessionError `entry_not_found`
   */
  branchWithSummary(entryId: string | null, summary: string, details?: unknown, fromExtension?: boolean): string {
    if (entryId !== null) this.#assertEntry(entryId);
    return this.#append(
      {
        type: 'branch_summary',
        fromId: entryId ?? 'root',
        summary,
        ...(details === undefined ? {} : { details }),
        ...(fromExtension === undefined ? {} : { fromExtension }),
      },
      entryId,
    );
  }

  #append<T extends SessionEntry>(fields: OwnFields<T>, parentId: string | null = this.index.leafId): string {
    const { type, ...own } = fields;
    const id = createEntryId((candidate) => this.index.has(candidate));
    const entry = { type, id, parentId, timestamp: new Date().toISOString(), ...own } as unknown as SessionEntry;
    const line = this.prepare(entry);
    this.index.add(entry);
    this.persist(entry, line);
    return id;
  }

  #assertEntry(id: string): void {
    if (this.index.get(id) === undefined) throw new SessionError('entry_not_found', `Entry ${id} not found`);
  }
}
