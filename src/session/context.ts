import {
  type CompactionEntry,
  fieldOf,
  modelOf,
  type SessionEntry,
  type SessionEntryBase,
  type SessionMessageEntry,
} from './entries.ts';
import {
  type AgentMessage,
  createBranchSummaryMessage,
  createCompactionSummaryMessage,
  createCustomMessage,
  isRecord,
} from './messages.ts';

/** What a model would be given at a leaf, and the state that holds there. */
export interface SessionContext {
  messages: AgentMessage[];
  /** "off" unless a change says otherwise. */
  thinkingLevel: string;
  /** Role → "provider/id". */
  models: Record<string, string>;
  injectedTtsrRules: string[];
  /** "none" unless a change says otherwise. */
  mode: string;
  modeData: Record<string, unknown> | undefined;
  serviceTier: string | null | undefined;
  selectedMCPToolNames: string[];
  hasPersistedMCPToolSelection: boolean;
}

function emptyContext(): SessionContext {
  return {
    messages: [],
    thinkingLevel: 'off',
    models: {},
    injectedTtsrRules: [],
    mode: 'none',
    modeData: undefined,
    serviceTier: undefined,
    selectedMCPToolNames: [],
    hasPersistedMCPToolSelection: false,
  };
}

/** Entries by id, the last of equal ids, as every index of the family has it. */
export function indexById<T extends { readonly id: string }>(entries: readonly T[]): Map<string, T> {
  return new Map(entries.map((entry) => [entry.id, entry]));
}

/**
 * The entries from root to `leaf`. Ends at a missing parent, and at the first entry that it meets again.
 */
