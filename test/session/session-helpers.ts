import { expect, onTestFinished } from 'vitest';
import type { AgentMessage } from '../../src/session/messages.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import type { SessionStorage } from '../../src/session/storage.ts';
import { assistantMessage } from './session-text.ts';

/** A fresh storage and an absolute folder in it. */
export interface PlaceUnderTest {
  readonly storage: SessionStorage;
  readonly dir: string;
}

export function user(text: string): AgentMessage {
  return { role: 'user', content: text, timestamp: 1 };
}

export function answer(text: string, fields: Record<string, unknown> = {}): AgentMessage {
  return assistantMessage(text, fields) as unknown as AgentMessage;
}

/** The values of a file's lines. */
export async function linesOf(storage: SessionStorage, path: string | undefined): Promise<Record<string, unknown>[]> {
  const text = await storage.readText(path ?? '');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A new session of `/w`, closed when the test has ended. */
export function newSession({ storage, dir }: PlaceUnderTest): SessionManager {
  const session = SessionManager.create('/w', dir, storage);
  onTestFinished(async () => void (await Promise.allSettled([session.close()])));
  return session;
}
