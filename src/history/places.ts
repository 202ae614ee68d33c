import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { AgentRoot } from '../agents/agents.ts';
import { type FoundFile, findSessionFiles } from '../catalog/session-files.ts';
import { nodeCode, SessionError } from '../errors.ts';
import { SessionFile } from '../session/scan.ts';
import { type SentIn, sentPrompts } from '../session/sent-prompts.ts';
import type { FoundRow } from './prompt-groups.ts';
import type { SentPlace } from './prompt-history.ts';

/** A prompt whose places are wanted, with all that the databases tell of its sendings. */
export interface WantedPrompt {
  readonly prompt: string;
  readonly rows: readonly FoundRow[];
}

/** How far the clock of a database and that of a session may be apart for the same prompt. */
const SAME_SENDING_MS = 10_000;
/** How far beyond its first and last known moment a session may have taken a prompt. */
const SLACK_MS = 60_000;

const START = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z_/;

/** When a session began, by its file's name, epoch ms; 0 for a name that does not tell. */
function startMs(path: string): number {
  const [, date, hour, minute, second, ms] = START.exec(basename(path)) ?? [];
  const time = date === undefined ? Number.NaN : Date.parse(`${date}T${hour}:${minute}:${second}.${ms}Z`);
  return Number.isFinite(time) ? time : 0;
}

/** How sure it is that a place is meant: told by the database itself or by its time, or only by the folder. */
type Certainty = 'sure' | 'likely';

interface Candidate extends SentPlace {
  readonly certainty: Certainty;
  readonly startMs: number;
}

class Wanted {
  readonly text: string;
  readonly sessionIds = new Set<string>();
  readonly folders = new Set<string>();
  readonly candidates: Candidate[] = [];
  /** Ascending, epoch ms. */
  readonly timesMs: readonly number[];
  /** Was it sent somewhere that is not known? */
  readonly isFolderUnknown: boolean;

  constructor({ prompt, rows }: WantedPrompt) {
    this.text = prompt.trim();
    this.timesMs = rows.map(({ row }) => row.created_at * 1000).sort((a, b) => a - b);
    this.isFolderUnknown = rows.some(({ row }) => row.cwd === undefined);
    for (const { row } of rows) {
      if (row.sessionId !== undefined) this.sessionIds.add(row.sessionId);
      if (row.cwd !== undefined) for (const path of namesOf(row.cwd)) this.folders.add(path);
    }
  }

  /** Was it sent at a time between the two? */
  isWithin(fromMs: number, toMs: number): boolean {
    let low = 0;
    let high = this.timesMs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.timesMs[middle] ?? 0) < fromMs) low = middle + 1;
      else high = middle;
    }
    return (this.timesMs[low] ?? Number.POSITIVE_INFINITY) <= toMs;
  }

  judge({ sessionId, cwd }: SentIn, timeMs: number | undefined): Certainty | undefined {
    if (sessionId !== undefined && this.sessionIds.has(sessionId)) return 'sure';
    // Databases store whole seconds.
    if (timeMs !== undefined && this.isWithin(timeMs - 1_000 - SAME_SENDING_MS, timeMs + SAME_SENDING_MS))
      return 'sure';
    const isSameFolder = cwd !== undefined && this.folders.has(cwd);
    return isSameFolder || this.isFolderUnknown ? 'likely' : undefined;
  }

  /** The places, newest first; where some are sure, these alone. A fork's copy of an entry is no place of its own. */
  places(): SentPlace[] {
    const isSure = this.candidates.some(({ certainty }) => certainty === 'sure');
    const originals = new Map<string, Candidate>();
    for (const candidate of this.candidates) {
      if (isSure && candidate.certainty !== 'sure') continue;
      const key = `${candidate.entryId} ${candidate.timeMs}`;
      const known = originals.get(key);
      if (known === undefined || candidate.startMs < known.startMs) originals.set(key, candidate);
    }
    return [...originals.values()]
      .sort((a, b) => (b.timeMs ?? 0) - (a.timeMs ?? 0) || (a.path < b.path ? -1 : 1))
      .map(({ path, id, entryId, timeMs }) => ({ path, id, entryId, timeMs }));
  }
}

function namesOf(folder: string): readonly string[] {
  try {
    return [folder, realpathSync(folder)];
  } catch (error) {
    // Gone or unreadable: its name is all there is.
    if (nodeCode(error) === undefined) throw error;
    return [folder];
  }
}

/** A part of a text that stands in JSON as it is, whoever wrote it; undefined where there is none worth looking for. */
function plainPart(text: string): string | undefined {
  const parts = text.match(/[A-Za-z0-9 ]{4,}/g) ?? [];
  return parts.reduce<string | undefined>((best, part) => (part.length > (best?.length ?? 0) ? part : best), undefined);
}

