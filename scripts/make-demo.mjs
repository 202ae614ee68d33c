// Writes the sample sessions of `bough --demo`: node scripts/make-demo.mjs [FOLDER], demo/agent unless named.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { kumoNotesSessions } from './demo/kumo-notes.mjs';
import { lanternSessions } from './demo/lantern.mjs';
import { paperplaneSessions } from './demo/paperplane.mjs';
import { tidewaterSessions } from './demo/tidewater.mjs';

const target = process.argv[2] ?? fileURLToPath(new URL('../demo/agent/', import.meta.url));
const sessions = [tidewaterSessions(), lanternSessions(), kumoNotesSessions(), paperplaneSessions()].flat();

await rm(target, { recursive: true, force: true });
for (const session of sessions) {
  const file = path.join(target, session.relativePath);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, session.text);
}

// xcsh alone keeps a prompt history here; a sub-agent's task was not typed by anybody.
const prompts = sessions
  .filter(({ agent, relativePath }) => agent === 'xcsh' && !relativePath.endsWith('/0-Explore.jsonl'))
  .flatMap((session) => session.prompts)
  .sort((a, b) => a.timestamp.localeCompare(b.timestamp));
await writeFile(path.join(target, 'xcsh', 'history.json'), `${JSON.stringify(prompts, null, 1)}\n`);
