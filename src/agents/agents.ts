import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { SessionError } from '../errors.ts';
import { type AgentFolders, type Env, foldersIn, getHomeDir, xdgFolders } from '../session/paths.ts';
import type { TitleCandidates } from '../session/summary.ts';
import { type AgentName, type Dialect, type Title, titleFrom } from './dialect.ts';
import { omp } from './omp.ts';
import { pi } from './pi.ts';
import { xcsh } from './xcsh.ts';

/** In the order in which folders are looked for. */
const dialects: readonly Dialect[] = [xcsh, omp, pi];

export const agentNames: readonly AgentName[] = dialects.map(({ name }) => name);

/** An agent's folders, and whose they are. */
export interface AgentRoot {
  readonly folders: AgentFolders;
  /** null when the folder's name does not tell. */
  readonly agent: AgentName | null;
}

/** The dialect of that name. */
export function dialectNamed(name: AgentName): Dialect {
  switch (name) {
    case 'xcsh':
      return xcsh;
    case 'omp':
      return omp;
    case 'pi':
      return pi;
  }
}

/** Whose an agent folder is, by the names on its path (`~/.pi/agent`, `$XDG_DATA_HOME/xcsh`); null when they do not tell. */
export function agentOfFolder(agentDir: string): AgentName | null {
  for (let at = resolve(agentDir); dirname(at) !== at; at = dirname(at)) {
    const name = basename(at);
    const found = dialects.find((dialect) => name === `.${dialect.name}` || name === dialect.name);
    if (found !== undefined) return found.name;
    // Deeper levels are omp's profiles; what lies further up belongs to the user.
    if (!['agent', 'profiles'].includes(name) && basename(dirname(at)) !== 'profiles') return null;
  }
  return null;
}

function rootAt(agentDir: string): AgentRoot {
  return { folders: foldersIn(resolve(agentDir)), agent: agentOfFolder(agentDir) };
}

/**
 * The agent folders whose sessions are shown: those given, else the one that `PI_CODING_AGENT_DIR` names, else the default
 * ones that exist (product page, "Where sessions come from"). Throws `not_found` for a given folder that does not exist.
 */
export function findAgentRoots(given: readonly string[], env: Env = process.env): readonly AgentRoot[] {
  const named = given.length > 0 ? given : [env['PI_CODING_AGENT_DIR'] || undefined].filter((dir) => dir !== undefined);
  if (named.length > 0) {
    return [...new Set(named.map((dir) => resolve(dir)))].map((dir) => {
      if (existsSync(dir)) return rootAt(dir);
      const hint = given.length > 0 ? 'check --agent-dir' : 'check PI_CODING_AGENT_DIR';
      throw new SessionError('not_found', `no agent folder at ${dir}`, { path: dir, hint });
    });
  }
  const home = getHomeDir(env);
  return dialects
    .map(({ name }): AgentRoot => {
      const agentDir = join(home, `.${name}`, 'agent');
      return { folders: name === 'pi' ? foldersIn(agentDir) : xdgFolders(name, agentDir, env), agent: name };
    })
    .filter(({ folders }) => existsSync(folders.sessionsDir) || existsSync(folders.agentDir));
}

/** What a file itself tells about who wrote it. */
export interface DialectEvidence {
  readonly hasTitleSlot: boolean;
  readonly sessionId: string | undefined;
  /** Entries that only one dialect writes. */
  readonly hints: ReadonlySet<'pi' | 'omp'>;
}

/** xcsh's ids: 16 hex digits. The others use UUIDs. */
const SNOWFLAKE = /^[0-9a-f]{16}$/;

/**
 * Whose a session is: by its folder, unless its first line contradicts, else by the file itself. null when that does not
 * settle it, and then no agent is started on it.
 */
export function agentOfSession(folderAgent: AgentName | null, evidence: DialectEvidence): AgentName | null {
  if (folderAgent !== null) return evidence.hasTitleSlot && folderAgent !== 'omp' ? null : folderAgent;
  if (evidence.hints.size === 1) {
    const [hinted] = evidence.hints;
    return hinted ?? null;
  }
  if (evidence.hints.size > 1) return null;
  return evidence.sessionId !== undefined && SNOWFLAKE.test(evidence.sessionId) ? 'xcsh' : null;
}

/** The title by the dialect's rule; where none is known, whatever the file offers. */
export function titleOf(agent: AgentName | null, found: TitleCandidates): Title | undefined {
  if (agent !== null) return dialectNamed(agent).titleOf(found);
  return (
    titleFrom(found.slot, found.slotSource) ??
    titleFrom(found.sessionInfo, 'user') ??
    titleFrom(found.header, found.headerSource) ??
    titleFrom(found.shortSummary, 'auto')
  );
}
