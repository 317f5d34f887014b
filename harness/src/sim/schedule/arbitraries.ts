import type { FaultId } from '@holdfast/core/backend';
import fc from 'fast-check';
import { random } from '../random.ts';
import {
  aftermaths,
  withAttempts,
  withCollector,
  withGivingUp,
  withNewcomer,
  withRepointings,
  withShutdown,
} from './arbitrary-additions.ts';
import { inEnsembles } from './arbitrary-ensemble.ts';
import { operations } from './arbitrary-ops.ts';
import { type Circumstances, FIXED_HOLD_MS_MAX, PLAIN, TTL_MS } from './arbitrary-parts.ts';
import type { FaultRegistry, FaultUnderTest } from './fault.ts';
import type { Fault, Schedule } from './schedule.ts';

/** The lock and the circumstances that schedules are generated for. */
export interface Setup extends Partial<Circumstances> {
  /**
   * True if leases are renewed. Otherwise no client works for longer than the ttl, since it would be late without any
   * fault.
   */
  readonly renews: boolean;
  /** Longest work without renewal, as a share of the ttl; by default as much as fits into most leases. */
  readonly fixedShare?: number;
  /** True if some clients work until the loss is reported although they do not renew; only if messages are late. */
  readonly overruns?: boolean;
  /** Lead of the replicas' wall clocks; negative is behind. 0 by default. */
  readonly replicaClockMs?: number;
  /** Most faults of a schedule. By default 2, or the number that the faults themselves set, as `lost-reply` does. */
  readonly faultsMax?: number;
  /** True if the last of the three clients opens its lock only at its first operation, which comes at any time. */
  readonly newcomer?: boolean;
  /** True if followers lag in all schedules. */
  readonly lagging?: boolean;
  /** True if some nodes or clients stay broken, and the rest must make progress. */
  readonly aftermath?: boolean;
  /**
   * Makes leases, operations and the time between them so many times as long, while messages stay as fast. The gain
   * or loss of a clock grows with the lease. For faults that have no times of their own.
   */
  readonly ttlTimes?: number;
  /**
   * True if one schedule in four has one node fewer, if three are left: half of an even number of nodes is no
   * majority.
   */
  readonly fewer?: boolean;
  /** True if one client closes its locks at any moment, also in the middle of an operation. */
  readonly shutdown?: boolean;
  /** True if one client keeps nothing of its lease but a listener, and its collector runs at any moment. */
  readonly collector?: boolean;
  /** True if addresses of nodes lead to the server of another node for a while. */
  readonly repointed?: boolean;
  /** True if most clients give up waiting before they are served, or even before any reply. */
  readonly givingUp?: boolean;
}

/** The usual latency between servers of one ensemble. */
const near = fc.integer({ min: 1, max: 3 });
/** An attempt may take a tenth of the ttl: dialling, and up to three round trips, one after the other. */
const BRISK = { latencyMs: 10, holdMs: FIXED_HOLD_MS_MAX };
const STEADY = { latencyMs: 2, holdMs: 0.95 * TTL_MS };
const LAG_MS_MAX = 50;
const FAULTS_MAX = 2;
const LAGGING_IN_SIX = 2;
/** With fewer nodes no majority could do without one. */
const NODES_MIN = 3;

/**
 * Generates schedules of three clients that want one key, with one to three faults of the given kinds; none for
 * `none`. One or two kinds at a time find more than all at once.
 */
export function schedulesFor(
  registry: FaultRegistry,
  ids: readonly FaultId[],
  setup: Setup,
): fc.Arbitrary<Schedule> {
  const kinds = registry.select(ids);
  const { fewer = false, ...exact } = setup;
  const nodes = (setup.nodes ?? 1) - 1;
  if (!fewer || nodes < NODES_MIN) return schedulesOn(kinds, exact);
  return fc.oneof(
    { arbitrary: schedulesOn(kinds, exact), weight: 3 },
    { arbitrary: schedulesOn(kinds, { ...exact, nodes }), weight: 1 },
  );
}

