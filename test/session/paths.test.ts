import fs from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ensureOwnFolder, getOwnFolders } from '../../src/own-folders.ts';
import {
  agentDirOf,
  agentFoldersOf,
  artifactsDirOf,
  encodeCwd,
  folderNamesOf,
  getAgentDir,
  getAgentFolders,
  getBlobsDir,
  getConfigRootDir,
  getHistoryPath,
  getSessionsDir,
  getTerminalSessionsDir,
  isSafeName,
  sessionFileName,
  setAgentDir,
} from '../../src/session/paths.ts';
import { makeTempDir } from './temp-dir.ts';

const home = { HOME: '/home/ada' };

describe('the agent folder', () => {
  test('is ~/.xcsh/agent, and everything is in it', () => {
    expect(getAgentDir(home)).toBe('/home/ada/.xcsh/agent');
    expect(getSessionsDir(home)).toBe('/home/ada/.xcsh/agent/sessions');
    expect(getBlobsDir(home)).toBe('/home/ada/.xcsh/agent/blobs');
    expect(getHistoryPath(home)).toBe('/home/ada/.xcsh/agent/history.db');
    expect(getTerminalSessionsDir(home)).toBe('/home/ada/.xcsh/agent/terminal-sessions');
  });

  test('is renamed by PI_CONFIG_DIR and replaced by PI_CODING_AGENT_DIR', () => {
    expect(getConfigRootDir({ ...home, PI_CONFIG_DIR: '.omp' })).toBe('/home/ada/.omp');
    expect(getAgentDir({ ...home, PI_CONFIG_DIR: '.omp' })).toBe('/home/ada/.omp/agent');
    expect(getAgentDir({ ...home, PI_CODING_AGENT_DIR: '/data/agent/' })).toBe('/data/agent');
  });

  test('takes an empty variable for an unset one', () => {
    expect(getAgentDir({ ...home, PI_CODING_AGENT_DIR: '', PI_CONFIG_DIR: '' })).toBe('/home/ada/.xcsh/agent');
  });

  test('can be changed while running', () => {
    const env: Record<string, string | undefined> = { ...home };
    setAgentDir('/one', env);
    expect(getSessionsDir(env)).toBe('/one/sessions');
    setAgentDir('/two', env);
    expect(getSessionsDir(env)).toBe('/two/sessions');
  });
});

describe('XDG folders of an agent', () => {
  function makeXdg(...existing: readonly string[]) {
    const dir = makeTempDir();
    for (const name of existing) fs.mkdirSync(join(dir, name), { recursive: true });
    const env = { HOME: dir, XDG_DATA_HOME: join(dir, 'data'), XDG_STATE_HOME: join(dir, 'state') };
    return { dir, env };
  }

  test('hold data and state where they exist already', () => {
    const { dir, env } = makeXdg('data/xcsh', 'state/xcsh');
    expect(getAgentFolders(env)).toEqual({
      agentDir: join(dir, 'data/xcsh'),
      sessionsDir: join(dir, 'data/xcsh/sessions'),
      blobsDir: join(dir, 'data/xcsh/blobs'),
      historyPath: join(dir, 'data/xcsh/history.db'),
      breadcrumbsDir: join(dir, 'state/xcsh/terminal-sessions'),
    });
  });

  test('move each for itself', () => {
    const { dir, env } = makeXdg('data/xcsh');
    expect(getSessionsDir(env)).toBe(join(dir, 'data/xcsh/sessions'));
    expect(getTerminalSessionsDir(env)).toBe(join(dir, '.xcsh/agent/terminal-sessions'));
  });

  test('do not count while they do not exist, are relative, or the agent folder is another', () => {
    const { dir, env } = makeXdg('data/xcsh');
    expect(getSessionsDir({ ...env, XDG_DATA_HOME: join(dir, 'none') })).toBe(join(dir, '.xcsh/agent/sessions'));
    expect(getSessionsDir({ ...env, XDG_DATA_HOME: 'data' })).toBe(join(dir, '.xcsh/agent/sessions'));
    expect(getSessionsDir({ ...env, PI_CODING_AGENT_DIR: '/a' })).toBe('/a/sessions');
    expect(getSessionsDir({ ...env, PI_CODING_AGENT_DIR: join(dir, '.xcsh/agent') })).toBe(
      join(dir, 'data/xcsh/sessions'),
    );
  });

  test('keep the breadcrumbs of a session in the state folder of its agent', () => {
    const { dir, env } = makeXdg('data/omp/sessions/-x', 'state/omp');
    const folders = agentFoldersOf(join(dir, 'data/omp/sessions/-x/a.jsonl'), env);
    expect(folders?.blobsDir).toBe(join(dir, 'data/omp/blobs'));
    expect(folders?.breadcrumbsDir).toBe(join(dir, 'state/omp/terminal-sessions'));
    expect(agentFoldersOf('/a/sessions/-x/a.jsonl', env)?.breadcrumbsDir).toBe('/a/terminal-sessions');
  });
});

test('the agent folder of a session is told by its path alone', () => {
  expect(agentDirOf('/h/.omp/agent/sessions/-x/2026_a.jsonl')).toBe('/h/.omp/agent');
  expect(agentDirOf('/h/agent/sessions/-x/2026-12-01T02-25-30-047Z_ab/0-task.jsonl')).toBe('/h/agent');
  expect(agentDirOf('/h/agent/sessions/-x/2026-12-01T02-25-30-047Z_ab/deep/er/b.jsonl')).toBe('/h/agent');
  expect(agentDirOf('/h/agent/sessions/a.jsonl')).toBeUndefined();
  expect(agentDirOf('/h/sessions/work/notes/a.jsonl')).toBeUndefined();
  expect(agentDirOf('/tmp/a.jsonl')).toBeUndefined();
  expect(agentDirOf('/sessions/x/a.jsonl')).toBeUndefined();
  expect(agentFoldersOf('/tmp/a.jsonl')).toBeUndefined();
});

