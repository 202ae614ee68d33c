import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import { corpus } from './corpus.ts';
import { compare, type Measurement, median, print } from './measure.ts';
import { bundleStock } from './stock-ink.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const LAUNCHER = path.join(ROOT, 'bin', 'bough.cjs');
const SIZE = { cols: 120, rows: 40 };
const KEYS = 40;
/** An age: rows are there. */
const ROWS = /\d(?:h|d|w|mo|y) /;
const CTRL_C = '\u0003';
const DOWN = '\u001b[B';
const PASTE_ON = '\u001b[?2004h';
const PATIENCE_MS = 30_000;

interface Run {
  /** From the start to the first output that fits. */
  readonly firstMs: number;
  /** From each key to the output after it. */
  readonly keyMs: readonly number[];
}

/** Runs a program in a terminal until it shows `wanted`, then presses Down `keys` times, one after the other. */
export function inTerminal(args: readonly string[], home: string, wanted: RegExp, keys = 0): Promise<Run> {
  return new Promise((resolve, reject) => {
    const { CI: _ci, NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...env } = process.env;
    const start = performance.now();
    const pty = spawn(process.execPath, [...args], { ...SIZE, name: 'xterm-256color', env: { ...env, HOME: home } });
    let [output, firstMs, pressedAt] = ['', 0, 0];
    const keyMs: number[] = [];
    const press = (): void => {
      // Left by its own key: a program that is killed keeps none of its compiled code, and starts slower than it does in use.
      const isEnough = keyMs.length === keys;
      pressedAt = performance.now();
      pty.write(isEnough ? CTRL_C : DOWN);
    };
    pty.onData((data) => {
      output += data;
      if (firstMs === 0) {
        if (!wanted.test(output)) return;
        firstMs = performance.now() - start;
      }
      // Keys are read a moment after the first frame, when bracketed paste is on. Some programs end without any.
      if (pressedAt === 0) {
        if (output.includes(PASTE_ON)) press();
      } else if (keyMs.length < keys) {
        keyMs.push(performance.now() - pressedAt);
        press();
      }
    });
    // A picture that never comes must not hang the benchmark.
    const patience = setTimeout(() => pty.kill('SIGKILL'), PATIENCE_MS);
    pty.onExit(() => {
      clearTimeout(patience);
      const isComplete = firstMs > 0 && keyMs.length >= keys;
      if (isComplete) resolve({ firstMs, keyMs });
      else reject(new Error(`never saw ${wanted}, or a key went unanswered, in ${output.slice(-2000)}`));
    });
  });
}

/** The least that a program with Ink can do. */
const HELLO_PROGRAM = `import { render, Text } from 'ink'; import { createElement } from 'react'; render(createElement(Text, null, 'Hello'));`;

/** Start-up: from the command to the first frame, without sessions and over many, and keys while these are read. */
export async function run({ full }: { readonly full: boolean }): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bough-start-'));
  const rounds = full ? 15 : 7;
  const empty = path.join(folder, '.xcsh', 'agent');
  mkdirSync(path.join(empty, 'sessions'), { recursive: true });
  const many = full
    ? corpus('--sessions', '10000', '--projects', '150', '--mean-kb', '200', '--seed', '3')
    : corpus('--sessions', '2000', '--projects', '60', '--mean-kb', '100', '--seed', '7');
  const lines = path.join(folder, 'lines.mjs');
  writeFileSync(lines, "console.log('one\\ntwo\\nthree');\n");
  const hello = await bundleStock(folder, 'stock', HELLO_PROGRAM);
  try {
    const first = async (args: readonly string[], wanted: RegExp) => (await inTerminal(args, folder, wanted)).firstMs;
    const emptyList = () => first([LAUNCHER, '--agent-dir', empty], /Type to search/);
    const rowsOf = () => first([LAUNCHER, '--all', '--agent-dir', many], ROWS);
    const forget = (): void => {
      for (const suffix of ['', '-wal', '-shm']) {
        rmSync(path.join(folder, '.cache', 'bough', `catalog.db${suffix}`), { force: true });
      }
    };
    const coldRowsOf = () => {
      forget();
      return rowsOf();
    };
    const name = full ? '10,000' : '2,000';
    const noSessions = 'first frame without sessions';
    const cold = await compare(`first rows of ${name} sessions, cold`, coldRowsOf, noSessions, emptyList, {
      rounds,
      target: 1.3,
    });
    print(cold);
    forget();
    const reading = await inTerminal([LAUNCHER, '--all', '--agent-dir', many], folder, ROWS, KEYS);
    process.stdout.write(
      `keys while these are read: median ${median(reading.keyMs).toFixed(1)} ms, slowest ${Math.max(...reading.keyMs).toFixed(1)} ms\n`,
    );
    execFileSync(process.execPath, [LAUNCHER, 'index', '--substrings', 'off', '--agent-dir', many], {
      env: { ...process.env, HOME: folder },
      stdio: 'ignore',
    });
    const measurements = [
      cold,
      await compare(`first rows of ${name} sessions, warm`, rowsOf, noSessions, emptyList, { rounds, target: 1.15 }),
      await compare(noSessions, emptyList, 'node printing three lines', () => first([lines], /three/), {
        rounds,
        target: 4,
      }),
      await compare(noSessions, emptyList, 'an Ink hello, bundled', () => first([hello], /Hello/), {
        rounds,
        target: 0.5,
      }),
    ];
    measurements.slice(1).forEach(print);
    return measurements;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
