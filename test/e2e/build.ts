import { execFileSync } from 'node:child_process';
import { ROOT } from './environment.ts';

/** Builds once before the first e2e test: what is tested is what is shipped. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });
}
