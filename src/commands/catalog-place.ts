import type { CatalogPlace } from '../catalog/sidecar.ts';
import { getOwnFolders } from '../own-folders.ts';
import type { Place } from './place.ts';

/** Where the user's catalog lies, and what it may hold. */
export function catalogPlace({ env, settings }: Place): CatalogPlace {
  return { cacheDir: getOwnFolders(env).cacheDir, rules: settings.keeping };
}
