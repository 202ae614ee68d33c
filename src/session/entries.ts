import { type AgentMessage, type Attribution, type ContentBlock, isRecord } from './messages.ts';

/** The version that every agent of the family writes today. */
export const CURRENT_SESSION_VERSION = 3;

/** Line 1 of a session file. Undefined fields are left out of the JSON. */
export interface SessionHeader {
  type: 'session';
  /** Absent means 1. */
  version?: number;
  id: string;
  /** ISO 8601. */
  timestamp: string;
  cwd: string;
  title?: string;
  titleSource?: 'auto' | 'user';
  /** A session id or a path, depending on the flow that wrote it: lineage to show, not a key to follow blindly. */
  parentSession?: string;
}

export interface NewSessionOptions {
  parentSession?: string;
}

export interface SessionEntryBase {
  type: string;
  id: string;
  /** null for a root. */
  parentId: string | null;
  /** ISO 8601. */
  timestamp: string;
}

export interface SessionMessageEntry extends SessionEntryBase {
  type: 'message';
  message: AgentMessage;
}

export interface ThinkingLevelChangeEntry extends SessionEntryBase {
  type: 'thinking_level_change';
  thinkingLevel?: string | null;
}

export interface ModelChangeEntry extends SessionEntryBase {
  type: 'model_change';
  /** "provider/id"; pi writes `provider` and `modelId` instead. */
  model: string;
  /** Absent means "default". */
  role?: string;
}

export interface ServiceTierChangeEntry extends SessionEntryBase {
  type: 'service_tier_change';
  serviceTier: string | null;
}

export interface CompactionEntry extends SessionEntryBase {
  type: 'compaction';
  summary: string;
  shortSummary?: string;
  firstKeptEntryId: string;
  tokensBefore: number;
  details?: unknown;
  preserveData?: Record<string, unknown>;
  fromExtension?: boolean;
}

export interface BranchSummaryEntry extends SessionEntryBase {
  type: 'branch_summary';
  /** The literal "root" when the branch starts before the first entry. */
  fromId: string;
  summary: string;
  details?: unknown;
  fromExtension?: boolean;
}

export interface CustomEntry extends SessionEntryBase {
  type: 'custom';
  customType: string;
  data?: unknown;
}

export interface CustomMessageEntry extends SessionEntryBase {
  type: 'custom_message';
  customType: string;
  content: string | ContentBlock[];
  display: boolean;
  details?: unknown;
  attribution?: Attribution;
}

export interface LabelEntry extends SessionEntryBase {
  type: 'label';
  targetId: string;
  /** Absent or empty clears the target's label. */
  label?: string;
}

export interface TtsrInjectionEntry extends SessionEntryBase {
  type: 'ttsr_injection';
  injectedRules: string[];
}

export interface MCPToolSelectionEntry extends SessionEntryBase {
  type: 'mcp_tool_selection';
  selectedToolNames: string[];
}

export interface SessionInitEntry extends SessionEntryBase {
  type: 'session_init';
  systemPrompt: string;
  task: string;
  tools: string[];
  outputSchema?: unknown;
}

export interface ModeChangeEntry extends SessionEntryBase {
  type: 'mode_change';
  mode: string;
  data?: Record<string, unknown>;
}

/**
 * The entries that we know. At run time an entry may be of any other type (pi's and omp's own, the future's): it is kept
 * byte for byte and shown under its own name, so every `switch` over `type` has a last line for it.
 */
export type SessionEntry =
  | SessionMessageEntry
  | ThinkingLevelChangeEntry
  | ModelChangeEntry
  | ServiceTierChangeEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | LabelEntry
  | TtsrInjectionEntry
  | MCPToolSelectionEntry
  | SessionInitEntry
  | ModeChangeEntry;

export type FileEntry = SessionHeader | SessionEntry;

/** omp's first line: the title, at a fixed length so that it can be changed in place. Part of the header to us. */
export interface TitleSlot {
  type: 'title';
  v: number;
  title?: string;
  source?: string;
  updatedAt?: string;
}

/** Is this a session header: `type: "session"` with a string id (specification 4)? */
export function isHeader(value: unknown): value is SessionHeader {
  return isRecord(value) && value['type'] === 'session' && typeof value['id'] === 'string';
}

/** Is this omp's title line? */
export function isTitleSlot(value: unknown): value is TitleSlot {
  return isRecord(value) && value['type'] === 'title' && typeof value['v'] === 'number';
}

/** Is this an entry of some type, known or not: an object with a string `type` that is no header and no title line? */
export function isEntry(value: unknown): value is SessionEntry {
  return isRecord(value) && typeof value['type'] === 'string' && value['type'] !== 'session' && !isTitleSlot(value);
}

/** A field of an entry whose shape is not known or not to be trusted. */
export function fieldOf(entry: object, key: string): unknown {
  return (entry as Record<string, unknown>)[key];
}

/** "provider/id" of a `model_change`, in xcsh's and omp's form or in pi's; undefined when it has neither. */
export function modelOf(entry: ModelChangeEntry): string | undefined {
  if (typeof entry.model === 'string') return entry.model;
  const [provider, modelId] = [fieldOf(entry, 'provider'), fieldOf(entry, 'modelId')];
  return typeof provider === 'string' && typeof modelId === 'string' ? `${provider}/${modelId}` : undefined;
}
