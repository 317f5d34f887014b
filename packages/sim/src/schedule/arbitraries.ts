import type { FaultId } from '@holdfast/core';
import fc from 'fast-check';
import { aftermaths } from './arbitrary-aftermath.ts';
import { inEnsembles } from './arbitrary-ensemble.ts';
import { type Circumstances, faultsOf } from './arbitrary-faults.ts';
import { FIXED_HOLD_MS_MAX, LONGER_HOLD_MS, PLAIN, TTL_MS } from './arbitrary-parts.ts';
import { rollingRestarts } from './arbitrary-rolling.ts';
import { NEEDS_REPLICA } from './fields.ts';
import type { ClientId, Fault, Op, Schedule } from './schedule.ts';

/** What schedules are made for. */
export interface Setup extends Partial<Circumstances> {
  /** Whether leases are renewed. Otherwise nobody works for longer than the ttl, or would be late without any fault. */
  readonly renews: boolean;
  /** Of the ttl, how much whoever does not renew works at most; by default as much as fits into most leases. */
  readonly fixedShare?: number;
  /** By how much the wall clocks of replicas are ahead; negative is behind. 0 by default. */
  readonly replicaClockMs?: number;
  /** Of each schedule; 2 by default. */
  readonly faultsMax?: number;
  /** Whether the last of the three opens its lock only when it comes, which is at any time. */
  readonly newcomer?: boolean;
  /** Whether the lock uses an ensemble, whose followers lag in some schedules and whose times are generated, too. */
  readonly ensemble?: boolean;
  /** Whether they do in all. */
  readonly lagging?: boolean;
  /** Whether something stays broken for good, and progress is demanded of the rest. */
  readonly aftermath?: boolean;
  /**
   * Makes leases, operations and the time between them so many times as long, while messages stay as fast: what a clock
   * gains or loses grows with the lease. For faults that have no times of their own.
   */
  readonly ttlTimes?: number;
  /** Whether, whatever the kinds, a majority restarts without its data, one after another, under one long lease. */
  readonly rolling?: boolean;
}

/** An attempt may take a tenth of the ttl: dialling, and up to three round trips, one after the other. */
const BRISK = { latencyMs: 10, holdMs: FIXED_HOLD_MS_MAX };
/** Clocks that run wrong show at the very end of a lease that nobody renews. */
const STEADY = { latencyMs: 2, holdMs: 0.95 * TTL_MS };
const LAG_MS_MAX = 50;
/** What operations are spread over, so that most of them meet. */
const SPREAD_MS = 0.4 * TTL_MS;
const OPS_MORE_MAX = 4;

/**
 * Schedules of three clients that want one key, with one or two faults of the kinds given, none for `none`. One or two
 * kinds at a time find more than all at once.
 */
export function schedulesFor(kinds: readonly FaultId[], setup: Setup): fc.Arbitrary<Schedule> {
  const { nodes = 1, renews, fixedShare, replicaClockMs = 0, faultsMax = 2, ttlTimes = 1 } = setup;
  const elements = kinds.flatMap((kind) => faultsOf(kind, { nodes, ...setup }));
  const faults: fc.Arbitrary<Fault[]> =
    elements.length === 0
      ? fc.constant([])
      : fc.array(fc.oneof(...elements), { minLength: 1, maxLength: faultsMax });
  const pace = kinds.includes('drift') ? STEADY : BRISK;
  const fixedMs = fixedShare === undefined ? pace.holdMs : Math.round(fixedShare * TTL_MS);
  const isPaired = kinds.some((kind) => kind !== 'none' && NEEDS_REPLICA.has(kind));
  const isEnsemble = setup.ensemble === true;
  const alike: fc.Arbitrary<Schedule> = fc.record(
    {
      v: fc.constant(1 as const),
      ttlMs: fc.constant(TTL_MS),
      latencyMs: fc.integer({ min: 1, max: pace.latencyMs }),
      // A schedule has an address even where the lock uses none.
      nodes: fc.constant(Math.max(1, nodes)),
      replicas: fc.constant(isPaired ? 1 : 0),
      lagMs: isPaired && !isEnsemble ? fc.integer({ min: 1, max: LAG_MS_MAX }) : fc.constant(0),
      replicaClockMs: fc.constant(isPaired ? replicaClockMs : 0),
      ops: operations(renews, fixedMs),
      faults,
    },
    PLAIN,
  );
  const usual = setup.rolling === true ? rollingRestarts(nodes) : alike;
  const quick = isEnsemble ? inEnsembles(usual, setup) : usual;
  const schedules = ttlTimes === 1 ? quick : quick.map((schedule) => longer(schedule, ttlTimes));
  if (setup.newcomer === true) return schedules.chain(withNewcomer);
  if (setup.aftermath !== true) return schedules;
  return fc
    .tuple(schedules, aftermaths(nodes))
    .map(([schedule, aftermath]) => ({ ...schedule, aftermath }));
}

function longer(schedule: Schedule, times: number): Schedule {
  const ops = schedule.ops.map((op) => {
    return { ...op, atMs: op.atMs * times, holdMs: op.holdMs * times };
  });
  return { ...schedule, ttlMs: schedule.ttlMs * times, ops };
}

/** `c` comes when most of it is going on, and knows nothing of what was before. */
function withNewcomer(schedule: Schedule): fc.Arbitrary<Schedule> {
  return fc.nat(TTL_MS / 2).map((atMs) => ({
    ...schedule,
    newcomers: 'c',
    ops: schedule.ops.map((op) => (op.client === 'c' ? { ...op, atMs: op.atMs + atMs } : op)),
  }));
}

function operations(renews: boolean, fixedMs: number): fc.Arbitrary<Op[]> {
  const of = (client: fc.Arbitrary<ClientId>): fc.Arbitrary<Omit<Op, 'id'>> =>
    renews
      ? fc.oneof(
          { arbitrary: fixed(client, fixedMs), weight: 2 },
          { arbitrary: overrun(client), weight: 1 },
          { arbitrary: renewed(client), weight: 2 },
        )
      : fixed(client, fixedMs);
  const more = fc.array(of(fc.constantFrom('a', 'b', 'c')), { maxLength: OPS_MORE_MAX });
  return fc
    .tuple(of(fc.constant('a')), of(fc.constant('b')), of(fc.constant('c')), more)
    .map(([a, b, c, rest]) => [a, b, c, ...rest].map((op, i) => ({ id: i + 1, ...op })));
}

const atMs = fc.nat(SPREAD_MS);

function fixed(client: fc.Arbitrary<ClientId>, holdMsMax: number): fc.Arbitrary<Omit<Op, 'id'>> {
  const holdMs = fc.nat(holdMsMax);
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
