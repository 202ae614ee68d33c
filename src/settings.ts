import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { agentNames } from './agents/agents.ts';
import type { AgentName } from './agents/dialect.ts';
import { type KeepingRules, keepEverything } from './catalog/keeping.ts';
import { fromNodeError } from './errors.ts';
import { getOwnFolders } from './own-folders.ts';
import { type Env, getHomeDir } from './session/paths.ts';

/** The program and first arguments that are run in an agent's place. */
type AgentCommand = readonly [string, ...string[]];

/** What a user has set. */
export interface Settings {
  /** undefined when the rules cannot be read: then nothing may be kept, since it could be what they keep out. */
  readonly keeping: KeepingRules | undefined;
  readonly agents: Readonly<Partial<Record<AgentName, AgentCommand>>>;
  /** Why it is not known by which commands agents are run; then none is. */
  readonly agentsProblem: string | undefined;
  /** All that is wrong with the file, a line each: what, where, what to do. */
  readonly problems: readonly string[];
}

export const defaultSettings: Settings = {
  keeping: keepEverything,
  agents: {},
  agentsProblem: undefined,
  problems: [],
};

/** Where the settings are. */
function settingsPath(env: Env): string {
  return join(getOwnFolders(env).configDir, 'settings.json');
}

class Reading {
  readonly problems: string[] = [];
  readonly #path: string;
  readonly #home: string;

  constructor(path: string, home: string) {
    this.#path = path;
    this.#home = home;
  }

  /** Notes what is wrong; gives undefined. */
  wrong(where: string, what: string): undefined {
    this.problems.push(`${this.#path}: ${where === '' ? '' : `"${where}" `}${what}`);
    return undefined;
  }

  /** The members of an object, of which no others than `names` are known; empty when it is absent. */
  members(value: unknown, where: string, names: readonly string[]): ReadonlyMap<string, unknown> | undefined {
    if (value === undefined) return new Map();
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return this.wrong(where, `must be an object: {${names.map((name) => `"${name}": …`).join(', ')}}`);
    }
    const found = new Map<string, unknown>(Object.entries(value));
    const inside = where === '' ? '' : `${where}.`;
    const unknown = [...found.keys()].filter((name) => !names.includes(name));
    for (const name of unknown) this.wrong(`${inside}${name}`, `is no setting; there are: ${names.join(', ')}`);
    return unknown.length > 0 ? undefined : found;
  }

  folders(value: unknown, where: string): readonly string[] | undefined {
    if (value === undefined) return [];
    const example = 'must be a list of folders, each absolute or from ~/: ["~/private"]';
    if (!Array.isArray(value)) return this.wrong(where, example);
    const folders = value.map((folder: unknown) => this.#folder(folder));
    if (folders.includes(undefined)) return this.wrong(where, example);
    return folders.filter((folder) => folder !== undefined);
  }

  #folder(value: unknown): string | undefined {
    if (typeof value !== 'string' || value.includes('\0')) return undefined;
    const path = value === '~' || value.startsWith('~/') ? join(this.#home, value.slice(1)) : value;
    return isAbsolute(path) ? resolve(path) : undefined;
  }

  command(value: unknown, where: string): AgentCommand | undefined {
    const example = 'must be a list of a program and its arguments: ["npx", "xcsh"]';
    if (!Array.isArray(value)) return this.wrong(where, example);
    const words: unknown[] = value;
    const [program, ...rest] = words.filter((word) => typeof word === 'string' && !word.includes('\0'));
    if (typeof program !== 'string' || program === '' || rest.length + 1 < words.length)
      return this.wrong(where, example);
    const path = program.startsWith('~/') ? join(this.#home, program.slice(1)) : program;
    return [path, ...rest.map(String)];
  }
}

function textAt(path: string): string | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    // Not read: it could be a pipe, which keeps its reader waiting.
    if (!stat.isFile()) throw new Error('it is no file');
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    throw fromNodeError(error, 'cannot be read', path);
  }
}

function keepingOf(reading: Reading, value: unknown): KeepingRules | undefined {
  const members = reading.members(value, 'catalog', ['leaveOut', 'metadataOnly']);
  const leaveOut = reading.folders(members?.get('leaveOut'), 'catalog.leaveOut');
  const metadataOnly = reading.folders(members?.get('metadataOnly'), 'catalog.metadataOnly');
  if (members === undefined || leaveOut === undefined || metadataOnly === undefined) return undefined;
  return { leaveOut, metadataOnly };
}

function agentsOf(reading: Reading, value: unknown): Settings['agents'] | undefined {
  const members = reading.members(value, 'agents', agentNames);
  if (members === undefined) return undefined;
  const agents: Partial<Record<AgentName, AgentCommand>> = {};
  for (const name of agentNames) {
    if (!members.has(name)) continue;
    const command = reading.command(members.get(name), `agents.${name}`);
    if (command === undefined) return undefined;
    agents[name] = command;
  }
  return agents;
}

function parse(reading: Reading, text: string): Settings {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    reading.wrong('', `is no JSON (${error.message.replace(/\s+/g, ' ')})`);
    return unknown(reading);
  }
  const members = reading.members(value ?? null, '', ['catalog', 'agents']);
  // A name that is not known may be a misspelt one: what it was to say is not known either.
  if (members === undefined) return unknown(reading);
  const keeping = keepingOf(reading, members.get('catalog'));
  const before = reading.problems.length;
  const agents = agentsOf(reading, members.get('agents'));
  const agentsProblem = reading.problems[before];
  return { keeping, agents: agents ?? {}, agentsProblem, problems: reading.problems };
}

/** Nothing that a user may have set is known. */
function unknown({ problems }: Reading): Settings {
  return { keeping: undefined, agents: {}, agentsProblem: problems[0], problems };
}

/**
 * Reads the user's settings. Never throws for what is wrong with them: it says so in `problems`, and what they may forbid is
 * not done. Without a file, everything is as it is by default.
 */
export function readSettings(env: Env = process.env): Settings {
  const path = settingsPath(env);
  const reading = new Reading(path, getHomeDir(env));
  try {
    const text = textAt(path);
    return text === undefined ? defaultSettings : parse(reading, text);
  } catch (error) {
    reading.wrong('', fromNodeError(error, 'cannot be read', path).message);
    return unknown(reading);
  }
}
