import type { SessionEntry } from './entries.ts';
import { isRecord } from './messages.ts';

/** What all branches of a session used: tokens, premium requests (also in fractions), and dollars. */
export interface UsageStatistics {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  premiumRequests: number;
  cost: number;
}

export function noUsage(): UsageStatistics {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, premiumRequests: 0, cost: 0 };
}

function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** The usage that an entry reports: an answer's own, or that of the sub-agents behind a `task` tool's result. */
function usageOf(entry: SessionEntry): unknown {
  if (entry.type !== 'message' || !isRecord(entry.message)) return undefined;
  const { role, usage, toolName, details } = entry.message as Record<string, unknown>;
  if (role === 'assistant') return usage;
  return role === 'toolResult' && toolName === 'task' && isRecord(details) ? details['usage'] : undefined;
}

/** Adds what an entry used; an answer without usage, or without its cost, adds what it tells. */
export function addUsage(total: UsageStatistics, entry: SessionEntry): void {
  const usage = usageOf(entry);
  if (!isRecord(usage)) return;
  total.input += amount(usage['input']);
  total.output += amount(usage['output']);
  total.cacheRead += amount(usage['cacheRead']);
  total.cacheWrite += amount(usage['cacheWrite']);
  total.premiumRequests += amount(usage['premiumRequests']);
  if (isRecord(usage['cost'])) total.cost += amount(usage['cost']['total']);
}
