import { setTimeout as sleep } from 'node:timers/promises';
import type { Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { World } from './support/world.ts';

const CALLERS = 6;
const TURNS = 5;
/** Against hanging, not a measure. */
const WAIT_MS = 60_000;

let world: World;

beforeEach(async () => {
  world = await World.start();
});
afterEach(() => world.close());

test('clients with a queue and without one exclude each other, all get their turns, and a warning says that there is no order', async () => {
  const open = async (fair: boolean): Promise<Locks> =>
    createLocks(await world.open({ source: world.server.url, fair }), createHost());
  const [fair, unfair] = [await open(true), await open(false)];
  let inside = 0;
  const most: number[] = [];
  const tokens: bigint[] = [];
  const turn = (locks: Locks): Promise<void> =>
    locks.use(
      'k',
      async ({ fencingToken = 0n }) => {
        most.push(++inside);
        tokens.push(fencingToken);
        await sleep(1);
        inside--;
      },
      { waitMs: WAIT_MS },
    );
  const queued = new Set(Array.from({ length: CALLERS }, (_, n) => n));
  const inQueue = async (n: number): Promise<void> => {
    for (let turns = 0; turns < TURNS; turns++) await turn(fair);
    queued.delete(n);
  };
  const past = async (): Promise<void> => {
    while (queued.size > 0) {
      await turn(unfair);
      // A key that is never free would not be found free twice a second.
      await sleep(2);
    }
  };

  const first = await unfair.acquire('k');
  const callers = [past(), ...Array.from(queued, inQueue)];
  await vi.waitUntil(() => world.events.some(({ type }) => type === 'warning'));
  await first.release();
  await Promise.all(callers);

  expect(most.length).toBeGreaterThan(CALLERS * TURNS);
  expect(new Set(most)).toEqual(new Set([1]));
  expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)));
  const warnings = world.events.flatMap((event) => (event.type === 'warning' ? event.code : []));
  expect(warnings).toEqual(['mixed-fairness']);
  await Promise.all([fair.close(), unfair.close()]);
});
