/** Lines of session files, as agents write them, for tests. */
const START = '2026-01-02T03:04:05.000Z';

export function headerLine(fields: Record<string, unknown> = {}): string {
  return JSON.stringify({ type: 'session', version: 3, id: 'session-1', timestamp: START, cwd: '/w', ...fields });
}

/** A user's message; times go on by one second with each `n`. */
export function userLine(
  id: string,
  parentId: string | null,
  text: string,
  fields: Record<string, unknown> = {},
): string {
  return JSON.stringify({
    type: 'message',
    id,
    parentId,
    timestamp: START,
    message: { role: 'user', content: text, timestamp: Date.parse(START) },
    ...fields,
  });
}

export function assistantMessage(text: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  const cost = { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 };
  return {
    role: 'assistant',
    content: [{ type: 'text', text }],
    provider: 'anthropic',
    model: 'claude',
    usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost },
    stopReason: 'stop',
    timestamp: Date.parse(START),
    ...fields,
  };
}

export function assistantLine(
  id: string,
  parentId: string | null,
  text: string,
  fields: Record<string, unknown> = {},
): string {
  return JSON.stringify({ type: 'message', id, parentId, timestamp: START, message: assistantMessage(text, fields) });
}

export function fileOf(...lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
