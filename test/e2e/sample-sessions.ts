import type { AgentFolder } from './agent-folder.ts';

interface Sample {
  readonly id: string;
  readonly cwd: string;
  readonly prompt: string;
  readonly title?: string;
  /** Of the last entry. */
  readonly at: string;
}

function entry(id: string, parentId: string | null, timestamp: string, message: object): object {
  return { type: 'message', id, parentId, timestamp, message: { ...message, timestamp: Date.parse(timestamp) } };
}

/** A session of one turn, as lines for `addSession`. */
export function sessionLines({ id, cwd, prompt, title, at }: Sample): object[] {
  const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, cost: { total: 0.01 } };
  return [
    { type: 'session', version: 3, id, timestamp: '2026-01-01T00:00:00.000Z', cwd, ...(title ? { title } : {}) },
    entry('u1', null, at, { role: 'user', content: prompt }),
    entry('a1', 'u1', at, {
      role: 'assistant',
      content: [{ type: 'text', text: `Answer to ${prompt}` }],
      provider: 'anthropic',
      model: 'claude',
      usage,
      stopReason: 'stop',
    }),
  ];
}

/** Adds a session of one turn in an agent's own naming; gives its path. */
export function addSample(
  folder: AgentFolder,
  sample: Omit<Sample, 'cwd'> & { cwd?: string },
  modifiedMs?: number,
): string {
  const name = `2026-01-01T00-00-00-000Z_${sample.id}.jsonl`;
  return folder.addSession('--project--', name, sessionLines({ cwd: folder.project, ...sample }), modifiedMs);
}
