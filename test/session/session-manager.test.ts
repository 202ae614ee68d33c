import { beforeEach, describe, onTestFinished } from 'vitest';
import { setAgentDir } from '../../src/session/paths.ts';
import { FileSessionStorage, MemorySessionStorage } from '../../src/session/session-storage.ts';
import { describeAppending, describeBeginning } from './contract-appending.ts';
import { describeRewriting, describeSwitching } from './contract-files.ts';
import { describeOpening, describeTree } from './contract-opening.ts';
import { makeTempDir } from './temp-dir.ts';

beforeEach(() => {
  const before = process.env['PI_CODING_AGENT_DIR'];
  setAgentDir(makeTempDir());
  onTestFinished(() => {
    if (before === undefined) delete process.env['PI_CODING_AGENT_DIR'];
    else process.env['PI_CODING_AGENT_DIR'] = before;
  });
});

describe.each([
  ['on disk', () => ({ storage: new FileSessionStorage(), dir: makeTempDir() })],
  ['in memory', () => ({ storage: new MemorySessionStorage(), dir: '/m/sessions' })],
])('a session %s', (_name, make) => {
  describe('beginning', () => describeBeginning(make));
  describe('appending', () => describeAppending(make));
  describe('opening', () => describeOpening(make));
  describe('the tree', () => describeTree(make));
  describe('going over to another file', () => describeSwitching(make));
  describe('rewriting', () => describeRewriting(make));
});
