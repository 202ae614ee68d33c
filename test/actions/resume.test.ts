import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { planResume, type ResumeChoice } from '../../src/actions/resume.ts';
import { findAgentRoots } from '../../src/agents/agents.ts';
import { glanceAtRow } from '../../src/catalog/read-row.ts';
import { findSessionFiles } from '../../src/catalog/session-files.ts';
import { defaultSettings, type Settings } from '../../src/settings.ts';
import { makeTempDir } from '../session/temp-dir.ts';

interface World {
  readonly home: string;
  readonly agentDir: string;
  readonly project: string;
}

let path: string | undefined;
beforeEach(() => {
  path = process.env['PATH'];
});
afterEach(() => {
  process.env['PATH'] = path;
});

function makeWorld(agent = 'xcsh'): World {
  const home = makeTempDir();
  const agentDir = join(home, `.${agent}`, 'agent');
  const project = join(home, 'project');
  for (const folder of [join(agentDir, 'sessions', '--p--'), project, join(home, 'bin')])
    mkdirSync(folder, { recursive: true });
  process.env['PATH'] = join(home, 'bin');
  return { home, agentDir, project };
}

function install({ home }: World, name: string): string {
  const program = join(home, 'bin', name);
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  return program;
}

function addSession({ agentDir }: World, cwd: string, before = ''): string {
  const file = join(agentDir, 'sessions', '--p--', '2026-01-01T00-00-00-000Z_19c2f0a41b7d3e58.jsonl');
  const header = { type: 'session', version: 3, id: '19c2f0a41b7d3e58', timestamp: '2026-01-01T00:00:00.000Z', cwd };
  writeFileSync(file, `${before}${JSON.stringify(header)}\n`);
  return file;
}

function plan(
  world: World,
  choices: readonly ResumeChoice[] = [],
  agentDirs = [world.agentDir],
  settings: Settings = defaultSettings,
) {
  const [file] = findSessionFiles(findAgentRoots([world.agentDir], {}), () => undefined);
  return planResume(glanceAtRow(file!), { home: world.home, here: world.home, choices, agentDirs, settings });
}

test('the program is absolute, the arguments are an array, the folder is the header’s', async () => {
  const world = makeWorld();
  const program = install(world, 'xcsh');
  const file = addSession(world, world.project);
  expect(await plan(world)).toEqual({
    kind: 'ready',
    launch: { file: program, program: 'xcsh', args: ['--session', file], cwd: world.project },
  });
});

test('each dialect starts its own agent', async () => {
  const world = makeWorld('omp');
  install(world, 'xcsh');
  const program = install(world, 'omp');
  addSession(world, world.project, '{"type":"title","v":1,"title":"T","pad":""}\n');
  expect(await plan(world)).toMatchObject({ kind: 'ready', launch: { file: program } });
});

test("xcsh is never given omp's form, even where no omp is installed", async () => {
  const world = makeWorld();
  install(world, 'xcsh');
  addSession(world, world.project, '{"type":"title","v":1,"title":"T","pad":""}\n');
  expect(await plan(world)).toMatchObject({ kind: 'refused', reason: expect.stringContaining("omp's") });
});

test('pi is never given a file whose header it would not find', async () => {
  const world = makeWorld('pi');
  install(world, 'pi');
  addSession(world, world.project, '\ufeff');
  expect(await plan(world)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('replace') });
});

test('a folder that is gone is said, and the choice to continue here goes on', async () => {
  const world = makeWorld();
  install(world, 'xcsh');
  addSession(world, join(world.home, 'gone'));
  expect(await plan(world)).toEqual({ kind: 'folder_gone', cwd: join(world.home, 'gone') });
  expect(await plan(world, ['continue_here'])).toMatchObject({ kind: 'ready', launch: { cwd: world.home } });
});

test('an agent that is not installed leaves the command', async () => {
  const world = makeWorld();
  const file = addSession(world, world.project);
  expect(await plan(world)).toEqual({
    kind: 'not_installed',
    launch: { file: 'xcsh', program: 'xcsh', args: ['--session', file], cwd: world.project },
  });
});

test('a file outside the agent folders is asked about first', async () => {
  const world = makeWorld();
  install(world, 'xcsh');
  addSession(world, world.project);
  expect(await plan(world, [], [])).toMatchObject({ kind: 'outside', folder: expect.stringContaining('--p--') });
  expect(await plan(world, ['trust_folder'], [])).toMatchObject({ kind: 'ready' });
});

test('a session that another process has open is asked about first', async () => {
  const world = makeWorld();
  install(world, 'xcsh');
  const file = addSession(world, world.project);
  writeFileSync(join(world.agentDir, 'sessions', '--p--', `.${file.split('/').at(-1)}.lock`), `1:${Date.now()}`);
  expect(await plan(world)).toMatchObject({ kind: 'live', holder: expect.stringContaining('process 1') });
  expect(await plan(world, ['open_live'])).toMatchObject({ kind: 'ready' });
});

test('a command of the user’s own is run in an agent’s place, with its first arguments', async () => {
  const world = makeWorld();
  const program = install(world, 'wrap');
  const file = addSession(world, world.project);
  const settings: Settings = { ...defaultSettings, agents: { xcsh: ['wrap', '--in', 'a box', 'xcsh'] } };
  expect(await plan(world, [], [world.agentDir], settings)).toEqual({
    kind: 'ready',
    launch: {
      file: program,
      program: 'wrap',
      args: ['--in', 'a box', 'xcsh', '--session', file],
      cwd: world.project,
    },
  });
});

test('no agent is started while it is not known by which command', async () => {
  const world = makeWorld();
  install(world, 'xcsh');
  addSession(world, world.project);
  const settings: Settings = { ...defaultSettings, agentsProblem: 'settings.json: is no JSON' };
  expect(await plan(world, [], [world.agentDir], settings)).toEqual({
    kind: 'refused',
    reason: 'settings.json: is no JSON',
  });
});

test.each(['/w/\u0000x', '/proc/self/fd/nowhere/x'])('a folder named %j is as one that is gone', async (cwd) => {
  const world = makeWorld();
  install(world, 'xcsh');
  addSession(world, cwd);
  expect(await plan(world)).toEqual({ kind: 'folder_gone', cwd });
});
