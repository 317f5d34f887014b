import { expect, test } from 'vitest';
import { availabilityTimeline } from '../../src/lab/evaluation/availability-timeline.ts';
import type { JudgedTrial } from '../../src/lab/evaluation/figures.ts';
import { cellOf, judgedTrial } from './support/trials.ts';

/** A trial after whose fault the one client is granted its key at these times only. */
function servedAt(...atMs: readonly number[]): JudgedTrial {
  const { record, judged } = judgedTrial({ unavailableMs: [Math.max(...atMs.map(silenceBefore))] });
  const samples = atMs.map((each) => ({ atMs: each - 1, tookMs: 1, ok: true }));
  return { judged, record: { ...record, healthy: [{ client: 'p2', samples }] } };
}

function silenceBefore(atMs: number, index: number, all: readonly number[]): number {
  return atMs <= 0 ? 0 : atMs - Math.max(0, all[index - 1] ?? 0);
}

test('the trial with the median outage is drawn, whatever their order', () => {
  const [short, middle, long] = [servedAt(10, 20), servedAt(50, 350), servedAt(650)];
  const never = judgedTrial({ unavailableMs: [null] });

  expect(availabilityTimeline([long, never, short, middle]).silence).toEqual({
    fromMs: 50,
    untilMs: 350,
    ended: true,
  });
  expect(availabilityTimeline([long, middle, short]).outageMs).toBe(300);
});

test('acquisitions are counted in steps of 100 ms, one of which begins with the fault', () => {
  const course = availabilityTimeline([servedAt(-290, -150, -101, 5, 99, 100, 650)]);

  // From -300 on, where all were at work, to 700.
  expect(course.rate).toEqual({
    fromMs: -300,
    stepMs: 100,
    granted: [1, 2, 0, 2, 1, 0, 0, 0, 0, 1],
  });
  expect(course).toMatchObject({ fromMs: -300, healedMs: 400, untilMs: 700 });
});

test('what was refused is no acquisition, and what began in a broken step is left out', () => {
  const { record, judged } = servedAt(-340, 30);
  const healthy = [
    {
      client: 'p2',
      samples: [...(record.healthy[0]?.samples ?? []), { atMs: 40, tookMs: 5, ok: false }],
    },
  ];
  const odd = { judged, record: { ...record, fromMs: -350, healthy } };

  expect(availabilityTimeline([odd]).rate).toMatchObject({
    fromMs: -300,
    granted: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0],
  });
});

test('a client that was never served again is silent to the end', () => {
  const { record } = servedAt(-10);
  const judged = judgedTrial({ unavailableMs: [null] }).judged;

  expect(availabilityTimeline([{ record, judged }])).toMatchObject({
    outageMs: 700,
    silence: { fromMs: 0, untilMs: 700, ended: false },
  });
});

test('a trial that left no client to be served says nothing of outages', () => {
  const { figures } = cellOf([
    judgedTrial({ unavailableMs: [] }),
    judgedTrial({ unavailableMs: [30, 40] }),
  ]);

  expect(figures?.outageMs).toMatchObject({ samples: 1, median: 40 });
});
