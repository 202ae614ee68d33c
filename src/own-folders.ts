import { join } from 'node:path';
import { fromNodeError } from './errors.ts';
import { type Env, getHomeDir, xdgDir } from './session/paths.ts';
import { ensurePrivateDirSync } from './session/private-files.ts';

/** Where Bough keeps what is its own, as absolute paths; nothing need exist. */
export interface OwnFolders {
  /** May be deleted at any time without a loss: catalog, code cache. */
  readonly cacheDir: string;
  /** Journal of changes, imported prompt history. */
  readonly stateDir: string;
  readonly configDir: string;
}

/** Bough's folders by the XDG rules: `bough/` in the user's cache, state and config folders. */
export function getOwnFolders(env: Env = process.env): OwnFolders {
  const home = getHomeDir(env);
  return {
    cacheDir: join(xdgDir('XDG_CACHE_HOME', env) ?? join(home, '.cache'), 'bough'),
    stateDir: join(xdgDir('XDG_STATE_HOME', env) ?? join(home, '.local', 'state'), 'bough'),
    configDir: join(xdgDir('XDG_CONFIG_HOME', env) ?? join(home, '.config'), 'bough'),
  };
}

/**
 * Creates one of Bough's folders with mode 0700, and what is missing above it; gives it back.
 * @throws SessionError `no_permission`, `disk_full`, `already_exists` (a file in the way), `io`
 */
export function ensureOwnFolder(dir: string): string {
  try {
    ensurePrivateDirSync(dir);
    return dir;
  } catch (error) {
    throw fromNodeError(error, `cannot create ${dir}`, dir);
  }
}