function schedulesOn(kinds: readonly FaultUnderTest[], setup: Setup): fc.Arbitrary<Schedule> {
  const {
    nodes = 1,
    renews,
    overruns = false,
    fixedShare,
    replicaClockMs = 0,
    faultsMax = faultsMaxOf(kinds),
    ttlTimes = 1,
  } = setup;
  const elements = kinds.map((kind) => kind.generate({ nodes, ...setup }));
  const faults = faultsAmong(elements, faultsMax);
  const pace = kinds.some(({ generation }) => generation?.holdsToTheEnd) ? STEADY : BRISK;
  const fixedMs = fixedShare === undefined ? pace.holdMs : Math.round(fixedShare * TTL_MS);
  const latencyMs = fc.integer({ min: 1, max: pace.latencyMs });
  const isPaired = kinds.some(({ needs }) => needs === 'replicas');
  const isEnsemble = setup.ensemble === true;
  const alike: fc.Arbitrary<Schedule> = fc.record(
    {
      v: fc.constant(1 as const),
      ttlMs: fc.constant(TTL_MS),
      latencyMs: isEnsemble ? fc.oneof(near, latencyMs) : latencyMs,
      // A schedule has an address even if the lock uses none.
      nodes: fc.constant(Math.max(1, nodes)),
      replicas: fc.constant(isPaired ? 1 : 0),
      lagMs: isPaired && !isEnsemble ? fc.integer({ min: 1, max: LAG_MS_MAX }) : fc.constant(0),
      replicaClockMs: fc.constant(isPaired ? replicaClockMs : 0),
      ops: operations(fixedMs, {
        renews,
        overruns: renews || (overruns && kinds.some(({ onlyDelays }) => onlyDelays)),
      }),
      faults,
    },
    PLAIN,
  );
  const [first] = kinds;
  const { variation } = setup;
  const own = variation === undefined ? undefined : first?.generatedAs?.(variation, nodes);
  const usual = own ?? alike;
  const isRedis = nodes > 0 && !isEnsemble;
  const timed = isRedis ? withAttempts(usual) : usual;
  const alone = isEnsemble ? inEnsembles(timed, laggingInSix(kinds, setup)) : timed;
  const quick = drawnTogether(alone, kinds, { nodes, ...setup });
  const paced = ttlTimes === 1 ? quick : quick.map((schedule) => longer(schedule, ttlTimes));
  const schedules = setup.repointed === true ? paced.chain(withRepointings) : paced;
  if (setup.newcomer === true) return schedules.chain(withNewcomer);
  if (setup.shutdown === true) return schedules.chain(withShutdown);
  if (setup.collector === true) return schedules.chain(withCollector);
  if (setup.givingUp === true) return schedules.chain(withGivingUp);
  if (setup.aftermath !== true) return schedules;
  return fc
    .tuple(schedules, aftermaths(nodes))
    .map(([schedule, aftermath]) => ({ ...schedule, aftermath }));
}

/** Lets each of two faults change the schedules that they share. */
function drawnTogether(
  schedules: fc.Arbitrary<Schedule>,
  [one, other, ...more]: readonly FaultUnderTest[],
  circumstances: Circumstances,
): fc.Arbitrary<Schedule> {
  if (one === undefined || other === undefined || more.length > 0) return schedules;
  const drawn = one.generateBeside?.(schedules, other, circumstances) ?? schedules;
  return other.generateBeside?.(drawn, one, circumstances) ?? drawn;
}

/** The smallest of the limits that the faults set. */
function faultsMaxOf(kinds: readonly FaultUnderTest[]): number {
  return Math.min(...kinds.map(({ generation }) => generation?.faultsMax ?? FAULTS_MAX));
}

/**
 * Half of the schedules with two kinds have one fault of each: a violation that takes both is rare among faults of
 * either.
 */
function faultsAmong(
  elements: readonly fc.Arbitrary<Fault>[],
  faultsMax: number,
): fc.Arbitrary<Fault[]> {
  const [one, other, ...more] = elements;
  if (one === undefined) return fc.constant([]);
  const any = fc.array(fc.oneof(...elements), { minLength: 1, maxLength: faultsMax });
  if (other === undefined || more.length > 0 || faultsMax < 2) return any;
  return fc.oneof(any, fc.tuple(one, other));
}

function longer(schedule: Schedule, times: number): Schedule {
  const ops = schedule.ops.map((op) => {
    return { ...op, atMs: op.atMs * times, holdMs: op.holdMs * times };
  });
  return { ...schedule, ttlMs: schedule.ttlMs * times, ops };
}

function laggingInSix(kinds: readonly FaultUnderTest[], { lagging = false }: Setup): number {
  if (lagging) return 6;
  return Math.max(LAGGING_IN_SIX, ...kinds.map(({ generation }) => generation?.laggingInSix ?? 0));
}

/** Schedules drawn at once, so that a search of any length keeps no more than these. */
export const BATCH = 64;

/**
 * Returns the `n`-th batch of a seed. The schedules are the same in whatever order, and by whichever worker, batches
 * are played.
 */
export function batchOf(
  schedules: fc.Arbitrary<Schedule>,
  seed: number,
  n: number,
): readonly Schedule[] {
  const mixed = random(`${seed}/${n}`).below(2 ** 31);
  return fc.sample(schedules, { seed: mixed, numRuns: BATCH });
}
