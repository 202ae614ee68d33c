import type { MessagePort } from 'node:worker_threads';
import type { AgentRoot } from '../agents/agents.ts';
import { loadSession } from '../session/loaded-session.ts';
import { SessionFile } from '../session/scan.ts';
import { buildTranscript, type Transcript } from '../session/transcript.ts';
import { pathTo, type Tree, type TreeItem } from '../session/tree.ts';
import { SessionsService } from './sessions-service.ts';
import { Sidecar } from './sidecar.ts';
import { TextSearchService } from './text-search-service.ts';
import { TreeService } from './tree-service.ts';
import { failureOf, type Reply, type Request } from './wire.ts';

/**
 * The conversation on the path to a session's leaf: its last `limit` items. With the id of an entry: on the path through it,
 * so that it is among them. Throws `not_found`, `no_permission`.
 */
export function readTranscript(path: string, limit: number, entryId?: string): Transcript {
  using file = new SessionFile(path);
  const session = loadSession(file);
  const { tree, leaf } = session;
  const wanted = entryId === undefined ? undefined : tree.positions.get(entryId);
  const toLeaf = pathTo(tree, leaf);
  const isAside = wanted !== undefined && !toLeaf.includes(wanted);
  const steps = isAside ? pathTo(tree, tipBelow(tree, wanted)) : toLeaf;
  // Enough behind the entry to read on, and never so much that it falls out at the front.
  const end = wanted === undefined ? steps.length : steps.indexOf(wanted) + Math.ceil(limit / 4);
  const nodes = steps.slice(0, end).flatMap((at) => tree.items[at] ?? []);
  return buildTranscript(nodes, session.labels, session.summary.damagedLines, limit);
}

/** The end of the branch that goes on from an entry by its last children. */
function tipBelow(tree: Tree<TreeItem>, from: number): number {
  let at = from;
  for (let next = tree.children.get(at)?.at(-1); next !== undefined; next = tree.children.get(at)?.at(-1)) at = next;
  return at;
}

class CatalogService {
  readonly #port: MessagePort;
  readonly #sessions: SessionsService;
  readonly #texts: TextSearchService;
  readonly #trees = new TreeService((reply, transfer) => this.#send(reply, transfer));

  constructor(port: MessagePort, roots: readonly AgentRoot[], cacheDir: string) {
    this.#port = port;
    const sidecar = new Sidecar(cacheDir);
    this.#sessions = new SessionsService(roots, sidecar);
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
export function serveCatalog(port: MessagePort, roots: readonly AgentRoot[], cacheDir: string): void {
  const service = new CatalogService(port, roots, cacheDir);
  port.on('message', (request: Request) => void service.answer(request));
}
