import type { Locks } from '@holdfast/core';
import { openLocks } from 'holdfast/internal';
import { percentile } from '../check/index.ts';
import type { Figure } from './report.ts';

/** Rounds that are not counted, because the process still compiles code. */
const WARM_UP = 50;
/** The rounds for a lock within this process. */
const ROUNDS = 2_000;
const WAITERS = 16;
const SPAN_MS = 300;

/** The times of `rounds` uncontended acquisitions of `key`, in ms. */
export async function uncontendedMs(
  locks: Locks,
  key: string,
  rounds: number,
): Promise<readonly number[]> {
  const tookMs: number[] = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const fromMs = performance.now();
    const lease = await locks.acquire(key);
    if (round >= 0) tookMs.push(performance.now() - fromMs);
    await lease.release();
  }
  return tookMs;
}

/** The number of acquisitions of one key by `waiters` clients within `spanMs`; each releases at once. */
export async function contendedCount(
  locks: Locks,
  key: string,
  waiters: number,
  spanMs: number,
): Promise<number> {
  const fromMs = performance.now();
  let acquisitions = 0;
  const waiter = async (): Promise<void> => {
    while (performance.now() - fromMs < spanMs) {
      await locks.use(key, () => {
        acquisitions++;
      });
    }
  };
  await Promise.all(Array.from({ length: waiters }, waiter));
  return acquisitions;
}

/** Measures the costs of a lock within this process, which needs no server. */
export async function embeddedCost(column: string): Promise<readonly Figure[]> {
  await using locks = await openLocks({ backend: column });
  const tookMs = await uncontendedMs(locks, 'uncontended', ROUNDS);
  const acquisitions = await contendedCount(locks, 'contended', WAITERS, SPAN_MS);
  const where = { column, how: 'measured', by: 'one client' } as const;
  const counted = { ...where, by: 'there is no server', samples: 1 };
  const sampled = { ...where, samples: tookMs.length };
  return [
    { metric: 'acquire-round-trips', value: 0, ...counted },
    { metric: 'release-round-trips', value: 0, ...counted },
    { metric: 'acquire-p50-ms', value: percentile(tookMs, 0.5), ...sampled },
    { metric: 'acquire-p99-ms', value: percentile(tookMs, 0.99), ...sampled },
    {
      metric: 'contended-acquisitions-per-s',
      value: (acquisitions / SPAN_MS) * 1_000,
      ...where,
      by: `${WAITERS} clients on one key`,
      samples: acquisitions,
    },
  ];
}
