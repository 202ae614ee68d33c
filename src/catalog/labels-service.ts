import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AgentRoot } from '../agents/agents.ts';
import type { LabelsFound } from './catalog.ts';
import type { LabelledEntry } from './label-entry.ts';
import { findLabels } from './labels.ts';

/** How long the reading runs before other requests get their turn. */
const SLICE_MS = 8;
/** Labels are gathered so long: the screen is redrawn for each batch. */
const GATHER_MS = 60;

/** Finds the labels of all sessions, for everybody who asks. */
export class LabelsService {
  readonly #roots: readonly AgentRoot[];
  /** The questions that are being answered. */
  readonly #wanted = new Set<number>();

  constructor(roots: readonly AgentRoot[]) {
    this.#roots = roots;
  }

  async find(seq: number, onFound: (found: LabelsFound) => void): Promise<void> {
    this.#wanted.add(seq);
    let labels: LabelledEntry[] = [];
    let problems: string[] = [];
    const send = (isDone: boolean): void => {
      onFound({ labels, problems, isDone });
      labels = [];
      problems = [];
    };
    let sliceEnd = performance.now() + SLICE_MS;
    let sendAt = performance.now() + GATHER_MS;
    for (const found of findLabels(this.#roots, ({ message }) => problems.push(message))) {
      labels.push(...found);
      if (performance.now() < sliceEnd) continue;
      await nextTurn();
      if (!this.#wanted.has(seq)) return;
      sliceEnd = performance.now() + SLICE_MS;
      if (labels.length === 0 || performance.now() < sendAt) continue;
      send(false);
      sendAt = performance.now() + GATHER_MS;
    }
    send(true);
    this.#wanted.delete(seq);
  }

  stop(seq: number): void {
    this.#wanted.delete(seq);
  }
}
