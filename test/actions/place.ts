import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ChangeOptions } from '../../src/actions/change.ts';
import { Journal } from '../../src/actions/journal.ts';
import type { AgentName } from '../../src/agents/dialect.ts';
import type { SessionContext } from '../../src/session/context.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import { assistantLine, fileOf, headerLine, userLine } from '../session/session-text.ts';
import { makeTempDir } from '../session/temp-dir.ts';

/** A conversation of two turns, with the second one also asked another way. */
export const TWO_BRANCHES = fileOf(
  headerLine({ title: 'Two ways' }),
  userLine('u1', null, 'first question'),
  assistantLine('a1', 'u1', 'first answer'),
  userLine('u2', 'a1', 'second question'),
  assistantLine('a2', 'u2', 'second answer'),
  userLine('u3', 'a1', 'second question, better'),
  assistantLine('a3', 'u3', 'better answer'),
);

/** An agent folder with one session in it, and a journal. */
export interface Place {
  readonly dir: string;
  readonly path: string;
  readonly target: { readonly path: string; readonly agent: AgentName | null };
  readonly options: ChangeOptions & { readonly journal: Journal };
}

export function makePlace(text: string = TWO_BRANCHES, agent: AgentName | null = 'xcsh', dir = makeTempDir()): Place {
  const folder = join(dir, 'agent', 'sessions', '--w--');
  const path = join(folder, '2026-01-02T03-04-05-000Z_session-1.jsonl');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path, text);
  return { dir, path, target: { path, agent }, options: { journal: new Journal(join(dir, 'state')) } };
}

/** Bytes and mtime: equal before and after proves that a file was left alone. */
export function stateOf(path: string): readonly [text: string, mtimeNs: bigint] {
  return [fs.readFileSync(path, 'latin1'), fs.statSync(path, { bigint: true }).mtimeNs];
}

export function linesOf(path: string): Record<string, unknown>[] {
  const text = fs.readFileSync(path, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** What the engine makes of a file when an agent opens it. */
export async function reopened(path: string): Promise<{
  readonly leafId: string | null;
  readonly pathIds: readonly string[];
  readonly context: SessionContext;
  readonly labels: ReadonlyMap<string, string>;
}> {
  const session = await SessionManager.open(path, undefined, undefined, { breadcrumb: false, mustBeSession: true });
  const labelled = session.getEntries().flatMap(({ id }): [string, string][] => {
    const label = session.getLabel(id);
    return label === undefined ? [] : [[id, label]];
  });
  const found = {
    leafId: session.getLeafId(),
    pathIds: session.getBranch().map(({ id }) => id),
    context: session.buildSessionContext(),
    labels: new Map(labelled),
  };
  await session.close();
  return found;
}

/** Another process that has a file open for writing, until the test ends; gives its number. */
export async function holdOpen(path: string): Promise<number> {
  const script = `require('node:fs').openSync(process.argv[1], 'a'); console.log('open'); process.stdin.resume();`;
  const child = spawn(process.execPath, ['-e', script, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child.pid ?? 0;
}

/** A file system of its own, which only root on Linux can have: a way to remount it, or undefined. */
export function mountSmall(sizeBytes: number): { readonly dir: string; remount(options: string): void } | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const dir = makeTempDir();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', dir], { stdio: 'ignore' });
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', dir]));
  return { dir, remount: (options) => void execFileSync('mount', ['-o', `remount,${options}`, dir]) };
}
