import fs from 'node:fs';
import path from 'node:path';
import { rewriteSessionFile } from '../src/session/rewrite.ts';
import { headerEdit } from '../src/session/session-edits.ts';
import { SessionManager } from '../src/session/session-manager.ts';
import { FileSessionStorage } from '../src/session/session-storage.ts';
import { corpus } from './corpus.ts';
import { compare, type Measurement, print, timed } from './measure.ts';

const storage = new FileSessionStorage();

/** Appends that are flushed one by one, beside writing and syncing the same bytes. */
async function measureAppend(dir: string, sizeBytes: number): Promise<Measurement> {
  const count = 20;
  const session = SessionManager.create('/w', dir, storage, { breadcrumb: false });
  await session.ensureOnDisk();
  const content = 'x'.repeat(sizeBytes);
  const entry = { type: 'message', id: '12345678', parentId: '12345678', timestamp: new Date().toISOString() };
  const line = Buffer.from(
    `${JSON.stringify({ ...entry, message: { role: 'user', content, timestamp: Date.now() } })}\n`,
  );
  const fd = fs.openSync(path.join(dir, 'floor'), 'a');
  const product = (): Promise<number> =>
    timed(async () => {
      for (let i = 0; i < count; i++) {
        session.appendMessage({ role: 'user', content, timestamp: Date.now() });
        await session.flush();
      }
    });
  const floor = (): Promise<number> =>
    timed(() => {
      for (let i = 0; i < count; i++) {
        fs.writeSync(fd, line);
        fs.fsyncSync(fd);
      }
    });
  const what = `append and flush, ${count} × ${sizeBytes} bytes`;
  const measured = await compare(what, product, 'write + fsync', floor, { rounds: 9, target: 1.3 });
  fs.closeSync(fd);
  await session.close();
  return measured;
}

/** The largest session of a synthetic agent folder. */
function largeSession(full: boolean): string {
  const entries = full ? '100000' : '20000';
  const folder = corpus('--sessions', '3', '--projects', '3', '--big-session-entries', entries, '--seed', '4');
  const sessionsDir = path.join(folder, 'sessions');
  const files = fs.readdirSync(sessionsDir, { recursive: true, encoding: 'utf8' });
  const sized = files
    .map((name) => path.join(sessionsDir, name))
    .map((file) => ({ file, size: fs.statSync(file).size }));
  return sized.filter(({ file }) => file.endsWith('.jsonl')).toSorted((a, b) => b.size - a.size)[0]?.file ?? '';
}

async function measureOpen(file: string): Promise<Measurement> {
  const megabytes = Math.round(fs.statSync(file).size / 1e6);
  const open = (): Promise<number> =>
    timed(() => SessionManager.open(file, undefined, storage, { breadcrumb: false, mustBeSession: true }));
  const read = (): Promise<number> => timed(() => fs.readFileSync(file));
  return await compare(`open a session of ${megabytes} MB`, open, 'plain read', read, { rounds: 5 });
}

/** A million entries in one chain beside a tenth of them: ten times the time is linear. */
async function measureChain(dir: string, full: boolean): Promise<Measurement> {
  const [long, short] = [full ? 1_000_000 : 200_000, full ? 100_000 : 20_000];
  const openChain = (count: number): (() => Promise<number>) => {
    const file = path.join(dir, `chain-${count}.jsonl`);
    writeChain(file, count);
    return () =>
      timed(async () => {
        const session = await SessionManager.open(file, undefined, storage, { breadcrumb: false });
        if (session.getBranch().length !== count) throw new Error('the chain is not whole');
        session.getTree();
        session.buildSessionContext();
      });
  };
  const name = `open, walk, draw ${long} entries in one chain`;
  return await compare(name, openChain(long), `${short} of them`, openChain(short), { rounds: 3, target: 15 });
}

function writeChain(file: string, count: number): void {
  const fd = fs.openSync(file, 'w');
  let text = `{"type":"session","version":3,"id":"chain","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n`;
  for (let i = 0; i < count; i++) {
    const [id, parentId] = [i, i - 1].map((n) => n.toString(16).padStart(8, '0'));
    const head = `"id":"${id}","parentId":${i === 0 ? null : `"${parentId}"`},"timestamp":"2026-01-01T00:00:00.000Z"`;
    text += `{"type":"message",${head},"message":{"role":"user","content":"message ${i}","timestamp":1}}\n`;
    if (text.length < 1_000_000 && i < count - 1) continue;
    fs.writeSync(fd, text);
    text = '';
  }
  fs.closeSync(fd);
}

/** A new title for a large file, beside copying it and syncing the copy; memory is to stay flat. */
async function measureRename(dir: string, source: string, full: boolean): Promise<readonly Measurement[]> {
  const file = path.join(dir, 'large.jsonl');
  fs.copyFileSync(source, file);
  const body = fs.readFileSync(source);
  const wantedBytes = full ? 500e6 : 100e6;
  while (fs.statSync(file).size < wantedBytes) fs.appendFileSync(file, body.subarray(body.indexOf(0x0a) + 1));
  const megabytes = Math.round(fs.statSync(file).size / 1e6);
  let peakBytes = 0;
  const rename = (): Promise<number> =>
    timed(async () => {
      const before = process.memoryUsage().rss;
      await rewriteSessionFile(storage, file, () => headerEdit({ title: `title ${performance.now()}` }));
      peakBytes = Math.max(peakBytes, process.memoryUsage().rss - before);
    });
  const copy = (): Promise<number> =>
    timed(() => {
      const target = path.join(dir, 'copy');
      fs.copyFileSync(file, target);
      const fd = fs.openSync(target, 'r+');
      fs.fsyncSync(fd);
      fs.closeSync(fd);
      fs.rmSync(target);
    });
  const measured = await compare(`rename a session of ${megabytes} MB`, rename, 'copy + fsync', copy, {
    rounds: 5,
    target: 1.2,
  });
  process.stdout.write(`memory grew by ${Math.round(peakBytes / 1e6)} MB during a rename\n`);
  return [measured];
}

/** The storage engine: appending, opening, renaming. */
export async function run({ full }: { readonly full: boolean }): Promise<readonly Measurement[]> {
  const dir = fs.mkdtempSync(path.join(import.meta.dirname, 'out', 'engine-'));
  const measures: Measurement[] = [];
  const add = (measure: Measurement): void => {
    measures.push(measure);
    print(measure);
  };
  try {
    for (const sizeBytes of [300, 20_000, 400_000]) add(await measureAppend(dir, sizeBytes));
    const large = largeSession(full);
    add(await measureOpen(large));
    add(await measureChain(dir, full));
    for (const measure of await measureRename(dir, large, full)) add(measure);
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
  return measures;
}
