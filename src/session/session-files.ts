import { SessionError } from '../errors.ts';
import { BlobStore } from './blob-store.ts';
import { CURRENT_SESSION_VERSION, type SessionHeader } from './entries.ts';
import { agentFoldersOf, getBlobsDir } from './paths.ts';
import { assertFree } from './persist-chain.ts';
import { editedContent, type SessionEdit } from './rewrite.ts';
import { Snowflake } from './session-ids.ts';
import { copyBlobs } from './session-images.ts';
import { loadSessionFile } from './session-loading.ts';
import type { SessionStorage } from './storage.ts';
import { openReader, replaceFile } from './storage-fallbacks.ts';

/** The header of a session that begins now; of `fields` the title and the parent are taken over. */
export function newHeader(cwd: string, fields: Partial<SessionHeader> = {}): SessionHeader {
  const timestamp = new Date().toISOString();
  const { title, titleSource, parentSession } = fields;
  return {
    type: 'session',
    version: CURRENT_SESSION_VERSION,
    id: Snowflake.next(),
    ...(title === undefined ? {} : { title }),
    ...(titleSource === undefined ? {} : { titleSource }),
    timestamp,
    cwd,
    ...(parentSession === undefined ? {} : { parentSession }),
  };
}

/** The blob store of the agent folder that holds a session; the process's own outside of one. */
export function blobsOf(sessionPath: string): BlobStore {
  return new BlobStore(agentFoldersOf(sessionPath)?.blobsDir ?? getBlobsDir());
}

/** The error for a path at which nobody may begin a new session. */
export function refusal(path: string, kind: 'missing' | 'empty' | 'foreign'): SessionError {
  if (kind === 'missing') return new SessionError('not_found', `there is no session at ${path}`, { path });
  return new SessionError('not_a_session', `${path} is not a session: it has no header`, { path });
}

/** Gives a file that is no session a name that says so, and tells where it went. */
export async function moveAside(storage: SessionStorage, path: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const aside = `${path}.not-a-session${attempt === 1 ? '' : `-${attempt}`}`;
    if (storage.existsSync(aside)) continue;
    await storage.rename(path, aside);
    process.emitWarning(`${path} was no session and was moved to ${aside}`, 'SessionMovedAside');
    return aside;
  }
}

/** Makes another session file of one, to a free name, all or nothing. */
export async function copySession(storage: SessionStorage, from: string, to: string, edit: SessionEdit): Promise<void> {
  const file = await openReader(storage, from);
  try {
    await replaceFile(storage, to, editedContent(file, edit), { guard: () => assertFree(storage, to) });
  } finally {
    await file.close();
  }
}

/** Takes the blobs of a session along into the agent folder that it is in now. */
export async function carryBlobs(storage: SessionStorage, path: string, from: BlobStore): Promise<void> {
  const to = blobsOf(path);
  if (to.dir === from.dir) return;
  const outcome = await loadSessionFile(storage, path);
  if (outcome.kind === 'session') await copyBlobs(outcome.file.withReferences, from, to);
}
