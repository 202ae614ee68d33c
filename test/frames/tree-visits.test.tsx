import './same-output.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanup, render } from 'ink-testing-library';
import { afterEach, expect, it, vi } from 'vitest';
import { TreeApp } from '../../components/tree-app.tsx';
import type { TreeReader } from '../../src/catalog/tree-client.ts';
import type { EntryLine } from '../../src/session/entry-line.ts';
import { keyBytes } from '../e2e/keys.ts';
import { NOW_MS } from '../model/rows.ts';
import { fileOf, headerLine, userLine } from '../session/session-text.ts';
import { makeTempDir } from '../session/temp-dir.ts';
import { noCatalog, noChanges } from './screen.tsx';
import { readTree } from './tree-reader.ts';

afterEach(cleanup);

it('what is read late of the tree that one left is not shown in the one that one went to', async () => {
  const dir = makeTempDir();
  const [here, there] = [join(dir, 'here.jsonl'), join(dir, 'there.jsonl')];
  writeFileSync(here, fileOf(headerLine(), userLine('a1', null, 'in the first tree')));
  writeFileSync(there, fileOf(headerLine(), userLine('b1', null, 'in the other tree')));
  const late: ((lines: EntryLine[]) => void)[] = [];
  const tree = (...[path, onNews]: Parameters<typeof readTree>): TreeReader => ({
    ...readTree(path, onNews),
    ...(path === here ? { lines: () => new Promise<EntryLine[]>((resolve) => late.push(resolve)) } : {}),
  });
  const label = { path: there, id: 'b', cwd: '/w', entryId: 'b1', line: 2, type: 'message', role: 'user' };
  const labels: typeof noCatalog.labels = (onFound) => {
    const found = [{ ...label, label: 'mark', labelledMs: NOW_MS, text: 'in the other tree' }];
    queueMicrotask(() => onFound({ labels: found, problems: [], isDone: true }));
    return () => {};
  };
  const ports = {
    ...noChanges,
    catalog: { ...noCatalog, tree, labels },
    now: () => NOW_MS,
    copy: async () => 'copied',
  };
  const ink = render(<TreeApp options={{ path: here, title: '', startId: undefined }} ports={ports} />);
  const until = (wanted: RegExp): Promise<void> => vi.waitFor(() => expect(ink.lastFrame()).toMatch(wanted));
  await until(/1\/1/);
  ink.stdin.write(keyBytes('ctrl+g'));
  await until(/› mark/);
  ink.stdin.write(keyBytes('enter'));
  await until(/› .*user: in the other tree/);
  expect(late.length).toBeGreaterThan(0);
  for (const answer of late) answer([{ at: 0, speaker: 'user: ', text: 'too late', isError: false }]);
  ink.stdin.write(keyBytes('alt+w'));
  await until(/\+label times/);
  ink.stdin.write(keyBytes('alt+a'));
  await until(/\[all\]/);
  expect(ink.frames.join('\n')).not.toContain('too late');
});
