import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SessionFile } from '../src/session/scan.ts';
import { SessionManager } from '../src/session/session-manager.ts';

const WRITER = fileURLToPath(new URL('./crash-writer.ts', import.meta.url));
const NEWLINE = 0x0a;

/** What was found after so many kills. */
export interface CrashReport {
  rounds: number;
  files: number;
  /** Files whose last line was cut by the kill. */
  tornTails: number;
  acknowledged: number;
  lost: number;
  /** Everything else that must not be, in words. */
  faults: string[];
}

interface Claims {
  /** By file, the ids that a flush acknowledged. */
  readonly acknowledged: Map<string, Set<string>>;
}

function collectClaims(child: ChildProcess): Claims {
  const acknowledged = new Map<string, Set<string>>();
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const [, file = '', ids = ''] = line.split(' ');
      const known = acknowledged.get(file) ?? new Set();
      for (const id of ids.split(',')) known.add(id);
      acknowledged.set(file, known);
    }
  });
  return { acknowledged };
}

/** Whether a line is being written to the file at this very moment. */
function isWithinLine(fd: number): boolean {
  const last = Buffer.alloc(1);
  return fs.readSync(fd, last, 0, 1, fs.fstatSync(fd).size - 1) === 1 && last[0] !== NEWLINE;
}

/** Waits for the moment to kill: in a heavy round one in which a large line is on its way. */
async function waitForMoment(manner: string, claims: Claims): Promise<void> {
  while (claims.acknowledged.size === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await new Promise((resolve) => setTimeout(resolve, Math.random() * (manner === 'heavy' ? 60 : 400)));
  if (manner !== 'heavy') return;
  const fd = fs.openSync([...claims.acknowledged.keys()][0] ?? '', 'r');
  const giveUpMs = performance.now() + 500;
  while (!isWithinLine(fd) && performance.now() < giveUpMs);
  fs.closeSync(fd);
}

function idsIn(file: string): {
  readonly ids: Set<string>;
  readonly damagedBeforeEnd: number;
  readonly isTorn: boolean;
} {
  using session = new SessionFile(file);
  const ids = new Set<string>();
  const damage: number[] = [];
  for (const record of session.records('full')) {
    if (record.kind === 'entry' && record.entry !== undefined) ids.add(record.entry.id);
    if (record.kind === 'damage') damage.push(record.span.offset + record.span.length);
  }
  const isTorn = session.stamp.sizeBytes > 0 && session.read(session.stamp.sizeBytes - 1, 1)[0] !== NEWLINE;
  const atEnd = damage.filter((end) => end === session.stamp.sizeBytes).length;
  return { ids, damagedBeforeEnd: damage.length - atEnd, isTorn };
}

/** Opens a file after the crash and goes on with it; says what is wrong with the result. */
async function goOn(file: string, isTorn: boolean): Promise<string[]> {
  const faults: string[] = [];
  const before = fs.readFileSync(file);
  const session = await SessionManager.open(file, undefined, undefined, { breadcrumb: false, mustBeSession: true });
  if (JSON.stringify(session.getEntries()).includes('"blob:sha256:'))
    faults.push('an image of a written entry is missing');
  const id = session.appendMessage({ role: 'user', content: 'after the crash', timestamp: 1 });
  await session.flush();
  const after = fs.readFileSync(file);
  if (!after.subarray(0, before.length).equals(before)) faults.push('bytes from before the crash are gone');
  const added = after.subarray(before.length).toString();
  if (added.startsWith('\n') !== isTorn) faults.push('a torn line was not completed first');
  for (const line of added.split('\n')) if (line !== '') JSON.parse(line);
  await session.setSessionName('after', 'user');
  await session.close();
  const rewritten = fs.readFileSync(file);
  const body = after.subarray(after.indexOf(NEWLINE));
  if (!rewritten.subarray(rewritten.indexOf(NEWLINE)).equals(body))
    faults.push('a rename changed more than the header');
  if (!idsIn(file).ids.has(id)) faults.push('what was appended after the crash is not there');
  return faults;
}

async function runRound(seed: number, report: CrashReport): Promise<void> {
  const agentDir = fs.mkdtempSync(path.join(tmpdir(), 'bough-crash-'));
  const dir = path.join(agentDir, 'sessions', '--w--');
  fs.mkdirSync(dir, { recursive: true });
  const manner = seed % 3 === 0 ? 'heavy' : 'mixed';
  try {
    const child = spawn(process.execPath, [WRITER, dir, String(seed), manner], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const claims = collectClaims(child);
    const closed = once(child, 'close');
    await waitForMoment(manner, claims);
    child.kill('SIGKILL');
    await closed;
    const files = new Set([...claims.acknowledged.keys(), ...sessionFilesIn(dir)]);
    for (const file of files) {
      const { ids, damagedBeforeEnd, isTorn } = idsIn(file);
      const claimed = claims.acknowledged.get(file) ?? new Set();
      report.files++;
      report.tornTails += Number(isTorn);
      report.acknowledged += claimed.size;
      report.lost += [...claimed].filter((id) => !ids.has(id)).length;
      if (damagedBeforeEnd > 0) report.faults.push(`seed ${seed}: damage before the last line`);
      for (const fault of await goOn(file, isTorn)) report.faults.push(`seed ${seed}: ${fault}`);
    }
    const left = fs
      .readdirSync(dir)
      .filter((name) => name.endsWith('.tmp') && files.has(path.join(dir, nameBehind(name))));
    if (left.length > 0) report.faults.push(`seed ${seed}: left behind ${left.join(', ')}`);
    report.rounds++;
  } finally {
    fs.rmSync(agentDir, { recursive: true, force: true });
  }
}

function sessionFilesIn(dir: string): string[] {
  return fs.readdirSync(dir).flatMap((name) => (name.endsWith('.jsonl') ? [path.join(dir, name)] : []));
}

/** The file that a temporary one was to become. */
function nameBehind(temp: string): string {
  return temp.replace(/^\./, '').replace(/\.[0-9a-f]+-\d+-[0-9a-f]+\.tmp$/, '');
}

/** Kills a writing process so many times at random moments, and looks at what it leaves. */
export async function crash(
  rounds: number,
  firstSeed = 1,
  onRound?: (report: CrashReport) => void,
): Promise<CrashReport> {
  const report: CrashReport = { rounds: 0, files: 0, tornTails: 0, acknowledged: 0, lost: 0, faults: [] };
  for (let seed = firstSeed; seed < firstSeed + rounds; seed++) {
    await runRound(seed, report);
    onRound?.(report);
  }
  return report;
}

function line({ rounds, files, tornTails, acknowledged, lost, faults }: CrashReport): string {
  return `${rounds} rounds, ${files} files, ${tornTails} torn tails, ${acknowledged} entries acknowledged, ${lost} lost, ${faults.length} other faults\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } },
  });
  const report = await crash(Number(values.rounds), Number(values.seed), (soFar) => {
    if (soFar.rounds % 25 === 0) process.stdout.write(line(soFar));
  });
  process.stdout.write(line(report));
  for (const fault of report.faults) process.stdout.write(`${fault}\n`);
  process.exitCode = report.lost + report.faults.length > 0 ? 1 : 0;
}
