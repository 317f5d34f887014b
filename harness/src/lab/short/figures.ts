import { isRedisSimple, isZk } from 'holdfast/internal';
import { median, percentile } from '../../check/index.ts';
import type { Figure } from '../../compare/report.ts';
import type { ComparedColumn } from './compared-columns.ts';
import { type RoundTrips, redisRoundTrips, zkRoundTrips } from './round-trips.ts';
import type { FaultTrialContext } from './run-fault.ts';

const UNCONTENDED_ROUNDS = 300;
/** Several spans, because the machine has other work too. */
const SPANS = 3;
const SPAN_MS = 200;

/** Measures what the locks of one column cost, apart from the takeover. */
export async function figuresOf(
  context: FaultTrialContext,
  compared: ComparedColumn,
  namespace: string,
): Promise<readonly Figure[]> {
  const { column } = context;
  const roundTrips = await roundTripsOf(compared, namespace);
  const tookMs = await uncontended(context);
  const { perS, acquisitions } = await contended(context);
  const clients = context.working.length * context.effort.waiters;
  const of = { column, how: 'measured' } as const;
  const one = { ...of, by: 'one client', samples: tookMs.length };
  const counted = { ...of, by: 'counted at the port', samples: 1 };
  const unknown = roundTrips === null ? { reason: 'not counted for this backend' } : {};
  return [
    { metric: 'acquire-round-trips', value: roundTrips?.acquire ?? null, ...counted, ...unknown },
    { metric: 'release-round-trips', value: roundTrips?.release ?? null, ...counted, ...unknown },
    { metric: 'acquire-p50-ms', value: percentile(tookMs, 0.5), ...one },
    { metric: 'acquire-p99-ms', value: percentile(tookMs, 0.99), ...one },
    {
      metric: 'contended-acquisitions-per-s',
      value: perS,
      ...of,
      by: `${clients} clients on one key`,
      samples: acquisitions,
    },
  ];
}

async function roundTripsOf(
  { server, library }: ComparedColumn,
  namespace: string,
): Promise<RoundTrips | null> {
  if (server === undefined) return { acquire: 0, release: 0 };
  const { config } = server.resolved;
  if (isZk(config)) return await zkRoundTrips(config, namespace);
  if (!isRedisSimple(config) || config.url === undefined) return null;
  return await redisRoundTrips(config.url, library, namespace);
}

async function uncontended({
  working,
  column,
  keys,
}: FaultTrialContext): Promise<readonly number[]> {
  const [client] = working;
  const key = `${keys[0] ?? ''}/uncontended`;
  const cost = { kind: 'uncontended', locks: column, key, rounds: UNCONTENDED_ROUNDS } as const;
  return (await client?.measure(cost)) ?? [];
}

/** Measures the rate under contention: the median of several spans. */
async function contended(
  context: FaultTrialContext,
): Promise<{ readonly perS: number | null; readonly acquisitions: number }> {
  const rates: number[] = [];
  let acquisitions = 0;
  for (let span = 0; span < SPANS; span++) {
    const fromMs = performance.now();
    const count = await contendedOnce(context);
    rates.push((count / (performance.now() - fromMs)) * 1_000);
    acquisitions += count;
  }
  return { perS: median(rates), acquisitions };
}

async function contendedOnce({
  working,
  column,
  keys,
  effort,
}: FaultTrialContext): Promise<number> {
  const key = `${keys[0] ?? ''}/contended`;
  const cost = {
    kind: 'contended',
    locks: column,
    key,
    waiters: effort.waiters,
    spanMs: SPAN_MS,
  } as const;
  const counts = await Promise.all(working.map((client) => client.measure(cost)));
  return counts.flat().reduce((sum, each) => sum + each, 0);
}
