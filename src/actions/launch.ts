import { spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { fromNodeError, nodeCode, SessionError } from '../errors.ts';
import type { Launch } from './resume.ts';

function startAndWait(launch: Launch, env: NodeJS.ProcessEnv): number {
  const { status, signal, error } = spawnSync(launch.file, launch.args, { stdio: 'inherit', env });
  if (error !== undefined) throw fromNodeError(error, `cannot start ${launch.file}`, launch.file);
  return signal === null ? (status ?? 1) : 128 + constants.signals[signal];
}

/**
 * Puts the agent in this process's place: same terminal, same process, so signals and the exit status are its own. Where
 * the platform cannot do that, runs it and returns its exit status. The terminal must have been restored before.
 * Throws `not_found` or `no_permission` when the folder or the program cannot be used.
 */
export function launchAgent(launch: Launch): number {
  try {
    process.chdir(launch.cwd);
  } catch (error) {
    throw fromNodeError(error, `cannot enter ${launch.cwd}`, launch.cwd);
  }
  const env = { ...process.env, PWD: launch.cwd };
  const replace: typeof process.execve | undefined = process.execve;
  if (replace === undefined || process.platform === 'win32') return startAndWait(launch, env);
  try {
    return replace(launch.file, [launch.file, ...launch.args], env);
  } catch (error) {
    // A script without its `#!` line: shells run it themselves.
    if (nodeCode(error) === 'ENOEXEC')
      return startAndWait({ ...launch, file: '/bin/sh', args: [launch.file, ...launch.args] }, env);
    const failure = fromNodeError(error, `cannot start ${launch.file}`, launch.file);
    throw new SessionError(failure.code === 'not_found' ? 'agent_not_found' : failure.code, failure.message, {
      cause: error,
      path: launch.file,
    });
  }
}
