import { expect, test } from 'vitest';
import { EmbeddedStage } from '../src/compare/embedded-stage.ts';
import { COLUMNS } from '../src/compare/notation.ts';
import { playSchedule } from '../src/compare/play-schedule.ts';
import { scheduleOf, TTL_MS } from '../src/compare/schedule.ts';

const stage = new EmbeddedStage({ seed: 7, schedules: 60 });
const { memory, 'no-lock': noLock } = COLUMNS;

test('without a lock updates are lost, under every fault', async () => {
  for (const fault of stage.head.faults) {
    const { outcome, evidence } = await stage.cell(fault, noLock);

    expect([fault, outcome]).toEqual([fault, 'breaks']);
    expect(evidence?.unfenced.lost).toBeGreaterThan(60);
  }
});

test('under contention and under a crash memory loses nothing', async () => {
  for (const fault of ['none', 'holder-crash'] as const) {
    const { outcome, evidence } = await stage.cell(fault, memory);

    expect([fault, outcome]).toEqual([fault, 'holds']);
    expect(evidence).toMatchObject({ validityViolated: 0, beliefViolated: 0 });
    expect(evidence?.unfenced.lost).toBe(0);
  }
});

test('under a pause the lock keeps its word, the holder is late, and only the fence saves the counter', async () => {
  const { outcome, fenced, evidence } = await stage.cell('pause', memory);

  expect([outcome, fenced]).toEqual(['late', 'holds']);
  expect(evidence?.validityViolated).toBe(0);
  expect(evidence?.beliefViolated).toBeGreaterThan(0);
  expect(evidence?.unfenced.lost).toBeGreaterThan(0);
  expect(evidence?.fenced?.refused).toBeGreaterThan(0);
  expect(evidence?.fenced?.lost).toBe(0);
});

test('a crashed holder is followed after about its ttl, in virtual time', async () => {
  await stage.cell('holder-crash', memory);
  const figures = await stage.figures(memory);
  const takeover = figures.find(({ metric }) => metric === 'takeover-ms');

  expect(takeover).toMatchObject({ how: 'simulated', column: 'memory' });
  expect(takeover?.value).toBeGreaterThan(TTL_MS / 2);
  expect(takeover?.value).toBeLessThanOrEqual(TTL_MS + 50);
});

test('a seed plays the same schedules with the same outcome; another seed plays others', async () => {
  const again = await new EmbeddedStage({ seed: 7, schedules: 60 }).cell('pause', memory);
  const other = await new EmbeddedStage({ seed: 8, schedules: 60 }).cell('pause', memory);

  expect(again).toEqual(await stage.cell('pause', memory));
  expect(other.evidence?.unfenced).not.toEqual(again.evidence?.unfenced);
});

test('the same schedule gives the same history', async () => {
  const schedule = scheduleOf(1, 'pause', 3);
  const options = { isLocked: true, fatal: false, seed: 3 };

  expect(await playSchedule(schedule, options)).toEqual(await playSchedule(schedule, options));
});
