import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentName } from '../agents/dialect.ts';
import { fromNodeError, nodeCode } from '../errors.ts';
import { ensureOwnFolder } from '../own-folders.ts';
import { FileWriter } from '../session/file-writer.ts';
import { isRecord } from '../session/messages.ts';
import { isProcessAlive } from '../session/process-alive.ts';
import type { FileStamp } from '../session/scan.ts';
import type { AppendedLine } from './append-line.ts';

interface ChangeBase {
  /** The file that was changed or made. */
  readonly path: string;
  readonly agent: AgentName;
  readonly sessionId: string;
}

/** A change, with what is needed to undo it. */
export type Change =
  | (ChangeBase & {
      readonly kind: 'label';
      readonly entryId: string;
      /** null: cleared, or there was none. */
      readonly label: string | null;
      readonly formerLabel: string | null;
      readonly line: AppendedLine;
    })
  | (ChangeBase & {
      readonly kind: 'branch';
      /** Where the session goes on; null: before its first entry. */
      readonly fromId: string | null;
      readonly line: AppendedLine;
    })
  | (ChangeBase & {
      readonly kind: 'branch_file';
      readonly source: string;
      readonly fromId: string;
      /** The file as it was made. */
      readonly stamp: FileStamp;
    });

/** A change in the journal. */
export interface JournaledChange {
  readonly id: string;
  /** Epoch ms. */
  readonly atMs: number;
  readonly change: Change;
}

/**
 * A line of the journal. An undoing is announced before it begins, so that of two processes one undoes a change; the
 * announcement of a process that has died counts for nothing.
 */
type JournalLine =
  | { readonly v: 1; readonly type: 'change'; readonly id: string; readonly at: string; readonly change: Change }
  | {
      readonly v: 1;
      readonly type: 'undoing';
      readonly of: string;
      readonly at: string;
      readonly claim: string;
      readonly pid: number;
    }
  | { readonly v: 1; readonly type: 'undone'; readonly of: string }
  | { readonly v: 1; readonly type: 'kept'; readonly of: string; readonly claim: string };

/** Undoing takes a moment; whoever bears the number of the process that announced it this long ago is another one. */
const MAX_UNDOING_MS = 60_000;

/** A line as far as we know it: torn ones, and those of a later Bough, are nobody's to trust. */
function parseLine(text: string): JournalLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && value['v'] === 1 ? (value as unknown as JournalLine) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isUnderWay(pid: number, at: string): boolean {
  return Date.now() - Date.parse(at) < MAX_UNDOING_MS && isProcessAlive(pid);
}

/** The journal of changes in Bough's state folder: appended to, never rewritten, each record one write. */
export class Journal {
  readonly path: string;

  constructor(stateDir: string) {
    this.path = join(stateDir, 'journal.jsonl');
  }

  /**
   * Makes sure that a change can be recorded, before it is made.
   * @throws SessionError `no_permission`, `disk_full`, `already_exists` (a file in the way), `io`
   */
  async prepare(): Promise<void> {
    ensureOwnFolder(dirname(this.path));
    await this.#write(undefined);
  }

  /** Records a change that was made. Throws as `prepare` does. */
  async record(change: Change): Promise<JournaledChange> {
    const atMs = Date.now();
    const id = randomUUID();
    await this.#write({ v: 1, type: 'change', id, at: new Date(atMs).toISOString(), change });
    return { id, atMs, change };
  }

  /** The last change that was not undone and that no other process is undoing; undefined when there is none. */
  last(): JournaledChange | undefined {
    const { changes, undone, claims } = this.#read();
    return changes.findLast(({ id }) => !undone.has(id) && (claims.get(id) ?? []).length === 0);
  }

  /** Takes a change for undoing; the way to let go of it, or undefined when another process has been faster. */
  async claim(id: string): Promise<string | undefined> {
    const claim = randomUUID();
    await this.#write({ v: 1, type: 'undoing', of: id, at: new Date().toISOString(), claim, pid: process.pid });
    const { undone, claims } = this.#read();
    if (!undone.has(id) && claims.get(id)?.[0] === claim) return claim;
    await this.release(id, claim);
    return undefined;
  }

  /** Says that a change was undone. */
  async close(id: string): Promise<void> {
    await this.#write({ v: 1, type: 'undone', of: id });
  }

  /** Says that a change stands after all. */
  async release(id: string, claim: string): Promise<void> {
    await this.#write({ v: 1, type: 'kept', of: id, claim });
  }

  #read() {
    const changes: JournaledChange[] = [];
    const undone = new Set<string>();
    const claims = new Map<string, string[]>();
    for (const line of this.#lines()) {
      switch (line.type) {
        case 'change':
          changes.push({ id: line.id, atMs: Date.parse(line.at), change: line.change });
          break;
        case 'undone':
          undone.add(line.of);
          break;
        case 'undoing':
          if (isUnderWay(line.pid, line.at)) claims.set(line.of, [...(claims.get(line.of) ?? []), line.claim]);
          break;
        case 'kept':
          claims.set(
            line.of,
            (claims.get(line.of) ?? []).filter((claim) => claim !== line.claim),
          );
      }
    }
    return { changes, undone, claims };
  }

  #lines(): JournalLine[] {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if (nodeCode(error) === 'ENOENT') return [];
      throw fromNodeError(error, `cannot read ${this.path}`, this.path);
    }
    return text.split('\n').flatMap((line) => parseLine(line) ?? []);
  }

  async #write(line: JournalLine | undefined): Promise<void> {
    try {
      const writer = new FileWriter(this.path);
      try {
        if (line === undefined) return;
        await writer.writeLine(`${JSON.stringify(line)}\n`);
        await writer.fsync();
      } finally {
        await writer.close();
      }
    } catch (error) {
      throw fromNodeError(error, `cannot write the journal of changes ${this.path}`, this.path);
    }
  }
}
