import fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SessionManager } from '../../src/session/session-manager.ts';
import { fileOf, headerLine, userLine } from './session-text.ts';
import { makeTempDir } from './temp-dir.ts';

const quietly = { breadcrumb: false };

function idOf(n: number): string {
  return n.toString(16).padStart(8, '0');
}

test('a chain of 100,000 entries opens, is walked, drawn, branched and rewritten without overflow', async () => {
  const count = 100_000;
  const path = join(makeTempDir(), 's.jsonl');
  const entries = Array.from({ length: count }, (_, n) =>
    userLine(idOf(n), n === 0 ? null : idOf(n - 1), `message ${n}`),
  );
  fs.writeFileSync(path, `${[headerLine(), ...entries].join('\n')}\n`);
  const session = await SessionManager.open(path, undefined, undefined, quietly);
  expect(session.getBranch()).toHaveLength(count);
  expect(session.buildSessionContext().messages).toHaveLength(count);
  expect(session.getTree()).toHaveLength(1);
  expect(session.getChildren(idOf(5))).toHaveLength(1);
  const label = session.appendLabelChange(idOf(50_000), 'half');
  await session.rewriteEntries();
  await session.close();
  expect(fs.readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(count + 2);
  const branch = session.createBranchedSession(label) ?? '';
  expect(
    fs
      .readFileSync(branch, 'utf8')
      .split('\n')
      .slice(1, count + 1),
  ).toEqual(entries);
}, 60_000);

test('150,000 children of one parent are drawn in time order', async () => {
  const path = join(makeTempDir(), 's.jsonl');
  const children = Array.from({ length: 150_000 }, (_, n) => userLine(idOf(n), 'root', 'x'));
  fs.writeFileSync(path, [headerLine(), userLine('root', null, 'x'), ...children].join('\n'));
  const session = await SessionManager.open(path, undefined, undefined, quietly);
  expect(session.getTree()[0]?.children).toHaveLength(150_000);
  expect(session.getChildren('root')).toHaveLength(150_000);
}, 60_000);

test('an entry nested too deep for recursion opens, and its line stays', async () => {
  const path = join(makeTempDir(), 's.jsonl');
  const deep = `{"type":"custom","id":"deep","parentId":null,"timestamp":"x","ref":"blob:sha256:","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  fs.writeFileSync(path, fileOf(headerLine(), deep));
  const session = await SessionManager.open(path, undefined, undefined, quietly);
  expect(session.getLeafId()).toBe('deep');
  session.appendLabelChange('deep', 'L');
  await session.setSessionName('T', 'user');
  await session.close();
  expect(fs.readFileSync(path, 'utf8').split('\n')[1]).toBe(deep);
});

test('a file that does not fit into memory is refused with its size and what to do, and not touched', async () => {
  const path = join(makeTempDir(), 's.jsonl');
  fs.writeFileSync(path, fileOf(headerLine()));
  fs.truncateSync(path, 64 * 1024 ** 3);
  await expect(SessionManager.open(path, undefined, undefined, quietly)).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringMatching(/65536 MB/),
    hint: expect.stringContaining('--max-old-space-size'),
  });
  expect(fs.statSync(path).size).toBe(64 * 1024 ** 3);
});
