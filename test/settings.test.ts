import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { defaultSettings, readSettings, type Settings } from '../src/settings.ts';
import { makeTempDir } from './session/temp-dir.ts';

function configOf(home: string): string {
  const folder = join(home, '.config', 'bough');
  mkdirSync(folder, { recursive: true });
  return join(folder, 'settings.json');
}

/** The settings of a user whose file holds this, and the problems without the file's path. */
function read(content: unknown): Settings {
  const home = makeTempDir();
  const path = configOf(home);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  const settings = readSettings({ HOME: home });
  const problems = settings.problems.map((problem) => {
    expect(problem.startsWith(`${path}: `)).toBe(true);
    return problem.slice(path.length + 2);
  });
  return { ...settings, problems };
}

it('without a file everything is as it is by default', () => {
  expect(readSettings({ HOME: makeTempDir() })).toEqual(defaultSettings);
});

it('folders are absolute, or from the home folder on', () => {
  const home = makeTempDir();
  const settings = { catalog: { leaveOut: ['~/private', '/w/x/'], metadataOnly: ['~'] } };
  writeFileSync(configOf(home), `\ufeff${JSON.stringify(settings)}`);
  const { keeping, problems } = readSettings({ HOME: home });
  expect(problems).toEqual([]);
  expect(keeping).toEqual({ leaveOut: [join(home, 'private'), '/w/x'], metadataOnly: [home] });
});

it('the file is looked for where XDG_CONFIG_HOME says', () => {
  const [home, config] = [makeTempDir(), makeTempDir()];
  mkdirSync(join(config, 'bough'));
  writeFileSync(join(config, 'bough', 'settings.json'), '{"agents":{"pi":["nice","pi"]}}');
  expect(readSettings({ HOME: home, XDG_CONFIG_HOME: config }).agents).toEqual({ pi: ['nice', 'pi'] });
});

it.each([
  ['{"catalog": {', /^is no JSON \(/],
  ['[]', /^must be an object: \{"catalog": …, "agents": …\}$/],
  ['null', /^must be an object/],
  [{ catalogue: {} }, /^"catalogue" is no setting; there are: catalog, agents$/],
  [{ catalog: { leaveout: [] } }, /^"catalog.leaveout" is no setting; there are: leaveOut, metadataOnly$/],
  [{ catalog: { leaveOut: '~/private' } }, /^"catalog.leaveOut" must be a list of folders, each absolute or from ~\//],
  [{ catalog: { metadataOnly: ['private'] } }, /^"catalog.metadataOnly" must be a list of folders/],
])('what folders are kept out is not known from %j: nothing may be kept', (content, problem) => {
  const { keeping, problems } = read(content);
  expect(keeping).toBeUndefined();
  expect(problems).toEqual([expect.stringMatching(problem)]);
});

it.each([
  [{ agents: { claude: ['claude'] } }, /^"agents.claude" is no setting; there are: xcsh, omp, pi$/],
  [{ agents: { pi: 'pi --verbose' } }, /^"agents.pi" must be a list of a program and its arguments/],
  [{ agents: { pi: [] } }, /^"agents.pi" must be/],
  [{ agents: { pi: ['pi', 7] } }, /^"agents.pi" must be/],
  [{ agents: { __proto__: 1, pi: [''] } }, /^"agents.pi" must be/],
])('from %j it is not known how agents are started: none is', (content, problem) => {
  const { keeping, agents, agentsProblem, problems } = read(content);
  expect(keeping).toEqual({ leaveOut: [], metadataOnly: [] });
  expect(agents).toEqual({});
  expect(problems).toEqual([expect.stringMatching(problem)]);
  expect(agentsProblem).toMatch(/settings\.json: "agents\./);
});

it('a file that cannot be read is a problem, not an empty one', () => {
  const home = makeTempDir();
  const path = configOf(home);
  mkdirSync(path);
  expect(readSettings({ HOME: home })).toMatchObject({
    keeping: undefined,
    problems: [`${path}: cannot be read: it is no file`],
  });
});

it.skipIf(process.platform === 'win32')('a pipe in its place keeps nobody waiting', () => {
  const home = makeTempDir();
  const path = configOf(home);
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', path]);
  expect(readSettings({ HOME: home }).keeping).toBeUndefined();
});
