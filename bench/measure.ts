/** One row of a benchmark: the product beside a floor of the same run, in milliseconds. */
export interface Measurement {
  readonly what: string;
  readonly productMs: number;
  readonly floor: string;
  readonly floorMs: number;
  /** The most that `productMs / floorMs` may be; undefined where none is set. */
  readonly target: number | undefined;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;
}

/**
 * Runs both sides in turn, A B A B …, after one uncounted round, and compares their medians: the machine's speed drifts,
 * and drifts for both alike.
 */
export async function compare(
  what: string,
  product: () => number | Promise<number>,
  floor: string,
  runFloor: () => number | Promise<number>,
  { rounds, target }: { readonly rounds: number; readonly target?: number },
): Promise<Measurement> {
  const times = { product: [] as number[], floor: [] as number[] };
  for (let round = -1; round < rounds; round++) {
    const [productMs, floorMs] = [await product(), await runFloor()];
    if (round < 0) continue;
    times.product.push(productMs);
    times.floor.push(floorMs);
  }
  return { what, productMs: median(times.product), floor, floorMs: median(times.floor), target };
}

/** Milliseconds that some work takes. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export function print({ what, productMs, floor, floorMs, target }: Measurement): void {
  printRow(what, productMs, floorMs, 'ms', floor, target);
}

/** A row that is not about time. */
export interface Amounts {
  readonly what: string;
  readonly unit: 'bytes' | 'MB';
  readonly product: number;
  readonly floor: string;
  readonly floorAmount: number;
  readonly target: number;
}

export function printAmounts({ what, unit, product, floor, floorAmount, target }: Amounts): void {
  printRow(what, product, floorAmount, unit, floor, target);
}

function printRow(what: string, product: number, least: number, unit: string, floor: string, target?: number): void {
  const ratio = product / least;
  const verdict = target === undefined ? '' : `  target ${target}${ratio <= target ? '' : '  MISSED'}`;
  const [left, right] = [product, least].map(
    (value) => `${value.toFixed(unit === 'bytes' ? 0 : 1).padStart(9)} ${unit}`,
  );
  process.stdout.write(
    `${what.padEnd(44)} ${left}  ${right}  ${ratio.toFixed(2).padStart(6)}×  (${floor})${verdict}\n`,
  );
}
