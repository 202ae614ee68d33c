import { mkdirSync, readdirSync, readFileSync, realpathSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { inTransaction, openForWriting } from './session/history-database.ts';
import { ensureSchema, insertSql } from './session/history-schema.ts';
import { encodeCwd } from './session/paths.ts';
import { ensurePrivateDirSync, PRIVATE_FILE_MODE } from './session/private-files.ts';

/** Sample sessions, copied to where they may be changed at will. */
export interface Demo {
  /** Stands in for the user's home: everything of the demo is below it. */
  readonly home: string;
  /** One agent folder each of xcsh, omp and pi, as absolute paths below `home`. */
  readonly agentDirs: readonly string[];
  /** An existing project folder that has sessions: a working directory to start in. */
  readonly project: string;
}

interface SampleFile {
  /** Below the samples' folder: `xcsh/sessions/…`, with `/` on every system. */
  readonly name: string;
  readonly text: string;
}

// One folder up from src/ and from dist/ alike.
const SAMPLES = fileURLToPath(new URL('../demo/agent/', import.meta.url));
const AGENTS = ['xcsh', 'omp', 'pi'] as const;
const NEWEST_AGE_MS = 3 * 60_000;

const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const FILE_TIME = /\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z/g;
const EPOCH_TIME = /(?<="timestamp":)\d{13}/g;
/** Paths and folder names in the samples begin like this. */
const SAMPLE_ROOT = /\/demo\/(?=home|projects)/g;
const SAMPLE_FOLDER = /--demo-projects-([a-z-]+?)--/g;

/**
 * Copies the sample sessions below `targetDir`, an existing empty folder. Their times are shifted so that the newest
 * is minutes older than `nowMs`; their project folders are made, and headers name them. Throws Node's errors.
 */
export function copyDemo(targetDir: string, nowMs: number): Demo {
  const root = realpathSync(targetDir);
  const home = path.join(root, 'home');
  const samples = readSamples();
  const shiftMs = nowMs - NEWEST_AGE_MS - newestMs(samples);
  const localize = (text: string) => movePaths(shiftTimes(text, shiftMs), root);
  const agentDir = (agent: string) => path.join(home, `.${agent}`, 'agent');
  for (const { name, text } of samples) {
    const [agent = '', ...below] = localize(name).split('/');
    const target = path.join(agentDir(agent), ...below);
    ensurePrivateDirSync(path.dirname(target));
    if (path.basename(target) === 'history.json') writeHistory(path.dirname(target), localize(text));
    else writeSample(target, localize(text));
  }
  for (const project of projectsOf(samples)) mkdirSync(path.join(root, 'projects', project), { recursive: true });
  return { home, agentDirs: AGENTS.map(agentDir), project: path.join(root, 'projects', 'tidewater') };
}

function readSamples(): SampleFile[] {
  const entries = readdirSync(SAMPLES, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(SAMPLES, file).split(path.sep).join('/');
      return { name, text: readFileSync(file, 'utf8') };
    });
}

function newestMs(samples: readonly SampleFile[]): number {
  return Math.max(...samples.flatMap(({ text }) => text.match(ISO_TIME) ?? []).map((iso) => Date.parse(iso)));
}

function projectsOf(samples: readonly SampleFile[]): Set<string> {
  return new Set(samples.flatMap(({ name }) => [...name.matchAll(SAMPLE_FOLDER)].map(([, project = '']) => project)));
}

function shiftTimes(text: string, shiftMs: number): string {
  const shifted = (iso: string) => new Date(Date.parse(iso) + shiftMs).toISOString();
  return text
    .replace(ISO_TIME, shifted)
    .replace(FILE_TIME, (time) => shifted(time.replace(/T(\d\d)-(\d\d)-(\d\d)-/, 'T$1:$2:$3.')).replace(/[:.]/g, '-'))
    .replace(EPOCH_TIME, (ms) => String(Number(ms) + shiftMs));
}

function movePaths(text: string, root: string): string {
  const quotedRoot = JSON.stringify(`${root}/`).slice(1, -1);
  return text
    .replace(SAMPLE_ROOT, () => quotedRoot)
    .replace(SAMPLE_FOLDER, (_, project: string) => encodeCwd(path.join(root, 'projects', project)));
}

function writeSample(file: string, text: string): void {
  writeFileSync(file, text, { mode: PRIVATE_FILE_MODE });
  const lastIso = text.match(ISO_TIME)?.at(-1);
  if (lastIso === undefined) return;
  const lastChange = new Date(lastIso);
  utimesSync(file, lastChange, lastChange);
}

function writeHistory(agentDir: string, json: string): void {
  const prompts: { timestamp: string; cwd: string; prompt: string }[] = JSON.parse(json);
  const db = openForWriting(path.join(agentDir, 'history.db'), 1_000);
  try {
    ensureSchema(db);
    const insert = db.prepare(insertSql(db));
    inTransaction(db, 'IMMEDIATE', () => {
      for (const { timestamp, cwd, prompt } of prompts)
        insert.run(prompt, Math.floor(Date.parse(timestamp) / 1000), cwd);
    });
  } finally {
    db.close();
  }
}
