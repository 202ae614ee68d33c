import type { MessagePort } from 'node:worker_threads';
import type { AgentRoot } from '../agents/agents.ts';
import { SessionError } from '../errors.ts';
import { positionOfId, type Skeleton, skeletonPath } from '../session/skeleton.ts';
import type { Transcript } from '../session/transcript.ts';
import { LabelsService } from './labels-service.ts';
import { SessionsService } from './sessions-service.ts';
import { type CatalogPlace, Sidecar } from './sidecar.ts';
import { TextSearchService } from './text-search-service.ts';
import { TreeService } from './tree-service.ts';
import { TreeSession } from './tree-session.ts';
import { failureOf, type Reply, type Request } from './wire.ts';

/**
 * The conversation on the path to a session's leaf: its last `limit` entries. With the id of an entry: on the path through
 * it, so that it is among them. Reads the session's skeleton and these entries alone. Throws `not_found`, `no_permission`,
 * `changed_on_disk`.
 */
export function readTranscript(path: string, limit: number, entryId?: string): Transcript {
  const session = new TreeSession(path);
  const skeleton = session.glance();
  const wanted = entryId === undefined ? -1 : positionOfId(skeleton, entryId);
  // Enough behind the entry to read on, and never so much that it falls out at the front.
  const end = wanted < 0 ? skeleton.leaf : behind(skeleton, wanted, Math.ceil(limit / 4));
  const transcript = session.transcript(end, limit);
  if (transcript === undefined) throw new SessionError('changed_on_disk', `${path} is being written to`, { path });
  return { ...transcript, damagedLines: skeleton.damagedLines };
}

/** The position some steps behind another, on the way to the leaf or else along its last children. */
function behind(skeleton: Skeleton, from: number, steps: number): number {
  const toLeaf = skeletonPath(skeleton, skeleton.leaf);
  const place = toLeaf.indexOf(from);
  if (place >= 0) return toLeaf[Math.min(toLeaf.length - 1, place + steps)] ?? from;
  const lastChildren = new Map<number, number>();
  skeleton.parents.forEach((parent, at) => {
    lastChildren.set(parent, at);
  });
  let at = from;
  for (let left = steps; left > 0; left--) at = lastChildren.get(at) ?? at;
  return at;
}

class CatalogService {
  readonly #port: MessagePort;
  readonly #sessions: SessionsService;
  readonly #texts: TextSearchService;
  readonly #labels: LabelsService;
  readonly #trees = new TreeService((reply, transfer) => this.#send(reply, transfer));

  constructor(port: MessagePort, roots: readonly AgentRoot[], place: CatalogPlace) {
    this.#port = port;
    const sidecar = new Sidecar(place);
    this.#sessions = new SessionsService(roots, sidecar);
    this.#labels = new LabelsService(roots);
    this.#texts = new TextSearchService(roots, sidecar);
  }

  async answer(request: Request): Promise<void> {
    try {
      switch (request.type) {
        case 'list':
          await this.#sessions.list((batch) => this.#send({ type: 'batch', seq: request.seq, batch }));
          this.#send({ type: 'listed', seq: request.seq });
          return;
        case 'watch':
          this.#sessions.watch((changes) => this.#send({ type: 'changes', seq: request.seq, changes }));
          return;
        case 'searchTexts':
          await this.#texts.search(request.search, (found) =>
            this.#send({ type: 'textHits', seq: request.seq, found }),
          );
          return;
        case 'labels':
          await this.#labels.find(request.seq, (found) => this.#send({ type: 'labels', seq: request.seq, found }));
          return;
        case 'stopLabels':
          this.#labels.stop(request.seq);
          return;
        case 'transcript': {
          const transcript = readTranscript(request.path, request.limit, request.entryId);
          this.#send({ type: 'transcript', seq: request.seq, transcript });
          return;
        }
      }
      await this.#trees.answer(request);
    } catch (error) {
      // A request without a number waits for nothing.
      this.#send({ type: 'failed', seq: 'seq' in request ? request.seq : 0, failure: failureOf(error) });
    }
  }

  #send(reply: Reply, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(reply, transfer);
  }
}

/** Answers a drawing thread's requests about the sessions of some agent folders, until the port closes. */
export function serveCatalog(port: MessagePort, roots: readonly AgentRoot[], place: CatalogPlace): void {
  const service = new CatalogService(port, roots, place);
  port.on('message', (request: Request) => void service.answer(request));
}
