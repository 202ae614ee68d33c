import { agentOfSession, titleOf } from '../agents/agents.ts';
import { SessionError } from '../errors.ts';
import type { ProcessSnapshot } from '../session/open-files.ts';
import { type FileStamp, SessionFile } from '../session/scan.ts';
import {
  entryTimeMs,
  isRealEntry,
  isUserTurn,
  type LastTurn,
  type SessionSummary,
  SummaryBuilder,
  turnAfter,
} from '../session/summary.ts';
import type { FoundFile } from './session-files.ts';
import type { SessionRow } from './session-row.ts';

/** A first prompt further in than this is found by the full reading. */
const MAX_HEAD_BYTES = 1024 * 1024;
const MAX_TAIL_RECORDS = 64;
const MAX_FIRST_MESSAGE_CHARS = 2000;

type RowBase = Pick<SessionRow, 'path' | 'agentDir' | 'isSubAgent' | 'mtimeMs'>;

function baseOf({ path, root, isSubAgent, mtimeMs }: FoundFile): RowBase {
  return { path, agentDir: root.folders.agentDir, isSubAgent, mtimeMs };
}

const NO_FIGURES = {
  entryCount: null,
  messageCount: null,
  branchCount: null,
  labelCount: null,
  labels: null,
  hasImages: null,
  models: null,
  tokens: null,
  cost: null,
  damagedLines: null,
  live: null,
} as const;

/** The row of a file that cannot be read, with the reason. */
export function unreadableRow(found: FoundFile, problem: SessionError): SessionRow {
  return {
    ...baseOf(found),
    ...NO_FIGURES,
    id: null,
    agent: null,
    cwd: null,
    title: null,
    titleSource: null,
    firstMessage: null,
    createdMs: null,
    modifiedMs: null,
    sizeBytes: 0,
    parentSession: null,
    lastTurn: null,
    isStub: false,
    problem: problem.message,
  };
}

/** The part of a row that does not depend on having read everything. */
function knownPart(found: FoundFile, stamp: FileStamp, summary: SessionSummary) {
  const { header } = summary;
  const agent = agentOfSession(found.root.agent, {
    hasTitleSlot: summary.hasTitleSlot,
    sessionId: header?.id,
    hints: summary.dialectHints,
  });
  const title = titleOf(agent, summary.titles);
  return {
    ...baseOf(found),
    id: header?.id ?? null,
    agent,
    cwd: typeof header?.cwd === 'string' ? header.cwd : null,
    title: title?.text ?? null,
    titleSource: title?.source ?? null,
    firstMessage: summary.firstMessage?.slice(0, MAX_FIRST_MESSAGE_CHARS) ?? null,
    createdMs: summary.createdMs ?? null,
    sizeBytes: stamp.sizeBytes,
    mtimeMs: stamp.mtimeMs,
    parentSession: typeof header?.parentSession === 'string' ? header.parentSession : null,
    problem: null,
  };
}

interface Tail {
  readonly modifiedMs: number | null;
  readonly lastTurn: LastTurn | null;
}

/** When the last real entry was made and how its turn stands, from the last lines alone. */
function readTail(file: SessionFile): Tail {
  let modifiedMs: number | undefined;
  let lastTurn: LastTurn | undefined;
  let seen = 0;
  for (const record of file.recordsBackwards()) {
    if (record.kind === 'entry' && record.entry !== undefined) {
      if (isRealEntry(record.entry)) modifiedMs ??= entryTimeMs(record.entry);
      lastTurn ??= turnAfter(record.entry);
    }
    if ((modifiedMs !== undefined && lastTurn !== undefined) || ++seen >= MAX_TAIL_RECORDS) break;
  }
  return { modifiedMs: modifiedMs ?? null, lastTurn: lastTurn ?? null };
}

function readHead(file: SessionFile): { readonly builder: SummaryBuilder; readonly isStub: boolean } {
  const builder = new SummaryBuilder();
  for (const record of file.records('full')) {
    builder.add(record);
    if (record.kind === 'entry' && record.entry !== undefined && isUserTurn(record.entry)) {
      return { builder, isStub: false };
    }
    if (record.span.offset > MAX_HEAD_BYTES) return { builder, isStub: false };
  }
  return { builder, isStub: true };
}

function openRow(found: FoundFile, read: (file: SessionFile) => SessionRow): SessionRow {
  try {
    using file = new SessionFile(found.path);
    return read(file);
  } catch (error) {
    if (error instanceof SessionError) return unreadableRow(found, error);
    throw error;
  }
}

/** A row from the file's head and tail, its figures unknown. Fast at any size. */
export function glanceAtRow(found: FoundFile): SessionRow {
  return openRow(found, (file) => {
    const { builder, isStub } = readHead(file);
    const summary = builder.finish();
    const { modifiedMs, lastTurn } = readTail(file);
    // Without a user's turn the head was the whole file.
    const knownMs = isStub ? (summary.modifiedMs ?? null) : null;
    return {
      ...NO_FIGURES,
      ...knownPart(found, file.stamp, summary),
      modifiedMs: modifiedMs ?? knownMs,
      lastTurn,
      isStub,
    };
  });
}

/** A row with its exact figures, from the summary of the whole file. Whether it is live is not known yet. */
export function rowOfSummary(found: FoundFile, stamp: FileStamp, summary: SessionSummary): SessionRow {
  return {
    ...knownPart(found, stamp, summary),
    modifiedMs: summary.modifiedMs ?? null,
    lastTurn: summary.lastTurn ?? null,
    entryCount: summary.entryCount,
    messageCount: summary.messageCount,
    branchCount: summary.branchCount,
    labelCount: summary.labels.length,
    labels: summary.labels,
    hasImages: summary.hasImages,
    models: summary.models,
    tokens: summary.tokens,
    cost: summary.cost,
    damagedLines: summary.damagedLines,
    live: null,
    isStub: summary.userTurnCount === 0,
  };
}

/** Does a process have the file of a row open? null: cannot be told. */
export function isLive(row: SessionRow, processes: ProcessSnapshot | undefined): boolean | null {
  if (row.problem !== null) return null;
  const holder = processes?.holderOf(row.path);
  return holder === undefined || holder.state === 'unknown' ? null : holder.state === 'held';
}

/** A row with its exact figures, from the whole file. */
export function measureRow(found: FoundFile, processes: ProcessSnapshot | undefined): SessionRow {
  const row = openRow(found, (file) => {
    const builder = new SummaryBuilder();
    for (const record of file.records('full')) builder.add(record);
    return rowOfSummary(found, file.stamp, builder.finish());
  });
  return { ...row, live: isLive(row, processes) };
}
