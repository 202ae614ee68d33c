import { buildSessionContext, type SessionContext } from './context.ts';
import type { SessionEntry, SessionHeader, TitleSlot } from './entries.ts';
import type { SessionIndex, SessionTreeNode } from './session-index.ts';
import type { UsageStatistics } from './usage.ts';

/** The reading half of an open session: everything that looks and changes nothing (contract 1.7). */
export abstract class ReadableSession {
  protected cwd: string;
  protected sessionDir: string;
  protected index: SessionIndex;
  /** omp's title line, where the file has one: its title counts before the header's. */
  protected titleSlot: TitleSlot | undefined;

  protected constructor(cwd: string, sessionDir: string, index: SessionIndex) {
    this.cwd = cwd;
    this.sessionDir = sessionDir;
    this.index = index;
  }

  /** The session's file, which need not exist yet; undefined in memory. */
  abstract getSessionFile(): string | undefined;

  getCwd(): string {
    return this.cwd;
  }

  /** The folder of the session's file; "" in memory. */
  getSessionDir(): string {
    return this.sessionDir;
  }

  getSessionId(): string {
    return this.index.header.id;
  }

  /** The title; undefined when it has none. */
  getSessionName(): string | undefined {
    return this.titleSlot?.title || this.index.header.title;
  }

  /** Who gave the title. */
  get titleSource(): 'auto' | 'user' | undefined {
    return this.index.header.titleSource;
  }

  getHeader(): SessionHeader | null {
    return this.index.header;
  }

  /** All entries but the header in insertion order, in an array of the caller's own. */
  getEntries(): SessionEntry[] {
    return [...this.index.entries];
  }

  /** The entry of an id; of several with the same id the last. */
  getEntry(id: string): SessionEntry | undefined {
    return this.index.get(id);
  }

  /** Where the next entry will hang; null before the first one and after `resetLeaf`. */
  getLeafId(): string | null {
    return this.index.leafId;
  }

  getLeafEntry(): SessionEntry | undefined {
    return this.index.leafId === null ? undefined : this.index.get(this.index.leafId);
  }

  /** The entries from root to `fromId` (the leaf by default); [] when there is none. Ends where a cycle closes. */
  getBranch(fromId?: string): SessionEntry[] {
    return this.index.branchTo(fromId ?? this.index.leafId);
  }

  /** Direct children in insertion order. */
  getChildren(parentId: string): SessionEntry[] {
    return this.index.childrenOf(parentId);
  }

  getLabel(id: string): string | undefined {
    return this.index.labelOf(id);
  }

  /** All entries, each once: roots in file order (orphans and the first of a cycle among them), children by time. */
  getTree(): SessionTreeNode[] {
    return this.index.tree();
  }

  /** The rules injected on the way to the leaf, each once. */
  getInjectedTtsrRules(): string[] {
    const rules = this.getBranch().flatMap((entry) => (entry.type === 'ttsr_injection' ? entry.injectedRules : []));
    return [...new Set(rules)];
  }

  /** The role that the last model change before the leaf was for; undefined when there was none. */
  getLastModelChangeRole(): string | undefined {
    const change = this.getBranch().findLast((entry) => entry.type === 'model_change');
    return change?.type === 'model_change' ? (change.role ?? 'default') : undefined;
  }

  /** What a model sees at the leaf. */
  buildSessionContext(): SessionContext {
    return buildSessionContext(this.index.entries, this.index.leafId, this.index.byId);
  }

  /** What all branches used so far, as a copy. */
  getUsageStatistics(): UsageStatistics {
    return this.index.usage;
  }
}
