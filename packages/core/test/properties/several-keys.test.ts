import type { Lease } from '@holdfast/core';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { type SeveralLease, several, type TakeAll } from '../kit/several.ts';

const SCHEDULES = runs(150);

/** Several keys as people take them by hand, with one mistake. */
interface Mistake {
  readonly sorts?: boolean;
  readonly givesBack?: boolean;
  readonly watchesAll?: boolean;
}

function byHand({ sorts = true, givesBack = true, watchesAll = true }: Mistake): TakeAll {
  return async (locks, keys, options) => {
    const leases: Lease[] = [];
    const release = (): Promise<unknown> => Promise.all(leases.map((lease) => lease.release()));
    try {
      for (const key of sorts ? keys.toSorted() : keys)
        leases.push(await locks.acquire(key, options));
    } catch (error) {
      if (givesBack) await release();
      throw error;
    }
    const watched = watchesAll ? leases : leases.slice(0, 1);
    const fencingTokens = new Map(leases.map(({ key, fencingToken }) => [key, fencingToken]));
    const lease: SeveralLease = {
      fencingTokens,
      get state() {
        return watched.every(({ state }) => state === 'held') ? 'held' : 'lost';
      },
      release,
    };
    return lease;
  };
}

test(`in ${SCHEDULES} schedules every call for overlapping sets of keys settles, holds all or nothing, and excludes the others`, async () => {
  for (let seed = 0; seed < SCHEDULES; seed++) {
    const wrong = await several(seed, (locks, keys, options) => locks.acquire(keys, options));

    expect(wrong, `several(${seed})`).toEqual([]);
  }
});

test.each<[string, Mistake, RegExp]>([
  ['takes them in the order of the argument', { sorts: false }, /^not every call settled/],
  ['keeps what it took when a later one fails', { givesBack: false }, /got a timeout, and kept/],
  ['watches only the first', { watchesAll: false }, /believes to hold ., and does not/],
])('a client that %s is caught', async (_, mistake, complaint) => {
  const caught: string[] = [];
  for (let seed = 0; seed < 300 && caught.length === 0; seed++)
    caught.push(...(await several(seed, byHand(mistake))).filter((each) => complaint.test(each)));

  expect(caught).not.toEqual([]);
});
