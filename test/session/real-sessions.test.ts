import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { versionOf } from '../../src/session/migrations.ts';
import { SessionFile } from '../../src/session/scan.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import { useAgentFolder } from './agent-folder.ts';

const FIXTURES = new URL('../fixtures/sessions/', import.meta.url).pathname;
const place = useAgentFolder();

function copyOf(name: string): string {
  const path = join(place.sessionDir, name);
  fs.mkdirSync(place.sessionDir, { recursive: true });
  fs.copyFileSync(join(FIXTURES, name), path);
  return path;
}

/** The bytes of everything in a file that cannot be read. */
function damageIn(path: string): string[] {
  using file = new SessionFile(path);
  const damage: string[] = [];
  for (const record of file.records('full')) if (record.kind === 'damage') damage.push(record.bytes.toString('latin1'));
  return damage;
}

function versionAt(path: string): number {
  using file = new SessionFile(path);
  for (const record of file.records('full')) if (record.kind === 'header') return versionOf(record.header);
  return 0;
}

const names = fs.readdirSync(FIXTURES).filter((name) => name.endsWith('.jsonl'));

describe.each(names)('%s', (name) => {
  const open = async (path: string) => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warning.mockRestore());
    return await SessionManager.open(path, undefined, undefined, { breadcrumb: false });
  };

  test('one label is one line more, and nothing else changes but by a migration', async () => {
    const path = copyOf(name);
    const before = fs.readFileSync(path, 'utf8');
    const damage = damageIn(path);
    const isOld = versionAt(path) < 3;
    const session = await open(path);
    const migrated = fs.readFileSync(path, 'utf8');
    if (!isOld) expect(migrated).toBe(before);
    expect(versionAt(path)).toBe(3);
    const target = session.getEntries()[0]?.id ?? '';
    const leaf = session.getLeafId();
    session.appendLabelChange(target, 'a label');
    await session.close();
    const after = fs.readFileSync(path, 'utf8');
    const added = after.slice(migrated.length);
    expect(after.startsWith(migrated)).toBe(true);
    expect(JSON.parse(added)).toMatchObject({ type: 'label', targetId: target, parentId: leaf });
    expect(added.replace(/^\n/, '').split('\n')).toHaveLength(2);
    expect(damageIn(path)).toEqual(damage);
  });

  test('it is renamed, rewritten, forked and branched without a loss', async () => {
    const path = copyOf(name);
    const session = await open(path);
    const ids = session.getEntries().map((entry) => entry.id);
    const body = (file: string) => fs.readFileSync(file, 'utf8').split('\n').slice(1).join('\n');
    const before = body(path);
    await session.rewriteEntries();
    expect(body(path)).toBe(before);
    expect(await session.setSessionName('A title', 'user')).toBe(true);
    const leaf = session.getLeafId() ?? '';
    const context = session.buildSessionContext();
    await session.fork();
    expect(session.getEntries().map((entry) => entry.id)).toEqual(ids);
    const fork = await open(session.getSessionFile() ?? '');
    expect(fork.getEntries().map((entry) => entry.id)).toEqual(ids);
    expect(fork.buildSessionContext()).toEqual(context);
    session.createBranchedSession(leaf);
    const branch = await open(session.getSessionFile() ?? '');
    expect(branch.buildSessionContext().messages).toEqual(context.messages);
    expect(branch.getTree()).toHaveLength(1);
  });
});