class PlaceFinder {
  readonly #wanted = new Map<string, Wanted>();
  readonly #byText = new Map<string, Wanted[]>();
  readonly #plain: string | undefined;
  readonly #scanned = new Set<string>();

  constructor(prompts: readonly WantedPrompt[]) {
    for (const prompt of prompts) {
      const wanted = new Wanted(prompt);
      this.#wanted.set(prompt.prompt, wanted);
      // Only a database that somebody else wrote holds texts that are not trimmed.
      this.#byText.set(wanted.text, [...(this.#byText.get(wanted.text) ?? []), wanted]);
    }
    // Looking for many texts in every line would take longer than reading the lines.
    this.#plain = prompts.length === 1 ? plainPart(prompts[0]?.prompt.trim() ?? '') : undefined;
  }

  *find(roots: readonly AgentRoot[]): Generator<undefined, ReadonlyMap<string, readonly SentPlace[]>> {
    // A folder that cannot be listed has its say where sessions are listed; here it only holds no place.
    const files = findSessionFiles(roots, () => {}).filter(({ isSubAgent }) => !isSubAgent);
    for (const file of files) {
      if (!this.#mayHold(file)) continue;
      this.#scan(file.path, () => true);
      yield;
    }
    // Clocks that were wrong, files whose times were changed: then the folder decides.
    const lost = [...this.#wanted.values()].filter(({ candidates }) => candidates.length === 0);
    if (lost.length > 0) {
      const folders = new Set(lost.flatMap((wanted) => [...wanted.folders]));
      for (const file of files) {
        if (this.#scanned.has(file.path)) continue;
        this.#scan(file.path, ({ cwd }) => cwd !== undefined && folders.has(cwd));
        yield;
      }
    }
    return new Map(Array.from(this.#wanted, ([prompt, wanted]) => [prompt, wanted.places()]));
  }

  #mayHold({ path, mtimeMs }: FoundFile): boolean {
    const from = startMs(path) - SLACK_MS;
    const to = mtimeMs + SLACK_MS;
    const name = basename(path, '.jsonl');
    for (const wanted of this.#wanted.values()) {
      if (wanted.isWithin(from, to)) return true;
      if (wanted.sessionIds.has(name.slice(name.lastIndexOf('_') + 1))) return true;
    }
    return false;
  }

  #scan(path: string, isWanted: (sentIn: SentIn) => boolean): void {
    this.#scanned.add(path);
    const plain = this.#plain;
    let sentIn: SentIn = { sessionId: undefined, cwd: undefined };
    try {
      using file = new SessionFile(path);
      const onHeader = (header: SentIn): boolean => {
        sentIn = header;
        return isWanted(header);
      };
      const mayHold = (bytes: Buffer): boolean => plain === undefined || bytes.includes(plain);
      for (const { text, entryId, timeMs } of sentPrompts(file, onHeader, mayHold)) {
        for (const wanted of this.#byText.get(text) ?? []) {
          const certainty = wanted.judge(sentIn, timeMs);
          if (certainty === undefined) continue;
          const { sessionId } = sentIn;
          const place = { path, id: sessionId ?? null, entryId, timeMs: timeMs ?? null, startMs: startMs(path) };
          wanted.candidates.push({ ...place, certainty });
        }
      }
    } catch (error) {
      // A session that cannot be read holds no place to open.
      if (!(error instanceof SessionError)) throw error;
    }
  }
}

/**
 * Where prompts were sent, by their text: by omp's session id or by the time of the sending, else by the folder. Each step
 * scans one session file, so that the caller can stop or let others work. Prompts that no session holds have [].
 */
export function findPlaces(
  prompts: readonly WantedPrompt[],
  roots: readonly AgentRoot[],
): Generator<undefined, ReadonlyMap<string, readonly SentPlace[]>> {
  return new PlaceFinder(prompts).find(roots);
}

/** In how many session files one of some texts still stands as a prompt. Each step scans one file. */
export function* countFilesWith(prompts: readonly string[], roots: readonly AgentRoot[]): Generator<undefined, number> {
  const texts = new Set(prompts.map((prompt) => prompt.trim()));
  let count = 0;
  for (const { path } of findSessionFiles(roots, () => {})) {
    try {
      using file = new SessionFile(path);
      for (const { text } of sentPrompts(file, () => true)) {
        if (!texts.has(text)) continue;
        count++;
        break;
      }
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
    }
    yield;
  }
  return count;
}
