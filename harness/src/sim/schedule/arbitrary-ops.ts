import fc from 'fast-check';
import { BRIEF_MS, LONGER_HOLD_MS, PLAIN, TTL_MS } from './arbitrary-parts.ts';
import type { ClientId, Op } from './schedule.ts';

/** What operations are spread over, so that most of them meet. */
const SPREAD_MS = 0.4 * TTL_MS;
const OPS_MORE_MAX = 4;
/** In few schedules so many that somebody waits through ten holds of others. */
const OPS_LONG = { minLength: 10, maxLength: 24 };
const LONG_ONE_IN = 48;
/** In some one lease is renewed ten times; whoever waits last still has the patience. */
const LONG_HOLD_MS = 4 * TTL_MS;
const LONG_HOLD_ONE_IN = 12;

/** Who works, and for how long. */
interface Workload {
  readonly renews: boolean;
  /** Whether some work until they are told that it is over. */
  readonly overruns: boolean;
}

/** One operation of each of three clients at least, mostly a few more; some work long, and few schedules are long. */
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

/** Works on until it is told that its lease is over: what shows a lease that counts on more time than it has. */
function overrun(client: fc.Arbitrary<ClientId>): fc.Arbitrary<Omit<Op, 'id'>> {
  const holdMs = fc.integer({ min: TTL_MS, max: LONGER_HOLD_MS });
  return fc.record({ client, atMs, holdMs, renews: fc.constant(false) }, PLAIN);
}

function renewed(client: fc.Arbitrary<ClientId>): fc.Arbitrary<Omit<Op, 'id'>> {
  const holdMs = fc.nat(LONGER_HOLD_MS);
  return fc.record({ client, atMs, holdMs, renews: fc.constant(true) }, PLAIN);
}
