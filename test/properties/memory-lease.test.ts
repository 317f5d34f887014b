import * as core from '@holdfast/core';
import { expect, test } from 'vitest';
import { type Played, play } from './support/play.ts';
import { calmSchedules, replayOf, type Schedule, TTL_MS } from './support/schedule.ts';
import { broken, type Found, late, search, told } from './support/search.ts';

const RUNS = 10_000;
/** Share of the schedules in which a fault has to matter, lest the property prove nothing. */
const MATTERS_MIN = 0.2;

test(`no two leases are valid at once, no late write passes the fence and nothing leaks, in ${RUNS} schedules`, async () => {
  const sometimes = { 'a lease is lost': 0, 'a client dies': 0, 'a holder is late': 0 };
  let [runs, matters] = [0, 0];
  const count = ({ history, belief, ...played }: Played): void => {
    runs++;
    if (played.matters) matters++;
    if (history.some(({ type }) => type === 'lost')) sometimes['a lease is lost']++;
    if (history.some(({ type }) => type === 'crashed')) sometimes['a client dies']++;
    if (belief.kind === 'violated') sometimes['a holder is late']++;
  };
  const objection = (played: Played): string | undefined => {
    count(played);
    return broken(played);
  };

  const found = await search(core, objection, { seed: 1, runs: RUNS });

  expect(found, told(found)).toBeUndefined();
  expect(runs).toBe(RUNS);
  expect(matters / RUNS).toBeGreaterThanOrEqual(MATTERS_MIN);
  for (const [what, times] of Object.entries(sometimes)) expect(times, what).toBeGreaterThan(0);
});

test('without a fault nobody is ever late', async () => {
  const found = await search(core, (played) => broken(played) ?? late(played), {
    seed: 2,
    runs: 2_000,
    among: calmSchedules,
  });

  expect(found, told(found)).toBeUndefined();
});

test('a pause makes a holder late: found from every seed, and shrunk to two clients and one pause', async () => {
  const all: Found[] = [];
  for (let seed = 1; seed <= 10; seed++) {
    const found = await search(core, late, { seed, runs: RUNS });
    if (found !== undefined) all.push(found);
  }
  const smallest = all.toSorted((a, b) => sizeOf(a.schedule) - sizeOf(b.schedule))[0];

  expect(all).toHaveLength(10);
  expect(smallest?.schedule.ops.map(({ client }) => client)).toEqual(['a', 'b']);
  expect(smallest?.schedule.faults).toMatchObject([{ kind: 'pause' }]);
  expect(smallest?.played.validity.kind).toBe('ok');
  console.info(`the smallest late holder: ${told(smallest)}`);
});

test('a replay, pasted from a report, plays the same history again', async () => {
  const schedule: Schedule = {
    ops: [
      { client: 'a', atMs: 0, holdMs: 300, renews: true },
      { client: 'b', atMs: 10, holdMs: 0, renews: false },
    ],
    faults: [{ kind: 'pause', client: 'a', when: { before: 'write', n: 2 }, ms: 2 * TTL_MS }],
    latencyMs: 1,
  };

  const first = await play(core, schedule);
  const again = await play(core, JSON.parse(replayOf(schedule)));

  expect(late(first)).toBe(
    'b entered k at 1004 ms while a was inside; its lease was over: it came late',
  );
  expect(again.history).toEqual(first.history);
});

test('core touches no clock, timer or chance of its own: it runs where all of them throw', async () => {
  const found = await search(core, broken, { seed: 3, runs: 300, guard: true });

  expect(found, told(found)).toBeUndefined();
});

function sizeOf({ ops, faults }: Schedule): number {
  return ops.length + faults.length;
}
