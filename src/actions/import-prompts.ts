import type { DatabaseSync } from 'node:sqlite';
import type { AgentRoot } from '../agents/agents.ts';
import { type FoundFile, findSessionFiles } from '../catalog/session-files.ts';
import { SessionError } from '../errors.ts';
import { ownHistoryPath } from '../history/databases.ts';
import { ensureOwnFolder } from '../own-folders.ts';
import { inTransaction, openForWriting, prepare, toHistoryError } from '../session/history-database.ts';
import { ensureSchema } from '../session/history-schema.ts';
import { SessionFile } from '../session/scan.ts';
import { sentPrompts } from '../session/sent-prompts.ts';
import { keepsPrompts } from './add-prompt.ts';
import { RemovedPrompts } from './removed-prompts.ts';

/** How far an import is, and at its end what it did. */
export interface ImportProgress {
  readonly filesDone: number;
  readonly filesTotal: number;
  readonly added: number;
  /** In the history already. */
  readonly known: number;
  /** Removed by the user before, and so left out. */
  readonly removed: number;
  /** Sessions that could not be read, a line each. */
  readonly problems: readonly string[];
}

interface Prompt {
  readonly text: string;
  /** Epoch seconds. */
  readonly createdAt: number;
  readonly cwd: string | undefined;
}

const BATCH_PROMPTS = 500;
const LOCK_WAIT_MS = 5_000;

/** A fork repeats the entries of its parent: the same text of the same second is one prompt. */
const INSERT = `INSERT INTO history(prompt, created_at, cwd)
  SELECT :prompt, :createdAt, :cwd
  WHERE NOT EXISTS (SELECT 1 FROM history WHERE created_at = :createdAt AND prompt = :prompt)`;

function store(db: DatabaseSync, prompts: readonly Prompt[]): number {
  const insert = prepare(db, INSERT);
  return inTransaction(db, 'IMMEDIATE', () =>
    prompts.reduce((added, { text, createdAt, cwd }) => {
      const { changes } = insert.run({ prompt: text, createdAt, cwd: cwd ?? null });
      return added + Number(changes);
    }, 0),
  );
}

/** The prompts of one session; one that does not tell its time was sent when the one before it was. */
function promptsOf({ path, mtimeMs }: FoundFile): Prompt[] {
  const prompts: Prompt[] = [];
  let cwd: string | undefined;
  let lastMs: number | undefined;
  using file = new SessionFile(path);
  const onHeader = (header: { readonly cwd: string | undefined }): true => {
    cwd = header.cwd;
    return true;
  };
  for (const { text, timeMs } of sentPrompts(file, onHeader)) {
    lastMs = timeMs ?? lastMs;
    prompts.push({ text, createdAt: Math.floor((lastMs ?? mtimeMs) / 1000), cwd });
  }
  return prompts;
}

/**
 * Takes the prompts of agents that keep no history from their sessions into Bough's own, with the times at which they were
 * sent; what is there already, or was removed on purpose, is left out. Each step reads one session. Throws
 * `history_unavailable` when the database cannot be written; what was stored until then stays.
 */
export function* importPrompts(
  roots: readonly AgentRoot[],
  stateDir: string,
): Generator<ImportProgress, ImportProgress> {
  const problems: string[] = [];
  const from = roots.filter((root) => !keepsPrompts(root));
  const found = findSessionFiles(from, ({ message }) => problems.push(message));
  // Oldest first: searches are fastest over rows in the order of their times.
  const files = found.filter(({ isSubAgent }) => !isSubAgent).reverse();
  const wasRemoved = new RemovedPrompts(ensureOwnFolder(stateDir)).read();
  const path = ownHistoryPath(stateDir);
  const counts = { added: 0, known: 0, removed: 0 };
  let batch: Prompt[] = [];
  let filesDone = 0;
  const progress = (): ImportProgress => ({ ...counts, filesDone, filesTotal: files.length, problems });
  try {
    const db = openForWriting(path, LOCK_WAIT_MS);
    try {
      ensureSchema(db);
      const flush = (): void => {
        const added = store(db, batch);
        counts.added += added;
        counts.known += batch.length - added;
        batch = [];
      };
      for (const file of files) {
        for (const prompt of readPrompts(file, problems)) {
          if (wasRemoved(prompt.text)) counts.removed++;
          else batch.push(prompt);
        }
        if (batch.length >= BATCH_PROMPTS) flush();
        filesDone++;
        yield progress();
      }
      flush();
    } finally {
      db.close();
    }
  } catch (error) {
    throw toHistoryError(error, path);
  }
  return progress();
}

function readPrompts(file: FoundFile, problems: string[]): Prompt[] {
  try {
    return promptsOf(file);
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    problems.push(error.message);
    return [];
  }
}
