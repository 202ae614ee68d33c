import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const GENERATOR = fileURLToPath(new URL('./make-corpus.mjs', import.meta.url));

/** A synthetic agent folder, made once for these arguments and kept in the temporary folder for the next run. */
export function corpus(...args: readonly string[]): string {
  const key = createHash('sha256').update(args.join('\0')).digest('hex').slice(0, 16);
  const folder = path.join(tmpdir(), 'bough-bench', key);
  if (existsSync(path.join(folder, 'manifest.json'))) return folder;
  const draft = `${folder}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  execFileSync(process.execPath, [GENERATOR, '--out', draft, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
  return folder;
}
