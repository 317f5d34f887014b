import fc from 'fast-check';
import { PLAIN, TTL_MS } from './arbitrary-parts.ts';
import type { EnsembleSetup, Schedule } from './schedule.ts';

/**
 * Long enough for a client to lose one server, find the next one, and get a reply from it before it has caught up.
 * With more than T/10 to the leader and back, no client gets a lease that lasts: see docs/backends/zk.md.
 */
const LAG_MS_MAX = 50;
/** A container is empty for a few messages only, between one queue and the next; a leader that checks often sees it. */
const REAP_MS = { min: 20, max: TTL_MS };

/** Half of the lags are so long that a client which lost its server finds the next one before that has caught up. */
const lagMs = fc.oneof(
  fc.integer({ min: 1, max: LAG_MS_MAX }),
  fc.integer({ min: 0.8 * LAG_MS_MAX, max: LAG_MS_MAX }),
);

/** A follower that is cut off still replies for `syncLimit` ticks: at most so many times a session's timeout. */
const SILENT_TS_MAX = 2.5;

/** Ensembles with unusual times: how often leaders and followers hear of each other depends on the tick. */
export const ensembles: fc.Arbitrary<EnsembleSetup> = fc
  .constantFrom(2, 2, 4, 5, 10)
  .chain((ticks) =>
    fc.record(
      {
        ticks: fc.constant(ticks),
        syncLimit: fc.oneof(
          { arbitrary: fc.constant(Math.floor(SILENT_TS_MAX * ticks)), weight: 3 },
          { arbitrary: fc.integer({ min: 2, max: Math.floor(SILENT_TS_MAX * ticks) }), weight: 1 },
        ),
        reapMs: fc.integer(REAP_MS),
      },
      PLAIN,
    ),
  );

/**
 * Puts schedules in an ensemble, most of them in a usual one. Followers lag in `laggingInSix` of six, since lag makes
 * other states rarer.
 */
export function inEnsembles(
  schedules: fc.Arbitrary<Schedule>,
  laggingInSix: number,
): fc.Arbitrary<Schedule> {
  const lag = fc.oneof(
    { arbitrary: fc.constant(0), weight: 6 - laggingInSix },
    { arbitrary: lagMs, weight: laggingInSix },
  );
  const unusual = fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 2 },
    { arbitrary: ensembles, weight: 1 },
  );
  return fc
    .tuple(schedules, lag, unusual)
    .map(([schedule, ms, setup]) =>
      setup === undefined
        ? { ...schedule, lagMs: ms }
        : { ...schedule, lagMs: ms, ensemble: setup },
    );
}
