import { dirname, join, resolve } from 'node:path';
import { nodeCode, SessionError } from '../errors.ts';
import { branchContent, labelEntries, withoutLabels } from './branch-file.ts';
import { writeBreadcrumb } from './breadcrumbs.ts';
import { findResumable, listAllSessions, listSessions, type SessionInfo } from './discovery.ts';
import {
  CURRENT_SESSION_VERSION,
  type FileEntry,
  type NewSessionOptions,
  type SessionEntry,
  type SessionHeader,
  type TitleSlot,
} from './entries.ts';
import { folderAfterMove, moveSessionFile } from './move-session.ts';
import {
  agentFoldersOf,
  encodeCwd,
  foldersIn,
  getSessionsDir,
  getTerminalSessionsDir,
  sessionFileName,
} from './paths.ts';
import { assertFree, type FileState } from './persist-chain.ts';
import { PersistedSession, type SessionOptions } from './persisted-session.ts';
import type { ReadableSession } from './readable-session.ts';
import { copyEdit } from './session-edits.ts';
import { blobsOf, carryBlobs, copySession, moveAside, newHeader, refusal } from './session-files.ts';
import { copyBlobs } from './session-images.ts';
import { type IndexedEntry, isReadable, SessionIndex } from './session-index.ts';
import { type LoadedFile, loadSessionFile, reviveEntries } from './session-loading.ts';
import { FileSessionStorage, MemorySessionStorage } from './session-storage.ts';
import type { SessionStorage } from './storage.ts';
import { createFileSync, replaceFile } from './storage-fallbacks.ts';

/** The reading half of a session, for those who must not change it. */
export type ReadonlySessionManager = Pick<
  SessionManager,
  keyof ReadableSession | 'getArtifactsDir' | 'getArtifactPath'
>;

/** A session as it was at one moment, for `restoreState`. */
export interface SessionState {
  /** Header and entries: the very objects, in an array of its own. */
  readonly fileEntries: FileEntry[];
  readonly header: SessionHeader;
  readonly titleSlot: TitleSlot | undefined;
  readonly all: readonly IndexedEntry[];
  readonly cwd: string;
  readonly sessionDir: string;
  readonly sessionFile: string | undefined;
  readonly fileState: FileState;
}

/** One open session, and the only way to change it (specification 5 to 7, contract 1). Made by its static methods. */
export class SessionManager extends PersistedSession {
  /** Where the last file that was no session was moved aside to. */
  #movedAsideFile: string | undefined;

  private constructor(
    cwd: string,
    sessionDir: string,
    storage: SessionStorage,
    isKept: boolean,
    options: SessionOptions,
  ) {
    super(
      { cwd: resolve(cwd), sessionDir, index: new SessionIndex(newHeader(resolve(cwd))) },
      storage,
      isKept,
      options,
    );
  }

  /** The folder for new sessions of `cwd`, created if missing. */
  static getDefaultSessionDir(
    cwd: string,
    agentDir?: string,
    storage: SessionStorage = new FileSessionStorage(),
  ): string {
    const sessionsDir = agentDir === undefined ? getSessionsDir() : foldersIn(resolve(agentDir)).sessionsDir;
    const dir = join(sessionsDir, encodeCwd(cwd));
    storage.ensureDirSync(dir);
    return dir;
  }

  /** A new session, which gets its file with the first answer. */
  static create(
    cwd: string,
    sessionDir?: string,
    storage: SessionStorage = new FileSessionStorage(),
    options: SessionOptions = {},
  ): SessionManager {
    const dir =
      sessionDir === undefined ? SessionManager.getDefaultSessionDir(cwd, undefined, storage) : resolve(sessionDir);
    storage.ensureDirSync(dir);
    const manager = new SessionManager(cwd, dir, storage, true, options);
    manager.#startNew();
    return manager;
  }

  /**
   * The session in a file; a missing file is created with a header alone. Its project is the one that the header names,
   * else that of the process.
   * @throws SessionError `not_a_session`, `not_found` (with `mustBeSession`), `too_large`; the storage's errors
   */
  static async open(
    path: string,
    sessionDir?: string,
    storage: SessionStorage = new FileSessionStorage(),
    options: SessionOptions = {},
  ): Promise<SessionManager> {
    const dir = sessionDir === undefined ? dirname(resolve(path)) : resolve(sessionDir);
    const manager = new SessionManager(process.cwd(), dir, storage, true, options);
    await manager.#goTo(path, true);
    return manager;
  }

