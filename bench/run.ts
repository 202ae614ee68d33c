import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false } },
});

type Benchmark = (options: { readonly full: boolean }) => Promise<unknown>;

/** Each prints its rows as it goes, and gives them as JSON. */
const benchmarks: Readonly<Record<string, () => Promise<Benchmark>>> = {
  start: async () => (await import('./start.ts')).run,
  catalog: async () => (await import('./catalog.ts')).run,
  engine: async () => (await import('./engine.ts')).run,
  tree: async () => (await import('./tree.ts')).run,
  memory: async () => (await import('./memory.ts')).run,
  filter: async () => (await import('./filter.ts')).run,
  frames: async () => (await import('./frames.ts')).run,
  history: async () => (await import('./history.ts')).run,
};

const chosen = positionals.length > 0 ? positionals : Object.keys(benchmarks);
const out = path.join(import.meta.dirname, 'out');
mkdirSync(out, { recursive: true });
for (const name of chosen) {
  const load = benchmarks[name];
  if (load === undefined) {
    process.stderr.write(`no benchmark ${name}; there are ${Object.keys(benchmarks).join(', ')}\n`);
    process.exitCode = 2;
    continue;
  }
  process.stdout.write(`\n${name}\n`);
  const run = await load();
  const rows = await run({ full: values.full });
  writeFileSync(
    path.join(out, `${name}.json`),
    `${JSON.stringify({ name, full: values.full, node: process.version, rows }, null, 1)}\n`,
  );
}