describe('the folder of a cwd', () => {
  test('has the documented name', () => {
    expect(encodeCwd('/work/pi')).toBe('--work-pi--');
    expect(encodeCwd('/work/a:b\\c')).toBe('--work-a-b-c--');
    expect(encodeCwd('/')).toBe('----');
  });

  test('is one name that the file system takes, whatever the cwd', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }), { maxLength: 12 }),
        (names) => {
          const name = encodeCwd(`/${names.join('/').replaceAll('\0', '')}`);
          expect(name).not.toMatch(/[/\\:]/);
          expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
        },
      ),
    );
  });

  test('differs for long folders that differ at the end', () => {
    const long = `/${'é'.repeat(300)}`;
    expect(encodeCwd(`${long}/a`)).not.toBe(encodeCwd(`${long}/b`));
    expect(encodeCwd(`${long}/a`)).toBe(encodeCwd(`${long}/a/`));
    expect(encodeCwd(`${long}/a`)).not.toContain('\ufffd');
  });

  test('is looked for under home and the temp folder, where other agents file it', () => {
    const dir = makeTempDir();
    const env = { HOME: join(dir, 'home'), TMPDIR: join(dir, 'tmp') };
    expect(folderNamesOf(join(dir, 'home/a/b'), env)).toContain('-a-b');
    expect(folderNamesOf(join(dir, 'home'), env)).toContain('-');
    expect(folderNamesOf(join(dir, 'tmp/a'), env)).toContain('-tmp-a');
    expect(folderNamesOf(join(dir, 'tmp'), env)).toContain('-tmp');
    expect(folderNamesOf(join(dir, 'home-work/a'), env)).not.toContain('-work-a');
    expect(folderNamesOf(join(dir, 'home/..a'), env)).toContain('-..a');
  });

  test('comes first under its documented name, then without repeats, hashed names of omp included', () => {
    const env = { HOME: '/home/ada', TMPDIR: '/nowhere' };
    const names = folderNamesOf('/home/ada/p', env);
    expect(names).toEqual([
      '--home-ada-p--',
      '-p',
      'home-p-ff7a5a46d387680400ea9e225d325bcde570047919fd0d6d9339b0e4ecf946bd',
    ]);
  });

  test('is looked for by its real path too', () => {
    const dir = makeTempDir();
    fs.mkdirSync(join(dir, 'real'));
    fs.symlinkSync('real', join(dir, 'link'));
    const names = folderNamesOf(join(dir, 'link'), { HOME: '/home/ada', TMPDIR: '/nowhere' });
    expect(names).toContain(encodeCwd(join(dir, 'link')));
    expect(names).toContain(encodeCwd(join(dir, 'real')));
  });
});

describe('names from data', () => {
  test('are single, printable and short', () => {
    for (const name of ['a', '.a', 'tmux-%1', '..a', 'é'.repeat(127)])
      expect([name, isSafeName(name)]).toEqual([name, true]);
    for (const name of ['', '.', '..', 'a/b', 'a\\b', 'a\nb', 'a\0', '\u001b', 'é'.repeat(128)]) {
      expect([name, isSafeName(name)]).toEqual([name, false]);
    }
  });

  test('make a session file only when they are safe', () => {
    expect(sessionFileName('2026-12-01T02:25:30.047Z', 'ab12')).toBe('2026-12-01T02-25-30-047Z_ab12.jsonl');
    for (const id of ['', '../x', 'a\0', 'x'.repeat(240)]) {
      expect(() => sessionFileName('2026-12-01T02:25:30.047Z', id)).toThrow(
        expect.objectContaining({ code: 'refused' }),
      );
    }
  });

  test('give an artifact folder only for a session file', () => {
    expect(artifactsDirOf('/a/b.jsonl')).toBe('/a/b');
    for (const path of ['/a/b.json', '/a/.jsonl', '.jsonl', '/a/b']) {
      expect(() => artifactsDirOf(path)).toThrow(expect.objectContaining({ code: 'refused' }));
    }
  });
});

describe("Bough's own folders", () => {
  test('follow XDG, whose relative and empty values do not count', () => {
    expect(getOwnFolders({ ...home, XDG_CACHE_HOME: '/c', XDG_STATE_HOME: 'relative', XDG_CONFIG_HOME: '' })).toEqual({
      cacheDir: '/c/bough',
      stateDir: '/home/ada/.local/state/bough',
      configDir: '/home/ada/.config/bough',
    });
  });

  test('are made private', () => {
    const { stateDir } = getOwnFolders({ HOME: makeTempDir() });
    expect(ensureOwnFolder(stateDir)).toBe(stateDir);
    expect(fs.statSync(stateDir).mode & 0o777).toBe(0o700);
    expect(ensureOwnFolder(stateDir)).toBe(stateDir);
  });

  test('say what is in the way', () => {
    const dir = makeTempDir();
    fs.writeFileSync(join(dir, 'bough'), '');
    expect(() => ensureOwnFolder(join(dir, 'bough'))).toThrow(expect.objectContaining({ code: 'already_exists' }));
  });
});
