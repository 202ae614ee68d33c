import { AppendableSession } from './appendable-session.ts';
import { type ArtifactPath, Artifacts } from './artifacts.ts';
import type { BlobPutResult } from './blob-store.ts';
import type { SessionEntry, TitleSlot } from './entries.ts';
import { contentBlocks, isRecord } from './messages.ts';
import { artifactsDirOf } from './paths.ts';
import { PersistChain } from './persist-chain.ts';
import { headerEdit } from './session-edits.ts';
import type { SessionIndex } from './session-index.ts';
import { stripReplayData } from './session-loading.ts';
import type { SessionStorage } from './storage.ts';

/** How a session is opened; every setting has the family's behaviour as its default. */
export interface SessionOptions {
  /** Whether this terminal's breadcrumb is to name the session (true). */
  readonly breadcrumb?: boolean;
  /** Whether large images go to the blob store (true); for agents that know no blobs they stay inline. */
  readonly blobs?: boolean;
  /** Whether a file that is no session is refused, rather than moved aside for a new one (false). */
  readonly mustBeSession?: boolean;
}

/** An open session and its file: everything that writes without going over to another file (contract 1.6). */
export abstract class PersistedSession extends AppendableSession {
  protected readonly isKept: boolean;
  protected readonly storage: SessionStorage;
  protected readonly options: SessionOptions;
  protected readonly chain: PersistChain;
  #artifacts: Artifacts | undefined;

  protected constructor(
    place: { readonly cwd: string; readonly sessionDir: string; readonly index: SessionIndex },
    storage: SessionStorage,
    isKept: boolean,
    options: SessionOptions,
  ) {
    super(place.cwd, place.sessionDir, place.index);
    this.storage = storage;
    this.isKept = isKept;
    this.options = options;
    this.chain = new PersistChain(storage, options.blobs ?? true);
  }

  getSessionFile(): string | undefined {
    return this.chain.path;
  }

  /** Whether the session is kept in a file. */
  isPersisted(): boolean {
    return this.isKept;
  }

  protected override prepare(entry: SessionEntry): string | undefined {
    return this.chain.prepare(entry);
  }

  protected override persist(entry: SessionEntry, line: string | undefined): void {
    this.chain.accept(entry, line);
  }

  /** Resolves when everything appended is durable; rejects with what stands in the way, and tries it again next time. */
  async flush(): Promise<void> {
    await this.chain.flush();
  }

  /** `flush`, then lets go of the file. A later append opens it again. */
  async close(): Promise<void> {
    await this.chain.close();
  }

  /** Writes the session even if it has no answer yet; from then on every entry is written at once. */
  async ensureOnDisk(): Promise<void> {
    if (!this.isKept) return;
    if (this.chain.state === 'deferred') this.chain.create();
    await this.chain.flush();
  }

  /**
   * Brings the file in line with entries that were changed in memory. Lines whose entry did not change stay byte for
   * byte (rule 3).
   * @throws SessionError `live`, `changed_on_disk`; the storage's errors
   */
  async rewriteEntries(): Promise<void> {
    await this.chain.rewriteEntries();
  }

  /**
   * Gives a tool call other arguments, in memory and in the file; whether there is such a call.
   * @throws SessionError `live`, `changed_on_disk`; the storage's errors
   */
  async rewriteAssistantToolCallArgs(toolCallId: string, args: Record<string, unknown>): Promise<boolean> {
    JSON.stringify(args);
    const changed = new Set<SessionEntry>();
    for (const entry of this.index.entries) {
      if (entry.type !== 'message' || !isRecord(entry.message) || entry.message.role !== 'assistant') continue;
      for (const block of contentBlocks(entry.message.content)) {
        if (block['type'] !== 'toolCall' || block['id'] !== toolCallId) continue;
        block['arguments'] = args;
        changed.add(entry);
      }
    }
    if (changed.size > 0) await this.chain.rewriteEntries(changed);
    return changed.size > 0;
  }

  /**
   * Gives the session a title, on one line; whether it was taken: a blank one is not, and one of an agent's never takes
   * the place of the user's.
   * @throws SessionError `live`, `changed_on_disk`; the storage's errors
   */
  async setSessionName(name: string, source: 'auto' | 'user' = 'auto'): Promise<boolean> {
    const title = name
      .replace(/\p{Cc}/gu, ' ')
      .replace(/ {2,}/g, ' ')
      .trim();
    const { header } = this.index;
    if (title === '' || (source === 'auto' && this.#isNamedByUser())) return false;
    const before = { title: header.title, titleSource: header.titleSource, slot: this.titleSlot };
    this.#setTitle(title, source, before.slot && { ...before.slot, title, source });
    try {
      await this.chain.rewrite(() => headerEdit({ title, titleSource: source }, { text: title, source }));
    } catch (error) {
      this.#setTitle(before.title, before.titleSource, before.slot);
      throw error;
    }
    return true;
  }

  /** Takes out of memory what only the process that received it may replay; whether there was any. The file keeps it. */
  sanitizeLoadedOpenAIResponsesReplayMetadata(): boolean {
    return stripReplayData(this.index.entries);
  }

  /** The folder beside the session's file for what belongs to it; null in memory. It need not exist. */
  getArtifactsDir(): string | null {
    return this.#currentArtifacts().dir;
  }

  /** A free number and path for a tool's output, in a folder that exists; {} in memory. */
  async allocateArtifactPath(tool: string): Promise<ArtifactPath> {
    return this.#currentArtifacts().allocate(tool);
  }

  /** Keeps a tool's output and gives its number. */
  async saveArtifact(text: string, tool: string): Promise<string> {
    return this.#currentArtifacts().save(text, tool);
  }

  /** The file of a kept output; null when there is none. */
  async getArtifactPath(id: string): Promise<string | null> {
    return this.#currentArtifacts().pathOf(id);
  }

  /** A kept output itself, also in memory; null when there is none. */
  async readArtifact(id: string): Promise<string | null> {
    return this.#currentArtifacts().textOf(id);
  }

  /** Stores bytes in the blob store of the agent folder that holds the session. */
  async putBlob(data: Uint8Array): Promise<BlobPutResult> {
    return await this.chain.blobs.put(data);
  }

  #isNamedByUser(): boolean {
    return this.titleSource === 'user' || this.titleSlot?.source === 'user';
  }

  #setTitle(title: string | undefined, source: 'auto' | 'user' | undefined, slot: TitleSlot | undefined): void {
    const { header } = this.index;
    if (title === undefined) delete header.title;
    else header.title = title;
    if (source === undefined) delete header.titleSource;
    else header.titleSource = source;
    this.titleSlot = slot;
  }

  #currentArtifacts(): Artifacts {
    const file = this.getSessionFile();
    const dir = file === undefined ? null : artifactsDirOf(file);
    if (this.#artifacts?.dir !== dir) this.#artifacts = new Artifacts(dir);
    return this.#artifacts ?? new Artifacts(dir);
  }
}
