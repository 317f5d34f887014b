import type { Opened } from '../candidate.ts';

/** Pairs of acquire and release that nobody contends, a number of them in flight at once. */
export interface Workload {
  readonly inFlight: number;
  /** Runs one batch and resolves to the number of pairs. */
  run(opened: Opened): Promise<number>;
}

const IN_FLIGHT = [1, 16, 64, 256, 1_024, 4_096] as const;
const PAIRS_MIN = 2_048;
/** One after another, each pair waits for two replies. */
const PAIRS_ALONE = 512;

export const WORKLOADS: readonly Workload[] = IN_FLIGHT.map((inFlight) => {
  const pairs = inFlight === 1 ? PAIRS_ALONE : Math.max(PAIRS_MIN, 2 * inFlight);
  return {
    inFlight,
    async run(opened) {
      const caller = async (key: number): Promise<void> => {
        for (let i = 0; i < pairs / inFlight; i++) await pair(opened, key);
      };
      await Promise.all(Array.from({ length: inFlight }, (_, key) => caller(key)));
      return pairs;
    },
  };
});

async function pair(opened: Opened, key: number): Promise<void> {
  const unlock = await opened.acquire(`orders/${key}`);
  if (unlock === undefined) throw new Error(`orders/${key} is taken, although nobody holds it`);
  await unlock();
}
