import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of one test, by its real path; gone when the test has ended. */
export function makeTempDir(): string {
  const dir = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'bough-')));
  onTestFinished(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}
