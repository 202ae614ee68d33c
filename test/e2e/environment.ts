import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's own folder. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The program as a user starts it. */
export const BOUGH = path.join(ROOT, 'bin', 'bough.cjs');

/** A fresh folder by its real path (macOS links /tmp); removed on disposal. */
export class TemporaryFolder implements Disposable {
  readonly path = realpathSync(mkdtempSync(path.join(tmpdir(), 'bough-test-')));

  [Symbol.dispose](): void {
    // A program killed a moment ago may still be writing.
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * What a child may know: a list of what is let in, since the developer's own agents, colours, XDG folders and CI
 * flags must not decide a test. `extra` comes on top.
 */
export function cleanEnvironment(home: string, extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    HOME: home,
    PATH: process.env['PATH'] ?? '',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    SHELL: '/bin/sh',
    ...extra,
  };
}

interface Finished {
  /** The exit status; 128 + the signal's number when a signal ended it, as a shell says it. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly home: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What stdin holds; without it stdin is empty. */
  readonly input?: string;
  /** The program that runs the launcher: this test's own Node unless named. */
  readonly runtime?: string;
}

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** Runs the built program without any terminal, to its end. */
export function runBough(args: readonly string[], options: RunOptions): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      options.runtime ?? process.execPath,
      [BOUGH, ...args],
      {
        cwd: options.cwd ?? options.home,
        env: cleanEnvironment(options.home, options.env),
        maxBuffer: 256 * 2 ** 20,
        timeout: 60_000,
      },
      (error, stdout, stderr) => {
        if (typeof error?.code === 'string') reject(error);
        else resolve({ status: statusOf(child.exitCode, child.signalCode), stdout, stderr });
      },
    );
    // A program that never reads its stdin may be gone before the text is: that is no fault of the test.
    child.stdin?.once('error', () => {});
    child.stdin?.end(options.input ?? '');
  });
}

function statusOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (SIGNAL_NUMBERS[signal ?? ''] ?? 0);
}