export function pathToRoot<T extends SessionEntryBase>(leaf: T | undefined, byId: ReadonlyMap<string, T>): T[] {
  const path: T[] = [];
  const seen = new Set<T>();
  for (
    let at = leaf;
    at !== undefined && !seen.has(at);
    at = at.parentId === null ? undefined : byId.get(at.parentId)
  ) {
    seen.add(at);
    path.push(at);
  }
  return path.reverse();
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Applies one entry of the path to the run-time state (specification 6, step 3). */
function applyState(context: SessionContext, entry: SessionEntry, rules: Set<string>): void {
  switch (entry.type) {
    case 'thinking_level_change':
      context.thinkingLevel = entry.thinkingLevel ?? 'off';
      return;
    case 'model_change': {
      const model = modelOf(entry);
      if (model !== undefined) context.models[entry.role ?? 'default'] = model;
      return;
    }
    case 'service_tier_change':
      context.serviceTier = entry.serviceTier;
      return;
    case 'ttsr_injection':
      for (const rule of strings(entry.injectedRules)) rules.add(rule);
      return;
    case 'mcp_tool_selection':
      context.selectedMCPToolNames = strings(entry.selectedToolNames);
      context.hasPersistedMCPToolSelection = true;
      return;
    case 'mode_change':
      context.mode = entry.mode;
      context.modeData = entry.data;
      return;
    case 'message':
    case 'compaction':
    case 'branch_summary':
    case 'custom':
    case 'custom_message':
    case 'label':
    case 'session_init':
      return;
  }
}

/** "provider/model" of the last assistant message, which stands in where no change names the default model. */
function answeringModel(path: readonly SessionEntry[]): string | undefined {
  const answer = path.findLast(
    (entry): entry is SessionMessageEntry => entry.type === 'message' && entry.message?.role === 'assistant',
  );
  if (answer?.message.role !== 'assistant') return undefined;
  const { provider, model } = answer.message;
  return typeof provider === 'string' && typeof model === 'string' ? `${provider}/${model}` : undefined;
}

/**
 * The message that an entry puts before a model; undefined for entries that only carry state. A compaction gives its
 * summary here; what it hides is decided by `contextEntries`.
 */
function messageOfEntry(entry: SessionEntry): AgentMessage | undefined {
  switch (entry.type) {
    case 'message':
      return isRecord(entry.message) ? entry.message : undefined;
    case 'custom_message':
      return createCustomMessage(
        entry.customType,
        entry.content,
        entry.display,
        entry.details,
        entry.timestamp,
        entry.attribution,
      );
    case 'branch_summary':
      if (typeof entry.summary !== 'string' || entry.summary === '') return undefined;
      return createBranchSummaryMessage(entry.summary, entry.fromId, entry.timestamp);
    case 'compaction':
      return createCompactionSummaryMessage(
        entry.summary,
        entry.tokensBefore,
        entry.timestamp,
        entry.shortSummary,
        replayedHistory(entry),
      );
    case 'thinking_level_change':
    case 'model_change':
    case 'service_tier_change':
    case 'custom':
    case 'label':
    case 'ttsr_injection':
    case 'mcp_tool_selection':
    case 'session_init':
    case 'mode_change':
      return undefined;
  }
  return undefined; // A type that nobody knows says nothing to a model.
}

/** The provider's own compacted history, which replaces the kept entries (contract 1.8); undefined without one. */
function replayedHistory(compaction: CompactionEntry): unknown {
  const remote = compaction.preserveData?.['openaiRemoteCompaction'];
  if (!isRecord(remote)) return undefined;
  const { provider, replacementHistory } = remote;
  if (typeof provider !== 'string' || provider === '' || !Array.isArray(replacementHistory)) return undefined;
  return { type: 'openaiResponsesHistory', provider, items: replacementHistory };
}

/** Where omp starts the context anew: entries up to and including the last such boundary are no part of it. */
function afterReset(path: readonly SessionEntry[]): readonly SessionEntry[] {
  return path.slice(path.findLastIndex((entry) => fieldOf(entry, 'type') === 'reset_boundary') + 1);
}

/**
 * The entries of a path whose messages make the context, in its order: behind the last compaction's summary come the
 * entries that it kept, then those after it.
 */
function contextEntries(path: readonly SessionEntry[]): SessionEntry[] {
  const visible = afterReset(path);
  const at = visible.findLastIndex((entry) => entry.type === 'compaction');
  const compaction = visible[at];
  if (compaction?.type !== 'compaction') return [...visible];
  const firstKept =
    replayedHistory(compaction) === undefined
      ? visible.findIndex((entry, index) => index < at && entry.id === compaction.firstKeptEntryId)
      : -1;
  const kept = firstKept < 0 ? [] : visible.slice(firstKept, at).filter((entry) => entry.type !== 'compaction');
  return [compaction, ...kept, ...visible.slice(at + 1)];
}

/**
 * What a model would see at a leaf (specification 6).
 *
 * `leafId`: null gives the empty context; an unknown id or none means the last entry. `byId` may hold stand-ins for damaged
 * entries, of a type of their own: the walk goes through them, and they add nothing. Linear in the entries.
 */
export function buildSessionContext(
  entries: readonly SessionEntry[],
  leafId?: string | null,
  byId?: ReadonlyMap<string, SessionEntry>,
): SessionContext {
  if (leafId === null) return emptyContext();
  const index = byId ?? indexById(entries);
  const leaf = (leafId === undefined ? undefined : index.get(leafId)) ?? entries.at(-1);
  return contextOfPath(pathToRoot(leaf, index));
}

/** What a model would see behind the entries of one path, root first, whatever their ids and links say. */
export function contextOfPath(path: readonly SessionEntry[]): SessionContext {
  const context = emptyContext();
  const rules = new Set<string>();
  for (const entry of path) applyState(context, entry, rules);
  context.injectedTtsrRules = [...rules];
  if (context.models['default'] === undefined) {
    const model = answeringModel(path);
    if (model !== undefined) context.models['default'] = model;
  }
  for (const entry of contextEntries(path)) {
    const message = messageOfEntry(entry);
    if (message !== undefined) context.messages.push(message);
  }
  return context;
}
