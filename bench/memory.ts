import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { corpus } from './corpus.ts';
import { type Amounts, printAmounts } from './measure.ts';
import { BenchTerminal } from './terminal.ts';

const LAUNCHER = fileURLToPath(new URL('../bin/bough.cjs', import.meta.url));
const SIZE = { cols: 120, rows: 40 };
const ROWS = /\d(?:h|d|w|mo|y) /;

/** Resident memory of a program with all its threads, in MB, when it has come to rest. Linux only. */
async function restingMb(args: readonly string[], home: string, wanted: RegExp): Promise<number> {
  using terminal = new BenchTerminal(args, home, SIZE);
  await terminal.rest(wanted);
  await terminal.idle();
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${terminal.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Memory of the list over many sessions while nothing happens: after their first reading, and with a catalog. */
export async function run({ full }: { readonly full: boolean }): Promise<readonly Amounts[]> {
  const home = mkdtempSync(path.join(tmpdir(), 'bough-memory-'));
  const many = full
    ? corpus('--sessions', '10000', '--projects', '150', '--mean-kb', '200', '--seed', '3')
    : corpus('--sessions', '2000', '--projects', '60', '--mean-kb', '100', '--seed', '7');
  const nothing = path.join(home, 'nothing.mjs');
  writeFileSync(nothing, "console.log('ready'); setInterval(() => {}, 1000);\n");
  const browser = [LAUNCHER, '--all', '--agent-dir', many];
  const name = full ? '10,000' : '2,000';
  try {
    const floorAmount = await restingMb([nothing], home, /ready/);
    const floor = 'node doing nothing';
    const first = await restingMb(browser, home, ROWS);
    execFileSync(process.execPath, [LAUNCHER, 'index', '--agent-dir', many], {
      env: { ...process.env, HOME: home },
      stdio: 'ignore',
    });
    const warm = await restingMb(browser, home, ROWS);
    const rows: Amounts[] = [
      { what: `idle over ${name} sessions, warm`, unit: 'MB', product: warm, floor, floorAmount, target: 4 },
      { what: 'idle after their first reading', unit: 'MB', product: first, floor, floorAmount, target: 4 },
    ];
    rows.forEach(printAmounts);
    return rows;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
