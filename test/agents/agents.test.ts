import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentOfFolder, agentOfSession, dialectNamed, findAgentRoots, titleOf } from '../../src/agents/agents.ts';
import { SessionError } from '../../src/errors.ts';
import type { TitleCandidates } from '../../src/session/summary.ts';
import { makeTempDir } from '../session/temp-dir.ts';

const NO_TITLES: TitleCandidates = {
  header: undefined,
  headerSource: undefined,
  slot: undefined,
  slotSource: undefined,
  sessionInfo: undefined,
  shortSummary: undefined,
};

describe('agent folders', () => {
  test('those given come before the environment, and that before the home folder', () => {
    const home = makeTempDir();
    for (const name of ['.xcsh/agent', '.pi/agent', 'given', 'named']) mkdirSync(join(home, name), { recursive: true });
    const dirs = (given: string[], env = {}) =>
      findAgentRoots(given, { HOME: home, ...env }).map(({ folders, agent }) => [folders.agentDir, agent]);
    expect(dirs([])).toEqual([
      [join(home, '.xcsh/agent'), 'xcsh'],
      [join(home, '.pi/agent'), 'pi'],
    ]);
    expect(dirs([], { PI_CODING_AGENT_DIR: join(home, 'named') })).toEqual([[join(home, 'named'), null]]);
    const given = [join(home, 'given'), join(home, '.pi/agent')];
    expect(dirs(given, { PI_CODING_AGENT_DIR: join(home, 'named') })).toEqual([
      [given[0], null],
      [given[1], 'pi'],
    ]);
  });

  test('an empty variable counts as unset, and no folder at all is no error', () => {
    expect(findAgentRoots([], { HOME: makeTempDir(), PI_CODING_AGENT_DIR: '' })).toEqual([]);
  });

  test('one that is named and missing is an error', () => {
    expect(() => findAgentRoots(['/nowhere/agent'], {})).toThrow(SessionError);
  });

  test("xcsh's and omp's data may have moved to the XDG folder", () => {
    const home = makeTempDir();
    const data = join(home, 'data');
    mkdirSync(join(data, 'omp', 'sessions'), { recursive: true });
    const [root] = findAgentRoots([], { HOME: home, XDG_DATA_HOME: data });
    expect(root).toMatchObject({ agent: 'omp', folders: { sessionsDir: join(data, 'omp', 'sessions') } });
  });

  test.each([
    ['/home/me/.xcsh/agent', 'xcsh'],
    ['/home/me/.omp/profiles/work/agent', 'omp'],
    ['/home/me/.local/share/xcsh', 'xcsh'],
    ['/home/me/.pi/agent', 'pi'],
    ['/home/pi/other/agent', null],
    ['/tmp/backup', null],
  ])('%s is of %s', (folder, agent) => {
    expect(agentOfFolder(folder)).toBe(agent);
  });
});

describe('the dialect of a session', () => {
  const evidence = { hasTitleSlot: false, sessionId: undefined, hints: new Set<'pi' | 'omp'>() };

  test('is that of its folder', () => {
    expect(agentOfSession('pi', evidence)).toBe('pi');
  });

  test("is not known where omp's first line lies in another agent's folder", () => {
    const slot = { ...evidence, hasTitleSlot: true, hints: new Set(['omp'] as const) };
    expect(agentOfSession('xcsh', slot)).toBeNull();
    expect(agentOfSession('omp', slot)).toBe('omp');
    expect(agentOfSession(null, slot)).toBe('omp');
  });

  test('is read from entries and ids where the folder does not tell', () => {
    expect(agentOfSession(null, { ...evidence, hints: new Set(['pi'] as const) })).toBe('pi');
    expect(agentOfSession(null, { ...evidence, sessionId: '19c2f0a41b7d3e58' })).toBe('xcsh');
    expect(agentOfSession(null, { ...evidence, sessionId: '019f5be5-7b1a-7000-8a7c-db42f66cd116' })).toBeNull();
  });

  test('is not known where entries contradict each other', () => {
    expect(agentOfSession(null, { ...evidence, hints: new Set(['pi', 'omp'] as const) })).toBeNull();
  });
});

describe('titles', () => {
  test("xcsh: the header's, else the last short summary", () => {
    expect(titleOf('xcsh', { ...NO_TITLES, header: 'H', headerSource: 'user', shortSummary: 'S' })).toEqual({
      text: 'H',
      source: 'user',
    });
    expect(titleOf('xcsh', { ...NO_TITLES, shortSummary: 'S' })).toEqual({ text: 'S', source: 'auto' });
  });

  test('pi: the last name, and an empty one clears', () => {
    expect(titleOf('pi', { ...NO_TITLES, sessionInfo: 'N' })).toEqual({ text: 'N', source: 'user' });
    expect(titleOf('pi', { ...NO_TITLES, sessionInfo: '', header: 'H' })).toBeUndefined();
  });

  test('omp: the title line before the header', () => {
    expect(titleOf('omp', { ...NO_TITLES, slot: 'T', slotSource: 'auto', header: 'H' })?.text).toBe('T');
  });

  test('blank titles are none', () => {
    expect(titleOf('xcsh', { ...NO_TITLES, header: '  ' })).toBeUndefined();
  });
});

describe('who may open a file', () => {
  const plain = { startsWithHeader: true, isPlain: true, hasTitleSlot: false, hasHeader: true };

  test('all may open a plain one', () => {
    for (const name of ['xcsh', 'omp', 'pi'] as const) expect(dialectNamed(name).refusalOf(plain)).toBeUndefined();
  });

  test("omp's form is refused to xcsh and pi, which would replace it", () => {
    const slot = { startsWithHeader: false, isPlain: true, hasTitleSlot: true, hasHeader: true };
    expect(dialectNamed('xcsh').refusalOf(slot)).toContain('replace');
    expect(dialectNamed('pi').refusalOf(slot)).toContain('replace');
    expect(dialectNamed('omp').refusalOf(slot)).toBeUndefined();
  });

  test('a header that pi would not find is refused to pi alone', () => {
    const bom = { ...plain, isPlain: false };
    expect(dialectNamed('pi').refusalOf(bom)).toContain('replace');
    expect(dialectNamed('xcsh').refusalOf(bom)).toBeUndefined();
  });

  test('a file without a header is refused to all', () => {
    const none = { startsWithHeader: false, isPlain: false, hasTitleSlot: false, hasHeader: false };
    for (const name of ['xcsh', 'omp', 'pi'] as const) expect(dialectNamed(name).refusalOf(none)).toBeDefined();
  });
});

test("xcsh is kept in the home folder when that is the session's own", () => {
  expect(dialectNamed('xcsh').resumeArguments('/s.jsonl', '/home/me', '/home/me')).toEqual([
    '--session',
    '/s.jsonl',
    '--allow-home',
  ]);
  expect(dialectNamed('xcsh').resumeArguments('/s.jsonl', '/w', '/home/me')).toEqual(['--session', '/s.jsonl']);
});
