import type { Locks } from '@holdfast/core';

/** The first rounds of a process are spent on compiling. */
const WARM_UP = 50;

/** How long each of `rounds` uncontended acquisitions of `key` took, in ms. */
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

/** How often `waiters` on one key get it within `spanMs`, holding it for nothing. */
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