  /** Where this terminal left off in `cwd`, else the newest session of `cwd`, else a new one. */
  static async continueRecent(
    cwd: string,
    sessionDir?: string,
    storage: SessionStorage = new FileSessionStorage(),
    options: SessionOptions = {},
  ): Promise<SessionManager> {
    const path = await findResumable(cwd, sessionDir, storage);
    if (path === undefined) return SessionManager.create(cwd, sessionDir, storage, options);
    const dir = sessionDir === undefined ? dirname(path) : resolve(sessionDir);
    const manager = new SessionManager(cwd, dir, storage, true, options);
    await manager.setSessionFile(path);
    return manager;
  }

  /** A new session for `cwd` with the entries of `source`, written at once; an empty one when `source` is no session. */
  static async forkFrom(
    source: string,
    cwd: string,
    sessionDir?: string,
    storage: SessionStorage = new FileSessionStorage(),
    options: SessionOptions = {},
  ): Promise<SessionManager> {
    const manager = SessionManager.create(cwd, sessionDir, storage, options);
    const outcome = await loadSessionFile(storage, resolve(source));
    if (outcome.kind === 'session') await manager.#copyFrom(resolve(source), outcome.file);
    return manager;
  }

  /** A session that is kept nowhere. */
  static inMemory(cwd: string = process.cwd(), storage: SessionStorage = new MemorySessionStorage()): SessionManager {
    return new SessionManager(cwd, '', storage, false, {});
  }

  /** See `listSessions`. */
  static async list(cwd: string, sessionDir?: string, storage?: SessionStorage): Promise<SessionInfo[]> {
    return await listSessions(cwd, sessionDir, storage);
  }

  /** See `listAllSessions`. */
  static async listAll(storage?: SessionStorage, sessionsDir?: string): Promise<SessionInfo[]> {
    return await listAllSessions(storage, sessionsDir);
  }

  /** Where a file that was no session was moved aside to when a session was opened at its path. */
  getMovedAsideFile(): string | undefined {
    return this.#movedAsideFile;
  }

  /**
   * Goes over to the session in another file. An older version is migrated and written down at once. What is no session
   * is moved aside, never destroyed, and a new session begins at that path (rule 1). On failure everything stays as it was.
   * @throws SessionError `not_a_session`, `not_found` (with `mustBeSession`), `too_large`; the storage's errors
   */
  async setSessionFile(sessionFile: string): Promise<void> {
    await this.#goTo(sessionFile, false);
  }

  /** Begins a new session of the same project in the same folder; gives its file's path, undefined in memory. */
  async newSession(options: NewSessionOptions = {}): Promise<string | undefined> {
    this.#startNew(options);
    return this.getSessionFile();
  }

