import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { findAgentRoots } from './agents/agents.ts';
import type { HistoryScreenOptions } from './commands/history-screen.ts';
import type { PickOptions } from './commands/pick.tsx';
import type { Place } from './commands/place.ts';
import { type CommonOptions, runProgram } from './commands/program.ts';
import { copyDemo } from './demo.ts';
import { nodeCode, SessionError } from './errors.ts';
import { neutraliseBlock, neutraliseLine } from './model/neutralise.ts';
import { tell } from './output.ts';
import { getHomeDir } from './session/paths.ts';
import { defaultSettings, readSettings } from './settings.ts';
import { openTerminal } from './terminal.ts';

const BUG_STATUS = 70;

/** The folder we are in, by the name that the shell has for it when that is the same folder. */
function workingDirectory(): string {
  const named = process.env['PWD'];
  const actual = process.cwd();
  if (named === undefined || !named.startsWith('/')) return actual;
  try {
    return realpathSync(named) === actual ? named : actual;
  } catch (error) {
    if (nodeCode(error) === undefined) throw error;
    return actual;
  }
}

function placeFor({ agentDir, demo }: CommonOptions): Place {
  const nowMs = Date.now();
  const { env } = process;
  if (!demo) {
    const settings = readSettings(env);
    for (const problem of settings.problems) tell(neutraliseLine(problem));
    return { roots: findAgentRoots(agentDir), cwd: workingDirectory(), home: getHomeDir(), env, nowMs, settings };
  }
  const folder = mkdtempSync(join(tmpdir(), 'bough-demo-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { agentDirs, home, project } = copyDemo(folder, nowMs);
  // What is changed here is gone in a moment, and nothing for the user's own journal.
  const demoEnv = { ...env, XDG_STATE_HOME: join(folder, 'state'), XDG_CACHE_HOME: join(folder, 'cache') };
  return { roots: findAgentRoots(agentDirs), cwd: project, home, env: demoEnv, nowMs, settings: defaultSettings };
}

/** Tells a failure in one line and gives its exit status. Only a bug shows a stack. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof SessionError) {
    const hint = error.hint === undefined ? '' : `\n       ${error.hint}`;
    tell(neutraliseBlock(`${error.message}${hint}`));
    return error.exitStatus;
  }
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  return BUG_STATUS;
}

// A reader that has seen enough (`bough list | head`) is no failure.
process.stdout.on('error', (error) => {
  if (nodeCode(error) !== 'EPIPE') throw error;
  process.exit(0);
});

const workerUrl = new URL('./worker.js', import.meta.url);

/** The picker where there is a terminal; bare `bough` lists where stdout leads elsewhere. */
async function pick(place: Place, options: PickOptions): Promise<number> {
  const isBare = options.print === undefined;
  const terminal = isBare && !process.stdout.isTTY ? undefined : openTerminal(place.env);
  if (terminal !== undefined) {
    const { runPicker } = await import('./commands/pick.tsx');
    return runPicker(place, options, terminal, workerUrl);
  }
  if (!isBare)
    throw new SessionError('no_terminal', 'there is no terminal to draw on', { hint: 'use bough list --json' });
  const { runList } = await import('./commands/runs.ts');
  await runList(place, { ...options, sort: 'recent', limit: undefined, json: false }, workerUrl);
  return 0;
}

/** The prompt history, where there is a terminal. */
async function history(place: Place, options: HistoryScreenOptions): Promise<number> {
  const terminal = openTerminal(place.env);
  if (terminal === undefined) {
    throw new SessionError('no_terminal', 'there is no terminal to draw on', { hint: 'use bough history --json' });
  }
  const { runHistoryScreen } = await import('./commands/history-screen.ts');
  return runHistoryScreen(place, options, terminal, workerUrl);
}

/** A session's tree, where there is a terminal. */
async function tree(place: Place, target: string): Promise<number> {
  const terminal = openTerminal(place.env);
  if (terminal === undefined) {
    throw new SessionError('no_terminal', 'there is no terminal to draw on', { hint: 'use bough tree TARGET --json' });
  }
  const { runTreeScreen } = await import('./commands/tree-screen.ts');
  return runTreeScreen(place, target, terminal, workerUrl);
}

try {
  const shell = { version: packageJson.version, workerUrl, placeFor, pick, history, tree };
  process.exitCode = await runProgram(process.argv.slice(2), shell);
} catch (error) {
  process.exitCode = report(error);
}
