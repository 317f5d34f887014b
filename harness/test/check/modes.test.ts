import type { HistoryEvent, HoldMode } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { belief, mutualExclusion } from '../../src/check/index.ts';

const SHARED: HoldMode = { kind: 'shared' };
const permits = (count: number, of: number): HoldMode => ({ kind: 'permits', permits: count, of });

/** Holds from one time until another; each is valid, and believed in, for exactly so long. */
function history(...holds: readonly (readonly [number, number, HoldMode?])[]): HistoryEvent[] {
  const events = holds.flatMap(([fromMs, untilMs, mode], i): HistoryEvent[] => {
    const of = { seq: 0, client: `c${i}`, key: 'k', hold: `h${i}` };
    return [
      { ...of, atMs: fromMs, type: 'acquire' },
      { ...of, atMs: fromMs, type: 'granted', validUntilMs: untilMs + 100, ...(mode && { mode }) },
      { ...of, atMs: fromMs, type: 'enter' },
      { ...of, atMs: untilMs, type: 'exit' },
      { ...of, atMs: untilMs, type: 'release' },
    ];
  });
  return events.toSorted((a, b) => a.atMs - b.atMs).map((event, seq) => ({ ...event, seq }));
}

const kinds = (events: readonly HistoryEvent[]): readonly string[] => [
  mutualExclusion(events).kind,
  belief(events).kind,
];
const OK = ['ok', 'ok'];
const VIOLATED = ['violated', 'violated'];

test('readers may overlap each other, and no other holder', () => {
  expect(kinds(history([0, 10, SHARED], [5, 15, SHARED], [15, 20]))).toEqual(OK);
  expect(kinds(history([0, 10, SHARED], [5, 15, SHARED], [12, 20]))).toEqual(VIOLATED);
  expect(kinds(history([0, 10], [5, 15, SHARED]))).toEqual(VIOLATED);
  expect(kinds(history([0, 30, SHARED], [5, 6, SHARED], [12, 20]))).toEqual(VIOLATED);
  expect(kinds(history([0, 10, SHARED], [5, 15, { kind: 'exclusive' }]))).toEqual(VIOLATED);
  expect(kinds(history([0, 10, SHARED], [5, 15, permits(1, 2)]))).toEqual(VIOLATED);
});

test('at most so many permits are valid at once, by the smallest number that a holder knows of', () => {
  const [one, two] = [permits(1, 3), permits(2, 3)];
  expect(kinds(history([0, 10, two], [0, 10, one], [10, 20, one]))).toEqual(OK);
  expect(kinds(history([0, 10, two], [0, 10, one], [9, 20, one]))).toEqual(VIOLATED);
  expect(kinds(history([0, 10, one], [0, 10, permits(1, 1)]))).toEqual(VIOLATED);
  expect(kinds(history([0, 10, one], [10, 20, permits(1, 1)]))).toEqual(OK);
});
