import { openLocks } from 'holdfast/internal';
import { percentile } from '../check/index.ts';
import { contendedCount, uncontendedMs } from './cost.ts';
import type { Figure } from './report.ts';

const ROUNDS = 2_000;
const WAITERS = 16;
const SPAN_MS = 300;

/** What a lock within this process costs, measured right here: there is no server to reach. */
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