  /**
   * Goes over to a copy of this session beside its file, written at once; undefined in memory. Artifacts are the caller's
   * to copy.
   */
  async fork(): Promise<{ oldSessionFile: string; newSessionFile: string } | undefined> {
    const oldSessionFile = this.getSessionFile();
    if (oldSessionFile === undefined) return undefined;
    const header = newHeader(this.cwd, { ...this.index.header, parentSession: this.getSessionId() });
    const newSessionFile = join(dirname(oldSessionFile), sessionFileName(header.timestamp, header.id));
    const isCopied = this.chain.state === 'live' && (await this.#copyTo(newSessionFile, header, oldSessionFile));
    if (!isCopied) {
      this.#continueAs(header, newSessionFile);
      this.chain.create();
      await this.chain.writer.flush();
    }
    return { oldSessionFile, newSessionFile };
  }

  /**
   * Goes over to a new session that holds only the way from root to an entry, with the labels on it as they stand; gives
   * its file's path, undefined in memory.
   * @throws SessionError `entry_not_found`; the storage's errors, with everything as before
   */
  createBranchedSession(leafId: string): string | undefined {
    if (this.index.get(leafId) === undefined) throw new SessionError('entry_not_found', `Entry ${leafId} not found`);
    const oldFile = this.getSessionFile();
    const parentSession = oldFile === undefined ? {} : { parentSession: oldFile };
    const { title, titleSource } = { ...this.index.header, title: this.getSessionName() };
    const header = newHeader(this.cwd, {
      ...(title === undefined ? {} : { title }),
      ...(titleSource === undefined ? {} : { titleSource }),
      ...parentSession,
    });
    const items = withoutLabels(this.index.pathTo(leafId));
    const kept = items.map(({ entry, parentId }) => (entry.parentId === parentId ? entry : { ...entry, parentId }));
    const labels = labelEntries(kept, (id) => this.index.labelOf(id));
    const index = new SessionIndex(header, [...kept, ...labels]);
    if (oldFile === undefined) {
      this.#take(index);
      return undefined;
    }
    const { storage, chain } = this;
    const path = join(dirname(oldFile), sessionFileName(header.timestamp, header.id));
    const serialize = (entry: SessionEntry): string => chain.serialize(entry);
    const source = { storage, path: oldFile, images: chain.images, serialize };
    createFileSync(storage, path, branchContent(source, header, items, labels));
    this.#take(index);
    chain.bind(path, index, 'live');
    return path;
  }

  /**
   * Makes `newCwd` the session's project and moves its file and artifacts accordingly, all or nothing.
   * @throws SessionError `already_exists`, `live`, `changed_on_disk`; the system's errors
   */
  async moveTo(newCwd: string): Promise<void> {
    const cwd = resolve(newCwd);
    if (cwd === resolve(this.cwd)) return;
    const { chain, storage } = this;
    if (chain.path !== undefined) {
      const sessionDir = folderAfterMove(this.sessionDir, this.cwd, cwd);
      const { writer } = chain;
      const work = async (): Promise<void> => {
        const to = join(sessionDir, writer.path.slice(dirname(writer.path).length + 1));
        const blobs = chain.blobs;
        if (await moveSessionFile(storage, writer.path, to, cwd)) await carryBlobs(storage, to, blobs);
        this.index.header.cwd = cwd;
        writer.path = to;
      };
      await (chain.state === 'live' ? writer.alone(work) : writer.run(work));
      this.sessionDir = sessionDir;
    }
    this.cwd = cwd;
    this.index.header.cwd = cwd;
    this.#noteBreadcrumb();
  }

  captureState(): SessionState {
    const { index, cwd, sessionDir, titleSlot } = this;
    return {
      fileEntries: [index.header, ...index.entries],
      header: { ...index.header },
      titleSlot,
      all: index.all.slice(),
      cwd,
      sessionDir,
      sessionFile: this.getSessionFile(),
      fileState: this.chain.state,
    };
  }

  /** Goes back to a captured state; the leaf is its last entry. The files stay as they are. */
  restoreState(state: SessionState): void {
    const { header, all, cwd, sessionDir, titleSlot, sessionFile, fileState } = state;
    const index = new SessionIndex({ ...header }, all);
    this.cwd = cwd;
    this.sessionDir = sessionDir;
    this.#take(index, titleSlot);
    if (sessionFile === undefined) return;
    this.chain.bind(sessionFile, index, this.storage.existsSync(sessionFile) ? 'live' : fileState);
    this.#noteBreadcrumb();
  }

  #take(index: SessionIndex, titleSlot?: TitleSlot): void {
    this.index = index;
    this.titleSlot = titleSlot;
  }

