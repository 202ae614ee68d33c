import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { TemporaryFolder } from './environment.ts';

/** The session files of other people's projects (`README.md` there). */
const FIXTURE_SESSIONS = fileURLToPath(new URL('../fixtures/sessions/', import.meta.url));

export type AgentName = 'xcsh' | 'omp' | 'pi';

/** One start of a stand-in agent. */
export interface AgentRun {
  /** The arguments after the program's name. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Which of its files 0, 1, 2 are terminals. */
  readonly isTerminal: readonly [boolean, boolean, boolean];
  /** `stty -a` of its stdin; null when that is no terminal. */
  readonly stty: string | null;
  readonly env: Readonly<Record<string, string>>;
}

// The record is one line a run, written in one go, so a reader sees whole runs only.
const STAND_IN = `
const { appendFileSync } = require('node:fs');
const { spawnSync } = require('node:child_process');
const { isatty } = require('node:tty');
const stty = isatty(0) ? spawnSync('stty', ['-a'], { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' }).stdout : null;
const [record, status, ...argv] = process.argv.slice(2);
const isTerminal = [0, 1, 2].map((file) => isatty(file));
appendFileSync(record, JSON.stringify({ argv, cwd: process.cwd(), isTerminal, stty, env: process.env }) + '\\n');
process.exitCode = Number(status);
`;

/** An agent's program that only notes how it was started. */
export class StandInAgent {
  readonly #record: string;

  constructor(record: string) {
    this.#record = record;
  }

  /** The starts so far, oldest first. */
  runs(): AgentRun[] {
    if (!existsSync(this.#record)) return [];
    const lines = readFileSync(this.#record, 'utf8').split('\n').slice(0, -1);
    return lines.map((line): AgentRun => JSON.parse(line));
  }
}

/**
 * A home folder with agent folders laid out as the agents lay them out. Give a program `HOME: home` and, to meet the
 * stand-in agents, `PATH: folder.searchPath`.
 */
export class AgentFolder implements Disposable {
  readonly #temporary = new TemporaryFolder();
  readonly home = path.join(this.#temporary.path, 'home');
  /** A project folder that exists, for headers to name. */
  readonly project = path.join(this.#temporary.path, 'project');
  /** The agent folder: `<home>/.xcsh/agent`, or that of the agent named. */
  readonly path: string;
  readonly #programs = path.join(this.#temporary.path, 'bin');

  constructor(agent: AgentName = 'xcsh') {
    this.path = path.join(this.home, `.${agent}`, 'agent');
    for (const folder of [path.join(this.path, 'sessions'), this.project, this.#programs])
      mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Copies a fixture to `sessions/<folder>/<name of the fixture>`; gives the copy's path. */
  addFixture(name: string, folder = '--fixtures--'): string {
    const target = this.#sessionPath(folder, name);
    copyFileSync(path.join(FIXTURE_SESSIONS, name), target);
    return target;
  }

  /**
   * Writes `sessions/<folder>/<file>`: values as JSON lines, a string as the file's whole text. `modifiedMs`, epoch
   * milliseconds, becomes its mtime. Gives its path.
   */
  addSession(folder: string, file: string, content: string | readonly object[], modifiedMs?: number): string {
    const target = this.#sessionPath(folder, file);
    const text = typeof content === 'string' ? content : content.map((value) => `${JSON.stringify(value)}\n`).join('');
    writeFileSync(target, text, { mode: 0o600 });
    if (modifiedMs !== undefined) utimesSync(target, modifiedMs / 1000, modifiedMs / 1000);
    return target;
  }

  /** Puts a stand-in for an agent's program where `searchPath` finds it; each start ends with `status`. */
  installAgent(name: AgentName, status = 0): StandInAgent {
    const script = path.join(this.#programs, `${name}.stand-in.cjs`);
    const record = path.join(this.#temporary.path, `${name}.runs.jsonl`);
    writeFileSync(script, STAND_IN);
    const program = path.join(this.#programs, name);
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${script}' '${record}' ${status} "$@"\n`);
    chmodSync(program, 0o755);
    return new StandInAgent(record);
  }

  /** A PATH on which the stand-in agents are the first found. */
  get searchPath(): string {
    return `${this.#programs}${path.delimiter}${process.env['PATH'] ?? ''}`;
  }

  [Symbol.dispose](): void {
    this.#temporary[Symbol.dispose]();
  }

  #sessionPath(folder: string, file: string): string {
    const target = path.join(this.path, 'sessions', folder, file);
    mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
    return target;
  }
}

/**
 * Everything below a folder, itself included, as relative path → kind, mode, mtime in ns, and the content's SHA-256:
 * equal snapshots prove that reading changed nothing.
 */
export function snapshotFolder(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(['.', ...names.sort()].map((name) => [name, describe(path.join(folder, name))]));
}

function describe(file: string): string {
  const status = lstatSync(file, { bigint: true });
  const about = `${status.mode.toString(8)} ${status.mtimeNs}`;
  if (status.isSymbolicLink()) return `${about} -> ${readlinkSync(file)}`;
  if (!status.isFile()) return about;
  return `${about} ${status.size} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`;
}
