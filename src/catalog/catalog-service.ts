import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import type { AgentRoot } from '../agents/agents.ts';
import { loadSession, nodesOnPath } from '../session/loaded-session.ts';
import { snapshotProcesses } from '../session/open-files.ts';
import { SessionFile } from '../session/scan.ts';
import { buildTranscript, type Transcript } from '../session/transcript.ts';
import { Listing } from './listing.ts';
import type { SessionRow } from './session-row.ts';
import { TreeService } from './tree-service.ts';
import { failureOf, type Reply, type Request } from './wire.ts';

/** A screenful, so that the first frame has rows. */
const FIRST_BATCH_ROWS = 60;
/** How long rows are gathered before they are sent, and before other requests get their turn. */
const SLICE_MS = 25;

/** The conversation on the path to a session's leaf: its last `limit` items. Throws `not_found`, `no_permission`. */
export function readTranscript(path: string, limit: number): Transcript {
  using file = new SessionFile(path);
  const session = loadSession(file);
  const nodes = nodesOnPath(session, session.leaf);
  return buildTranscript(nodes, session.labels, session.summary.damagedLines, limit);
}

class CatalogService {
  readonly #port: MessagePort;
  readonly #roots: readonly AgentRoot[];
  readonly #trees = new TreeService((reply, transfer) => this.#send(reply, transfer));

  constructor(port: MessagePort, roots: readonly AgentRoot[]) {
    this.#port = port;
    this.#roots = roots;
  }

  async answer(request: Request): Promise<void> {
    try {
      if (request.type === 'list') await this.#list(request.seq);
      else if (request.type !== 'transcript') await this.#trees.answer(request);
      else {
        const transcript = readTranscript(request.path, request.limit);
        this.#send({ type: 'transcript', seq: request.seq, transcript });
      }
    } catch (error) {
      // A request without a number waits for nothing.
      this.#send({ type: 'failed', seq: 'seq' in request ? request.seq : 0, failure: failureOf(error) });
    }
  }

  async #list(seq: number): Promise<void> {
    const problems: string[] = [];
    const listing = new Listing(this.#roots, (problem) => problems.push(problem.message));
    await this.#stream(seq, listing.files.length, listing.glance(), problems);
    const processes = await snapshotProcesses();
    await this.#stream(seq, listing.files.length, listing.measure(processes), []);
    this.#send({ type: 'listed', seq });
  }

  async #stream(seq: number, total: number, rows: Iterable<SessionRow>, problems: readonly string[]): Promise<void> {
    let batch: SessionRow[] = [];
    let done = 0;
    let sliceStart = performance.now();
    const send = (): void => {
      this.#send({ type: 'batch', seq, batch: { rows: batch, done, total, problems: done === 0 ? problems : [] } });
      batch = [];
      sliceStart = performance.now();
    };
    if (problems.length > 0) send();
    for (const row of rows) {
      batch.push(row);
      done++;
      const isFirstScreen = done === FIRST_BATCH_ROWS;
      if (!isFirstScreen && performance.now() - sliceStart < SLICE_MS) continue;
      send();
      await nextTurn();
    }
    send();
  }

  #send(reply: Reply, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(reply, transfer);
  }
}

/** Answers a drawing thread's requests about the sessions of some agent folders, until the port closes. */
export function serveCatalog(port: MessagePort, roots: readonly AgentRoot[]): void {
  const service = new CatalogService(port, roots);
  port.on('message', (request: Request) => void service.answer(request));
}
