import { expect, it } from 'vitest';
import { age } from '../../src/model/age.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

it.each([
  [59_999, 'now'],
  [-5 * DAY, 'now'],
  [MINUTE, '1m'],
  [59 * MINUTE, '59m'],
  [23 * 60 * MINUTE, '23h'],
  [6 * DAY, '6d'],
  [59 * DAY, '8w'],
  [60 * DAY, '2mo'],
  [364 * DAY, '12mo'],
  [365 * DAY, '1y'],
  [1e15, '99y'],
  [Number.NaN, ''],
])('%d ms ago is %s', (passedMs, text) => {
  expect(age(0, passedMs)).toBe(text);
});
