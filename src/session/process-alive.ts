import { nodeCode } from '../errors.ts';

/** Whether this machine runs a process of that number; one of another user counts. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return nodeCode(error) !== 'ESRCH';
  }
}