  #startNew(options: NewSessionOptions = {}): void {
    const index = new SessionIndex(newHeader(this.cwd, options));
    this.#take(index);
    if (!this.isKept) return;
    const { timestamp, id } = index.header;
    this.chain.bind(join(this.sessionDir, sessionFileName(timestamp, id)), index, 'deferred');
    this.#noteBreadcrumb();
  }

  async #goTo(sessionFile: string, takesProject: boolean): Promise<void> {
    const path = resolve(sessionFile);
    // What cannot be written now waits on, and is no reason not to read.
    if (path === this.getSessionFile()) await Promise.allSettled([this.chain.writer.flush()]);
    const outcome = await loadSessionFile(this.storage, path);
    if (outcome.kind === 'session') {
      const { cwd } = outcome.file.header;
      if (takesProject && typeof cwd === 'string' && cwd !== '') this.cwd = cwd;
      await this.#adopt(path, outcome.file);
      return;
    }
    if (this.options.mustBeSession) throw refusal(path, outcome.kind);
    if (!this.isKept) {
      this.#take(new SessionIndex(newHeader(this.cwd)));
      return;
    }
    await this.#beginAt(path, outcome.kind);
  }

  async #adopt(path: string, file: LoadedFile): Promise<void> {
    await reviveEntries(file, path, blobsOf(path));
    const index = new SessionIndex(file.header, file.entries);
    this.#take(index, file.titleSlot);
    if (!this.isKept) return;
    this.chain.bind(path, index, 'live', file.stat);
    this.#noteBreadcrumb();
    if (!file.isMigrated) return;
    this.chain.migrate(CURRENT_SESSION_VERSION, file.entries.filter(isReadable));
    // A file that may not be written can still be read; the error stands for whoever wants to write.
    await this.chain.writer.settle();
  }

  async #beginAt(path: string, kind: 'missing' | 'empty' | 'foreign'): Promise<void> {
    const { storage } = this;
    const index = new SessionIndex(newHeader(this.cwd));
    if (kind === 'foreign') this.#movedAsideFile = await moveAside(storage, path);
    const guard = (): void => {
      if (kind !== 'empty') assertFree(storage, path);
    };
    await replaceFile(storage, path, [`${JSON.stringify(index.header)}\n`], { guard });
    this.#take(index);
    this.chain.bind(path, index, 'live', storage.statSync(path));
    this.#noteBreadcrumb();
  }

  /** Copies our file while nothing is appended to it; false when not all of it is written, so that memory knows more. */
  async #copyTo(path: string, header: SessionHeader, from: string): Promise<boolean> {
    const { chain } = this;
    const { writer } = chain;
    let hasStarted = false;
    try {
      await writer.alone(async () => {
        hasStarted = true;
        await copySession(this.storage, from, path, copyEdit({ header, images: chain.images }));
        // Lines accepted during the copy belong to both files; ours would not be in the new one.
        const late = writer.waitingLines.slice();
        this.#continueAs(header, path);
        for (const line of late) chain.writer.append(line.slice(0, -1));
      });
      return true;
    } catch (error) {
      if (hasStarted) throw error;
      return false;
    }
  }

  async #copyFrom(source: string, file: LoadedFile): Promise<void> {
    const { header: old, entries, isMigrated } = file;
    const { chain, storage } = this;
    const path = this.getSessionFile() ?? '';
    const { id, timestamp } = this.index.header;
    const header = { ...newHeader(this.cwd, { ...old, parentSession: old.id }), id, timestamp };
    const edit = copyEdit({
      header,
      images: chain.images,
      migrated: isMigrated ? entries.filter(isReadable) : undefined,
    });
    const sourceBlobs = blobsOf(source);
    await copyBlobs(file.withReferences, sourceBlobs, chain.blobs);
    await copySession(storage, source, path, edit);
    const index = new SessionIndex(header, entries);
    await reviveEntries(file, source, sourceBlobs);
    this.#take(index, file.titleSlot);
    chain.bind(path, index, 'live', storage.statSync(path));
  }

  /** The same entries and leaf under another header and in another file. */
  #continueAs(header: SessionHeader, path: string): void {
    const index = new SessionIndex(header, this.index.all);
    index.leafId = this.index.leafId;
    this.index = index;
    this.chain.bind(path, index, 'live');
  }

  /** A convenience of the next start, so no reason to fail. */
  #noteBreadcrumb(): void {
    const sessionFile = this.getSessionFile();
    const isWanted = this.options.breadcrumb ?? true;
    if (!isWanted || sessionFile === undefined || this.storage instanceof MemorySessionStorage) return;
    const dir = agentFoldersOf(sessionFile)?.breadcrumbsDir ?? getTerminalSessionsDir();
    try {
      writeBreadcrumb(dir, { cwd: this.cwd, sessionFile });
    } catch (error) {
      if (nodeCode(error) === undefined) throw error;
    }
  }
}
