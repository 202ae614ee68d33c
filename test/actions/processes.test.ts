import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { setLabel } from '../../src/actions/label.ts';
import { linesOf, makePlace, type Place, reopened } from './place.ts';

const actions = fileURLToPath(new URL('../../src/actions/', import.meta.url));

/** Runs a script beside others to its end; `journal`, `target` and the actions are there for it. */
async function run({ dir, target, options }: Place, body: string): Promise<string> {
  const script = join(dir, `${Math.random()}.mts`);
  fs.writeFileSync(
    script,
    `import { setLabel } from '${actions}label.ts';
     import { undoLast } from '${actions}undo.ts';
     import { Journal } from '${actions}journal.ts';
     const options = { journal: new Journal(${JSON.stringify(join(options.journal.path, '..'))}) };
     const target = ${JSON.stringify(target)};
     ${body}`,
  );
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
  });
  const [status] = await once(child, 'close');
  expect(status).toBe(0);
  return output;
}

/** Repeats a label until neither the other process's line nor its open file is in the way. */
const labelInTurn = (name: string): string => `
  for (let n = 0; n < 15; ) {
    try {
      await setLabel(target, ['u1', 'a1', 'u2', 'a2', 'u3', 'a3'][n % 6], '${name} ' + n, options);
      n++;
    } catch (error) {
      if (error.code !== 'changed_on_disk' && error.code !== 'live') throw error;
    }
  }`;

test('two processes that label one session lose nothing, and the leaf stays where it was', async () => {
  const place = makePlace();
  const before = await reopened(place.path);
  await Promise.all(['left', 'right'].map((name) => run(place, labelInTurn(name))));
  const labels = linesOf(place.path).slice(7);
  for (const name of ['left', 'right']) {
    const own = labels.map((line) => String(line['label'])).filter((label) => label.startsWith(name));
    expect(own).toEqual(Array.from({ length: 15 }, (_, n) => `${name} ${n}`));
  }
  const after = await reopened(place.path);
  expect(after.context).toEqual(before.context);
  const changes = linesOf(place.options.journal.path).map((line) => line['type']);
  expect(changes).toEqual(Array.from({ length: 30 }, () => 'change'));
});

test('processes that undo at once undo each change once', async () => {
  const place = makePlace();
  for (let n = 0; n < 6; n++) await setLabel(place.target, 'a2', `label ${n}`, place.options);
  const undo = `
    for (let n = 0; n < 3; ) {
      try {
        const { undone } = await undoLast(options);
        console.log(undone.change.label);
        n++;
      } catch (error) {
        if (error.code !== 'changed_on_disk' && error.code !== 'live') throw error;
      }
    }`;
  const outputs = await Promise.all([run(place, undo), run(place, undo)]);
  const undone = outputs.flatMap((output) => output.trim().split('\n'));
  expect(undone.sort()).toEqual(Array.from({ length: 6 }, (_, n) => `label ${n}`));
  expect(place.options.journal.last()).toBeUndefined();
  expect((await reopened(place.path)).labels.size).toBe(0);
});
