import { writeSync } from 'node:fs';
import type { AgentMessage } from '../src/session/messages.ts';
import { SessionManager } from '../src/session/session-manager.ts';

/**
 * A process that does nothing but write sessions until it is killed. It says on its output what it knows to be durable:
 * `ack FILE ID,ID,…`, and `file FILE` before it begins with a file.
 */
const [sessionDir = '', seed = '1', manner = 'mixed'] = process.argv.slice(2);

let state = Number(seed) >>> 0;

/** A number from 0 up to `limit`, the same ones for the same seed. */
function draw(limit: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}

const MAX_BLOCK_CHARS = 400_000;

/** A message whose line has about so many bytes; strings stay below what is cut. */
function message(sizeBytes: number): AgentMessage {
  const blocks = [];
  for (let rest = sizeBytes; rest > 0; rest -= MAX_BLOCK_CHARS) {
    blocks.push({ type: 'text' as const, text: String(draw(10)).repeat(Math.min(rest, MAX_BLOCK_CHARS)) });
  }
  return { role: 'user', content: blocks, timestamp: Date.now() };
}

function picture(): AgentMessage {
  const data = Buffer.alloc(2000 + draw(200_000), draw(256)).toString('base64');
  return { role: 'user', content: [{ type: 'image', mimeType: 'image/png', data }], timestamp: Date.now() };
}

function answer(call: string): AgentMessage {
  return {
    role: 'assistant',
    content: [{ type: 'toolCall', id: call, name: 'read', arguments: { path: 'a' } }],
    provider: 'p',
    model: 'm',
    usage: {
      input: 1,
      output: 1,
      cacheRead: 0,
      cacheWrite: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: 'toolUse',
    timestamp: Date.now(),
  };
}

const session = SessionManager.create('/w', sessionDir, undefined, { breadcrumb: false });

function say(what: string): void {
  writeSync(1, `${what}\n`);
}

async function acknowledge(): Promise<void> {
  const [file, ids] = [session.getSessionFile(), session.getEntries().map((entry) => entry.id)];
  await session.flush();
  say(`ack ${file} ${ids.join()}`);
}

function acknowledgeNow(): void {
  say(`ack ${session.getSessionFile()} ${session.getEntries().map((entry) => entry.id)}`);
}

const large = message(4_000_000);

async function step(): Promise<void> {
  const kind = manner === 'heavy' ? 0 : draw(20);
  if (manner === 'heavy') session.appendMessage(large);
  else if (kind < 8) session.appendMessage(message(150 + draw(2000)));
  else if (kind < 10) session.appendMessage(message(draw(4_000_000)));
  else if (kind < 12) session.appendMessage(picture());
  else if (kind < 13) await session.setSessionName(`title ${draw(1000)}`, 'user');
  else if (kind < 14) await session.rewriteAssistantToolCallArgs('call', { path: String(draw(1000)) });
  else if (kind < 15) await session.rewriteEntries();
  else if (kind < 16) void session.setSessionName(`nobody waits ${draw(1000)}`, 'user');
  else if (kind < 17) {
    session.createBranchedSession(session.getLeafId() ?? '');
    acknowledgeNow();
  } else if (kind < 18) {
    await session.fork();
    acknowledgeNow();
  } else await acknowledge();
}

session.appendMessage(answer('call'));
await acknowledge();
for (;;) await step();
