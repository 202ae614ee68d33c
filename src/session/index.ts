/** The session storage engine: what an agent or another tool needs to read, write and find sessions. */

export { SessionError } from '../errors.ts';
export type { ArtifactPath } from './artifacts.ts';
export {
  type BlobPutResult,
  BlobStore,
  externalizeImageData,
  externalizeImageDataUrl,
  isBlobRef,
  isImageDataUrl,
  parseBlobRef,
  resolveImageData,
  resolveImageDataUrl,
} from './blob-store.ts';
export { buildSessionContext, type SessionContext } from './context.ts';
export {
  findMostRecentSession,
  getRecentSessions,
  listAllSessions,
  listSessions,
  loadEntriesFromFile,
  matchSessions,
  type RecentSession,
  type ResolvedSessionMatch,
  resolveResumableSession,
} from './discovery.ts';
export * from './entries.ts';
export { type HistoryEntry, HistoryStorage } from './history-storage.ts';
export { getLatestCompactionEntry, parseJsonlLenient, parseSessionEntries } from './lenient-jsonl.ts';
export { bashExecutionToText, convertToLlm, type LlmMessage, pythonExecutionToText } from './llm-messages.ts';
export * from './messages.ts';
export { migrateSessionEntries } from './migrations.ts';
export { findHolder, type Holder } from './open-files.ts';
export {
  type AgentFolders,
  getAgentDir,
  getBlobsDir,
  getConfigRootDir,
  getHistoryPath,
  getSessionsDir,
  getTerminalSessionsDir,
  setAgentDir,
} from './paths.ts';
export type { SessionOptions } from './persisted-session.ts';
export { MAX_PERSIST_CHARS } from './persistence.ts';
export { Snowflake } from './session-ids.ts';
export type { SessionTreeNode } from './session-index.ts';
export type { SessionInfo } from './session-info.ts';
export { type ReadonlySessionManager, SessionManager, type SessionState } from './session-manager.ts';
export {
  FileSessionStorage,
  MemorySessionStorage,
  type SessionStorage,
  type SessionStorageReader,
  type SessionStorageStat,
  type SessionStorageWriter,
  type SessionStorageWriterOptions,
} from './session-storage.ts';
export { getTerminalIds, type TerminalId } from './terminal-ids.ts';
export type { UsageStatistics } from './usage.ts';
