import { styledCharsToString } from '@alcalzone/ansi-tokenize';
import { afterAll, expect } from 'vitest';
import StockOutput from '../../node_modules/ink/build/output.js';
import { leanOutput } from '../../scripts/lean/ink-output.ts';

/*
 * Whatever the tests of screens draw, key by key, is drawn a second time as the bundle draws it, and must come out the same.
 */

type Stock = Parameters<typeof leanOutput>[0];

// Its parts are private in its types alone.
const prototype = StockOutput.prototype as unknown as Recorded;
const LeanOutput = leanOutput(StockOutput as unknown as Stock, styledCharsToString as never);
const getStock = prototype.get;

interface Recorded extends InstanceType<Stock> {
  readonly width: number;
  readonly height: number;
  readonly operations: readonly (
    | {
        readonly type: 'write';
        readonly x: number;
        readonly y: number;
        readonly text: string;
        readonly transformers: [];
      }
    | { readonly type: 'clip'; readonly clip: Parameters<InstanceType<Stock>['clip']>[0] }
    | { readonly type: 'unclip' }
  )[];
}

let [frames, isReplaying] = [0, false];
const different: unknown[] = [];

function drawLean({ width, height, operations }: Recorded) {
  const lean = new LeanOutput({ width, height });
  for (const step of operations) {
    if (step.type === 'clip') lean.clip(step.clip);
    else if (step.type === 'unclip') lean.unclip();
    else lean.write(step.x, step.y, step.text, { transformers: step.transformers });
  }
  return lean.get();
}

prototype.get = function (this: Recorded) {
  if (isReplaying) return getStock.call(this);
  isReplaying = true;
  const [stock, lean] = [getStock.call(this), drawLean(this)];
  isReplaying = false;
  if (lean.output !== stock.output || lean.height !== stock.height) different.push([stock.output, lean.output]);
  frames++;
  return stock;
};

afterAll(() => {
  expect(frames).toBeGreaterThan(0);
  expect(different).toEqual([]);
});
