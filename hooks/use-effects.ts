import { useApp } from 'ink';
import { useEffect, useMemo, useRef } from 'react';
import type { AppEffect, AppEvent } from '../src/model/app-state.ts';
import { patternsOf } from '../src/model/query.ts';
import { RANKED_HITS } from '../src/model/rank-hits.ts';
import { patternText, searchRows } from '../src/model/search.ts';
import type { AppPorts } from './ports.ts';
import { useSuspend } from './use-suspend.ts';

// Less than a frame, so that a key pressed meanwhile is never felt to wait.
const SLICE_MS = 4;
// Who holds an arrow key down reads nothing on the way.
const PREVIEW_PAUSE_MS = 40;
const PREVIEW_ITEMS = 60;
const SCREEN_ITEMS = 2_000;

type Send = (event: AppEvent) => void;
type Search = Extract<AppEffect, { type: 'search' }>['search'];

/** Does a search in slices, the first one at once; a newer search ends it. */
class Searcher {
  #timer: NodeJS.Immediate | undefined;
  /** The search that is under way. */
  #seq: number | undefined;

  start(search: Search, ports: AppPorts, send: Send): void {
    this.stop();
    this.#seq = search.seq;
    const patterns = patternsOf(search.query);
    if (patterns.length === 0) {
      this.#run(search, undefined, send);
      return;
    }
    ports.catalog.matchPatterns(patterns, search.rows.map(patternText), (answer) => {
      if (this.#seq !== search.seq) return;
      if (answer.kind === 'failed') {
        send({ type: 'searched', seq: search.seq, answer: { hits: [], passing: new Set(), problem: answer.reason } });
        return;
      }
      const rows = search.rows.filter((_, index) => answer.passing[index] === 1);
      this.#run({ ...search, rows }, new Set(rows.map(({ path }) => path)), send);
    });
  }

  #run({ seq, rows, query }: Search, passing: ReadonlySet<string> | undefined, send: Send): void {
    const work = searchRows(rows, query);
    const slice = (): void => {
      for (const end = performance.now() + SLICE_MS; ; ) {
        const { done, value } = work.next();
        if (done === true) {
          send({ type: 'searched', seq, answer: { hits: value, passing } });
          return;
        }
        if (performance.now() >= end) break;
      }
      this.#timer = setImmediate(slice);
    };
    slice();
  }

  stop(): void {
    this.#seq = undefined;
    if (this.#timer !== undefined) clearImmediate(this.#timer);
    this.#timer = undefined;
  }
}

/** Reads transcripts: for the preview only that of the row on which the selection came to rest. */
class Reader {
  #timer: NodeJS.Timeout | undefined;

  start(
    { path, entryId, seq, use }: Extract<AppEffect, { type: 'readTranscript' }>,
    ports: AppPorts,
    send: Send,
  ): void {
    const read = (): void => {
      ports.catalog.transcript(path, use === 'preview' ? PREVIEW_ITEMS : SCREEN_ITEMS, entryId).then(
        (transcript) => send({ type: 'transcriptRead', seq, transcript }),
        (error: unknown) => send({ type: 'transcriptFailed', seq, reason: reasonOf(error) }),
      );
    };
    if (use === 'screen') read();
    else {
      this.stop();
      this.#timer = setTimeout(read, PREVIEW_PAUSE_MS);
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Scans tool output; a new scan ends the one before it. */
class OutputScan {
  #stop: (() => void) | undefined;

  start(
    { seq, text, without, rows }: Extract<AppEffect, { type: 'searchOutputs' }>['search'],
    ports: AppPorts,
    send: Send,
  ): void {
    this.stop();
    // Only what is asked for: a row with all of its texts is much to hand to another thread.
    const files = rows.map(({ path, id, cwd, isSubAgent, sizeBytes }) => ({ path, id, cwd, isSubAgent, sizeBytes }));
    this.#stop = ports.catalog.searchOutputs({ text, without, limit: RANKED_HITS, files }, (found) =>
      send({ type: 'outputsFound', seq, found }),
    );
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}

/** A failure in one line. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What does the work that the machine asks for. The only one that ends the screens. */
export function useEffects(ports: AppPorts, send: Send): (effect: AppEffect) => void {
  const { exit } = useApp();
  const suspend = useSuspend();
  const searcher = useMemo(() => new Searcher(), []);
  const reader = useMemo(() => new Reader(), []);
  const outputs = useMemo(() => new OutputScan(), []);
  const stopLabels = useRef<() => void>(undefined);
  useEffect(
    () => () => {
      searcher.stop();
      reader.stop();
      outputs.stop();
    },
    [searcher, reader, outputs],
  );
  const tell = (work: Promise<string>): void => {
    work.then(
      (text) => send({ type: 'noticed', notice: { text, isWarning: false } }),
      (error: unknown) => send({ type: 'noticed', notice: { text: reasonOf(error), isWarning: true } }),
    );
  };
  return (effect) => {
    switch (effect.type) {
      case 'search':
        searcher.start(effect.search, ports, send);
        return;
      case 'searchTexts': {
        const { seq, text, without, within } = effect.search;
        ports.catalog.searchTexts({ text, without, limit: RANKED_HITS, within }, (found) =>
          send({ type: 'textsFound', seq, found }),
        );
        return;
      }
      case 'searchOutputs':
        outputs.start(effect.search, ports, send);
        return;
      case 'stopOutputs':
        outputs.stop();
        return;
      case 'readTranscript':
        reader.start(effect, ports, send);
        return;
      case 'prepareResume': {
        const { seq, path, choices } = effect.asking;
        ports.prepareResume(path, choices).then(
          (answer) => send({ type: 'resumeAnswered', seq, answer }),
          (error: unknown) =>
            send({ type: 'resumeAnswered', seq, answer: { kind: 'refused', reason: reasonOf(error) } }),
        );
        return;
      }
      case 'copy':
        tell(ports.copy(effect.text));
        return;
      case 'copyCommand':
        tell(ports.resumeCommand(effect.path).then((command) => ports.copy(command)));
        return;
      case 'readLabels': {
        const { seq } = effect;
        stopLabels.current = ports.catalog.labels((found) => send({ type: 'labelsFound', seq, found }));
        return;
      }
      case 'stopLabels':
        stopLabels.current?.();
        return;
      case 'undo':
        tell(ports.undo());
        return;
      case 'redraw':
      case 'suspend':
        suspend(effect.type);
        return;
      case 'exit':
        searcher.stop();
        reader.stop();
        outputs.stop();
        exit(effect.exit);
        return;
    }
  };
}
