import type { Schedule } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { main } from '../../packages/holdfast/test/kit.ts';
import { formatMargins, quantilesOf } from '../src/margin/format-margins.ts';
import { hasNoEarlyGrant, type LeaseMargins } from '../src/margin/measure-margins.ts';
import { Console } from './support/console.ts';

const MEASURED: LeaseMargins = {
  schedules: 4,
  ranOut: [5, 7, 12, 20],
  endedEarly: 3,
  ttlMs: 1_000,
  violations: [],
};
const CALM: Schedule = {
  v: 1,
  ttlMs: 1_000,
  latencyMs: 1,
  nodes: 5,
  replicas: 0,
  lagMs: 0,
  replicaClockMs: 0,
  ops: [],
  faults: [],
};
const NOTHING: LeaseMargins = { ...MEASURED, ranOut: [] };

test('the margins of a lock are summarised by quantiles', () => {
  expect(quantilesOf(MEASURED)).toEqual({ least: 5, rare: 5, median: 12, common: 20, most: 20 });
  expect(quantilesOf(NOTHING)).toBeUndefined();
});

test('a row shows how many leases expired, and their margins', () => {
  const lines = formatMargins([
    { lock: 'redlock', measured: MEASURED },
    { lock: 'memory', measured: NOTHING },
  ]);

  const row = (name: string): string[] | undefined =>
    lines.find((line) => line.startsWith(name))?.split(/\s{2,}/);
  expect(row('redlock')).toEqual([
    'redlock',
    '4',
    '5.0',
    '5.0',
    '12.0',
    '20.0',
    '20.0',
    '1.2 %',
    '0',
  ]);
  expect(row('memory')).toEqual(['memory', '0', '–', '–', '–', '–', '–', '–', '0']);
});

test('the command measures the requested locks, with equal results every time', async () => {
  const runs = [new Console(), new Console()];
  for (const console of runs)
    expect(await main(['margin', 'memory', '--budget', '16', '--json'], console)).toBe(0);

  const [first, second] = runs;
  expect(first?.out).toBe(second?.out);
  expect(JSON.parse(first?.out ?? '')).toMatchObject([
    { lock: 'memory', schedules: 16, ttlMs: 1_000, violations: [] },
  ]);
});

test('an early grant is a failure, except of a lock without that promise', () => {
  const measured = {
    ...MEASURED,
    violations: [{ message: 'the servers were first', schedule: CALM }],
  };

  expect(hasNoEarlyGrant({ lock: 'redlock', measured: MEASURED })).toBe(true);
  expect(hasNoEarlyGrant({ lock: 'redlock', measured })).toBe(false);
  expect(hasNoEarlyGrant({ lock: 'redis-getset', measured })).toBe(true);
});

test('a lock that cannot be measured is wrong usage', async () => {
  const console = new Console();

  expect(await main(['margin', 'redlok'], console)).toBe(2);
  expect(console.err).toContain('no safety margin of "redlok" can be measured');
});
