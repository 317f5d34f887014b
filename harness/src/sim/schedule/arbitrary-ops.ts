import fc from 'fast-check';
import { BRIEF_MS, LONGER_HOLD_MS, PLAIN, TTL_MS } from './arbitrary-parts.ts';
import type { ClientId, Op } from './schedule.ts';

/** The span over which operations are spread, so that most of them meet. */
const SPREAD_MS = 0.4 * TTL_MS;
const OPS_MORE_MAX = 4;
/** So many operations, in few schedules, that a client waits through ten holds of others. */
const OPS_LONG = { minLength: 10, maxLength: 24 };
const LONG_ONE_IN = 48;
/** A hold, in some schedules, through which one lease is renewed ten times; the last waiter still does not give up. */
const LONG_HOLD_MS = 4 * TTL_MS;
const LONG_HOLD_ONE_IN = 12;

/** The work of clients. */
interface Workload {
  readonly renews: boolean;
  /** True if some clients work until the end of the lease is reported. */
  readonly overruns: boolean;
}

/**
 * Generates at least one operation of each of three clients, mostly a few more. Some hold for long, and few schedules
 * are long.
 */
export function operations(fixedMs: number, { renews, overruns }: Workload): fc.Arbitrary<Op[]> {
  const of = (client: fc.Arbitrary<ClientId>): fc.Arbitrary<Omit<Op, 'id'>> =>
    fc.oneof(
      { arbitrary: fixed(client, fixedMs), weight: 2 },
      { arbitrary: overrun(client), weight: overruns ? 1 : 0 },
      { arbitrary: renewed(client), weight: renews ? 2 : 0 },
    );
  const any = fc.constantFrom('a', 'b', 'c');
  const more = fc.oneof(
    { arbitrary: fc.array(of(any), { maxLength: OPS_MORE_MAX }), weight: LONG_ONE_IN - 1 },
    { arbitrary: fc.array(fixed(any, BRIEF_MS), OPS_LONG), weight: 1 },
  );
  return fc
    .tuple(of(fc.constant('a')), of(fc.constant('b')), of(fc.constant('c')), more, longHoldMs)
    .map(([a, b, c, rest, holdMs]) =>
      [a, b, c, ...rest].map((op, i) => ({
        id: i + 1,
        ...op,
        ...(i === 0 && op.renews ? { holdMs: Math.max(holdMs, op.holdMs) } : {}),
      })),
    );
}

const longHoldMs = fc.oneof(
  { arbitrary: fc.constant(0), weight: LONG_HOLD_ONE_IN - 1 },
  { arbitrary: fc.nat(LONG_HOLD_MS), weight: 1 },
);
const atMs = fc.nat(SPREAD_MS);

function fixed(client: fc.Arbitrary<ClientId>, holdMsMax: number): fc.Arbitrary<Omit<Op, 'id'>> {
  const holdMs = fc.oneof(
    { arbitrary: fc.nat(holdMsMax), weight: 3 },
    { arbitrary: fc.nat(Math.min(BRIEF_MS, holdMsMax)), weight: 1 },
  );
  return fc.record({ client, atMs, holdMs, renews: fc.constant(false) }, PLAIN);
}

/** Works until the end of its lease is reported: this shows a lease that counts on more time than it has. */
function overrun(client: fc.Arbitrary<ClientId>): fc.Arbitrary<Omit<Op, 'id'>> {
  const holdMs = fc.integer({ min: TTL_MS, max: LONGER_HOLD_MS });
  return fc.record({ client, atMs, holdMs, renews: fc.constant(false) }, PLAIN);
}

function renewed(client: fc.Arbitrary<ClientId>): fc.Arbitrary<Omit<Op, 'id'>> {
  const holdMs = fc.nat(LONGER_HOLD_MS);
  return fc.record({ client, atMs, holdMs, renews: fc.constant(true) }, PLAIN);
}
