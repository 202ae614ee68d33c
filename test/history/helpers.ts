import fs from 'node:fs';
import path from 'node:path';
import type { AgentRoot } from '../../src/agents/agents.ts';
import type { AgentName } from '../../src/agents/dialect.ts';
import { inTransaction, openForWriting } from '../../src/session/history-database.ts';
import { ensureSchema, insertSql } from '../../src/session/history-schema.ts';
import { foldersIn } from '../../src/session/paths.ts';
import { connect, makeFolder } from '../session/history-helpers.ts';

export interface StoredPrompt {
  readonly prompt: string;
  /** Epoch seconds. */
  readonly at: number;
  readonly cwd?: string;
}

/** Agent folders, project folders and Bough's state folder in a folder of their own. */
export class World {
  readonly folder = makeFolder();
  readonly stateDir = path.join(this.folder, 'state');

  root(agent: AgentName | null, name: string = agent ?? 'some'): AgentRoot {
    const agentDir = path.join(this.folder, name);
    fs.mkdirSync(path.join(agentDir, 'sessions'), { recursive: true });
    return { agent, folders: foldersIn(agentDir) };
  }

  /** A project folder that exists. */
  project(name: string): string {
    const project = path.join(this.folder, 'projects', name);
    fs.mkdirSync(project, { recursive: true });
    return project;
  }

  /** Stores prompts as an agent does. */
  store(file: string, prompts: readonly StoredPrompt[]): void {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const db = openForWriting(file, 1_000);
    ensureSchema(db);
    const insert = db.prepare(insertSql(db));
    inTransaction(db, 'IMMEDIATE', () => {
      for (const { prompt, at, cwd } of prompts) insert.run(prompt, at, cwd ?? null);
    });
    db.close();
  }

  /** Makes a database with another schema. */
  create(file: string, sql: string): void {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const db = connect(file);
    db.exec(sql);
    db.close();
  }

  /** Writes a session in an agent's naming: prompts with their epoch ms, one entry each, and an answer to each. */
  session(
    root: AgentRoot,
    id: string,
    cwd: string,
    prompts: readonly { readonly text: string; readonly atMs: number; readonly id?: string }[],
    lines: readonly object[] = [],
  ): string {
    const start = new Date(prompts[0]?.atMs ?? 0).toISOString();
    const file = path.join(root.folders.sessionsDir, '--p--', `${start.replace(/[:.]/g, '-')}_${id}.jsonl`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const entries = prompts.flatMap(({ text, atMs, id: entryId }, index) => {
      const timestamp = new Date(atMs).toISOString();
      const user = entryId ?? `u${index}`;
      const parentId = index === 0 ? null : `a${index - 1}`;
      return [
        { type: 'message', id: user, parentId, timestamp, message: { role: 'user', content: text, timestamp: atMs } },
        {
          type: 'message',
          id: `a${index}`,
          parentId: user,
          timestamp,
          message: { role: 'assistant', content: [{ type: 'text', text: `On ${text}` }], model: 'm', provider: 'p' },
        },
      ];
    });
    const header = { type: 'session', version: 3, id, timestamp: start, cwd };
    fs.writeFileSync(file, [header, ...entries, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));
    const lastMs = prompts.at(-1)?.atMs ?? 0;
    fs.utimesSync(file, lastMs / 1000, lastMs / 1000);
    return file;
  }
}

/** Takes all steps. */
export function finish<T>(work: Generator<unknown, T>): T {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}
