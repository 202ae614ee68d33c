import { existsSync } from 'node:fs';
import { type AgentRoot, dialectNamed } from '../agents/agents.ts';
import { SessionError } from '../errors.ts';
import { ownHistoryPath } from '../history/databases.ts';
import { ensureOwnFolder } from '../own-folders.ts';
import { HistoryStorage } from '../session/history-storage.ts';

/** Does the agent of a folder keep a prompt history? For a folder that nobody is known to own, what lies there decides. */
export function keepsPrompts({ agent, folders }: AgentRoot): boolean {
  return agent === null ? existsSync(folders.historyPath) : dialectNamed(agent).keepsPrompts;
}

/**
 * Stores a prompt in the history of the first agent that keeps one, else in Bough's own; gives the database's path. A folder
 * that nobody is known to own counts as one of an agent that does, since most do. Throws `usage` for a prompt without text, `history_unavailable`.
 */
export async function addPrompt(
  prompt: string,
  cwd: string,
  { roots, stateDir }: { readonly roots: readonly AgentRoot[]; readonly stateDir: string },
): Promise<string> {
  if (prompt.trim() === '') throw new SessionError('usage', 'the prompt to add is empty');
  const keeper = roots.find((root) => root.agent === null || keepsPrompts(root));
  const path = keeper?.folders.historyPath ?? ownHistoryPath(ensureOwnFolder(stateDir));
  const storage = HistoryStorage.open(path);
  const stored = storage.add(prompt, cwd);
  // Waits for a lock, but not for ever.
  storage.close();
  await stored;
  return path;
}
