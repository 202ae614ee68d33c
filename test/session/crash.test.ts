import { expect, test } from 'vitest';
import { crash } from '../../bench/crash.ts';

test('a writer killed at any moment leaves every acknowledged entry, and files that others go on with', async () => {
  const { acknowledged, lost, faults, rounds, tornTails } = await crash(6);
  expect({ rounds, lost, faults }).toEqual({ rounds: 6, lost: 0, faults: [] });
  expect(acknowledged).toBeGreaterThan(6);
  expect(tornTails).toBeGreaterThan(0);
}, 60_000);
