import fc from 'fast-check';
import { PLAIN, TTL_MS } from './arbitrary-parts.ts';
import type { EnsembleSetup, Schedule } from './schedule.ts';

/**
 * Long enough for a client to lose one server, find the next one, and be answered by it before it has caught up. More
 * than T/10 to the leader and back, and nobody gets a lease that lasts: see docs/backends/zk.md.
 */
const LAG_MS_MAX = 50;
/** A container is empty for a few messages only, between one queue and the next; a leader that looks often sees it. */
const REAP_MS = { min: 20, max: TTL_MS };

const lagMs = fc.integer({ min: 1, max: LAG_MS_MAX });
const lagMsMaybe = fc.oneof(
  { arbitrary: fc.constant(0), weight: 2 },
  { arbitrary: lagMs, weight: 1 },
);

/** A follower that is cut off goes on answering for `syncLimit` ticks: so many times a session's timeout, or less. */
const SILENT_TS_MAX = 2.5;

const ensemble: fc.Arbitrary<EnsembleSetup> = fc.constantFrom(2, 2, 4, 5, 10).chain((ticks) =>
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

/** Most of them in an ensemble as usual, and unless all are to, in few of them followers lag: other things become rarer. */
export function inEnsembles(
  schedules: fc.Arbitrary<Schedule>,
  { lagging = false }: { readonly lagging?: boolean },
): fc.Arbitrary<Schedule> {
  const unusual = fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 2 },
    { arbitrary: ensemble, weight: 1 },
  );
  return fc
    .tuple(schedules, lagging ? lagMs : lagMsMaybe, unusual)
    .map(([schedule, lag, setup]) =>
      setup === undefined
        ? { ...schedule, lagMs: lag }
        : { ...schedule, lagMs: lag, ensemble: setup },
    );
}
