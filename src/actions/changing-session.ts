import { dialectNamed } from '../agents/agents.ts';
import type { Dialect } from '../agents/dialect.ts';
import type { SessionRow } from '../catalog/session-row.ts';
import { SessionError } from '../errors.ts';
import type { SessionEntry } from '../session/entries.ts';
import { EntryReader } from '../session/entry-reader.ts';
import { versionOf } from '../session/migrations.ts';
import { type Opening, readOpening } from '../session/opening.ts';
import { type FileStamp, SessionFile } from '../session/scan.ts';
import { idAt, positionOfId, type Skeleton, spanAt } from '../session/skeleton.ts';
import { SkeletonBuilder } from '../session/skeleton-builder.ts';

/** Which session is to be changed: a row of the list will do. */
export type ChangeTarget = Pick<SessionRow, 'path' | 'agent'>;

const NEWLINE = 0x0a;
/** The oldest version whose entries have the ids that a new one can name. */
const LINKED_VERSION = 2;

function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.inode === b.inode && a.sizeBytes === b.sizeBytes && a.mtimeMs === b.mtimeMs;
}

/** The dialect that allows a change to this file. Throws `not_a_session`, `refused`. */
function dialectFor({ path, agent }: ChangeTarget, opening: Opening): Dialect {
  if (!opening.hasHeader) throw new SessionError('not_a_session', `${path} has no session header`, { path });
  if (agent === null) {
    throw new SessionError('refused', 'nothing was written: it cannot be told which agent wrote this file', { path });
  }
  const dialect = dialectNamed(agent);
  const reason = dialect.changeRefusalOf(opening);
  if (reason !== undefined) throw new SessionError('refused', `nothing was written: ${reason}`, { path });
  return dialect;
}

/**
 * A session that a change was asked for, read now, and found to be one that may be changed. What a change touches is read
 * in full; the rest at a glance, so that a label on a very long session is no wait.
 */
export class ChangingSession implements Disposable {
  readonly path: string;
  readonly dialect: Dialect;
  readonly skeleton: Skeleton;
  readonly #file: SessionFile;
  readonly #entries: EntryReader;

  /**
   * `seen` is the file as the user saw it.
   * @throws SessionError `not_a_session`, `refused`, `changed_on_disk`, `not_found`, `no_permission`
   */
  constructor(target: ChangeTarget, seen?: FileStamp) {
    this.path = target.path;
    this.#file = new SessionFile(target.path);
    try {
      this.dialect = dialectFor(target, readOpening(this.#file));
      if (seen !== undefined && !isSameStamp(seen, this.#file.stamp)) throw changedError(this.path);
      const builder = new SkeletonBuilder();
      for (const record of this.#file.records('skeleton', undefined, builder)) builder.add(record);
      this.skeleton = builder.finish();
      this.#assertVersion();
    } catch (error) {
      this.#file[Symbol.dispose]();
      throw error;
    }
    this.#entries = new EntryReader(this.#file, this.skeleton);
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }

  /** The file as it was read. */
  get stamp(): FileStamp {
    return this.#file.stamp;
  }

  get sessionId(): string {
    return this.skeleton.header?.id ?? '';
  }

  /** An entry in full; undefined when it is damaged. */
  entryAt(at: number): SessionEntry | undefined {
    return this.#entries.entryAt(at);
  }

  hasId(id: string): boolean {
    return positionOfId(this.skeleton, id) >= 0;
  }

  /** The position that a person means by an entry's id or `#LINE`. Throws `entry_not_found`. */
  positionOf(entry: string): number {
    const line = /^#(\d+)$/.exec(entry)?.[1];
    const byId = positionOfId(this.skeleton, entry);
    const at = byId < 0 && line !== undefined ? this.skeleton.lines.indexOf(Number(line)) : byId;
    if (at >= 0) return at;
    const what = line === undefined ? `no entry ${JSON.stringify(entry)}` : `no entry on line ${line}`;
    throw new SessionError('entry_not_found', `${what} in ${this.path}`, { path: this.path });
  }

  /** The id by which a change can name an entry. Throws `refused` when every reader would not take it for this one. */
  idOf(at: number): string {
    const id = idAt(this.skeleton, at);
    if (this.entryAt(at)?.id !== id) throw this.#refusal(`entry ${id} is damaged or has no id of its own`);
    if (positionOfId(this.skeleton, id) !== at) throw this.#refusal(`another entry has the id ${id} as well`);
    return id;
  }

  /**
   * The id of an entry that a new one may hang from. Throws `refused` also for one that shares its line: agents read one
   * value a line, would not find it, and with it lose sight of all that came before.
   */
  anchorIdOf(at: number): string {
    const id = this.idOf(at);
    const { offset, length } = spanAt(this.skeleton, at);
    const line = this.#file.read(offset - 1, length + 3);
    const behind = line.subarray(length + 1);
    const endsThere = behind.length === 0 || behind[0] === NEWLINE || (behind[0] === 0x0d && behind[1] === NEWLINE);
    if (line[0] === NEWLINE && endsThere && !line.subarray(1, length + 1).includes(NEWLINE)) return id;
    throw this.#refusal(`entry ${id} has no line of its own, so its agent may not find it`);
  }

  /** The position of the last entry that can be read, which is where an agent goes on; -1 when there is none. */
  get leaf(): number {
    for (let at = this.skeleton.leaf; at >= 0; at--) if (this.entryAt(at) !== undefined) return at;
    return -1;
  }

  #assertVersion(): void {
    const { header } = this.skeleton;
    if (header === undefined || versionOf(header) >= LINKED_VERSION) return;
    throw new SessionError('refused', 'nothing was written: the file is of version 1, whose entries have no ids yet', {
      path: this.path,
      hint: 'resume it once: its agent brings it up to date',
    });
  }

  #refusal(reason: string): SessionError {
    return new SessionError('refused', `nothing was written: ${reason}`, { path: this.path });
  }
}

/** Says that a file is not any more what was read of it. */
export function changedError(path: string): SessionError {
  return new SessionError('changed_on_disk', `${path} has changed since it was read`, { path });
}
