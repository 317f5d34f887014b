import type { FaultId } from '@holdfast/core';
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

/** What schedules are made for. */
export interface Setup extends Partial<Circumstances> {
  /** Whether leases are renewed. Otherwise nobody works for longer than the ttl, or would be late without any fault. */
  readonly renews: boolean;
  /** Of the ttl, how much whoever does not renew works at most; by default as much as fits into most leases. */
  readonly fixedShare?: number;
  /** Whether some work until they are told to stop although nobody renews; only where messages are late. */
  readonly overruns?: boolean;
  /** By how much the wall clocks of replicas are ahead; negative is behind. 0 by default. */
  readonly replicaClockMs?: number;
  /** Of each schedule; 2 by default, and 3 where they are no more than lost replies. */
  readonly faultsMax?: number;
  /** Whether the last of the three opens its lock only when it comes, which is at any time. */
  readonly newcomer?: boolean;
  /** Whether they do in all. */
  readonly lagging?: boolean;
  /** Whether something stays broken for good, and progress is demanded of the rest. */
  readonly aftermath?: boolean;
  /**
   * Makes leases, operations and the time between them so many times as long, while messages stay as fast: what a clock
   * gains or loses grows with the lease. For faults that have no times of their own.
   */
  readonly ttlTimes?: number;
  /** Whether one in four has a node less, where three are left: half of an even number of nodes are no majority. */
  readonly fewer?: boolean;
  /** Whether one of them closes its locks at any moment, in the middle of what it does. */
  readonly shutdown?: boolean;
  /** Whether one of them keeps nothing of its lease but a listener, and its collector runs at any moment. */
  readonly collector?: boolean;
  /** Whether addresses of nodes lead to the server of another for a while. */
  readonly repointed?: boolean;
  /** Whether most of them give up waiting before they are served, or even before anybody has answered. */
  readonly givingUp?: boolean;
}

/** As close as servers of one ensemble mostly are. */
const near = fc.integer({ min: 1, max: 3 });
/** An attempt may take a tenth of the ttl: dialling, and up to three round trips, one after the other. */
const BRISK = { latencyMs: 10, holdMs: FIXED_HOLD_MS_MAX };
const STEADY = { latencyMs: 2, holdMs: 0.95 * TTL_MS };
const LAG_MS_MAX = 50;
const FAULTS_MAX = 2;
const LAGGING_IN_SIX = 2;
/** With fewer nodes there is no majority that could do without one. */
const NODES_MIN = 3;

/**
 * Schedules of three clients that want one key, with one to three faults of the kinds given, none for `none`. One or two
 * kinds at a time find more than all at once.
 */
export function schedulesFor(
  book: FaultRegistry,
  ids: readonly FaultId[],
  setup: Setup,
): fc.Arbitrary<Schedule> {
  const kinds = book.select(ids);
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
      // A schedule has an address even where the lock uses none.
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

/** Where there are two kinds, as either of them has it. */
function drawnTogether(
  schedules: fc.Arbitrary<Schedule>,
  [one, other, ...more]: readonly FaultUnderTest[],
  circumstances: Circumstances,
): fc.Arbitrary<Schedule> {
  if (one === undefined || other === undefined || more.length > 0) return schedules;
  const drawn = one.generateBeside?.(schedules, other, circumstances) ?? schedules;
  return other.generateBeside?.(drawn, one, circumstances) ?? drawn;
}

/** As many as all of them allow. */
function faultsMaxOf(kinds: readonly FaultUnderTest[]): number {
  return Math.min(...kinds.map(({ generation }) => generation?.faultsMax ?? FAULTS_MAX));
}

/** Of two kinds, one of each in half of the schedules: what takes both is rare among faults of either. */
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

/** Drawn at once, so that a search of any length keeps no more than these. */
export const BATCH = 64;

/** The `n`-th batch of a seed: whoever plays which batch, and in what order, the schedules are the same. */
export function batchOf(
  schedules: fc.Arbitrary<Schedule>,
  seed: number,
  n: number,
): readonly Schedule[] {
  const mixed = random(`${seed}/${n}`).below(2 ** 31);
  return fc.sample(schedules, { seed: mixed, numRuns: BATCH });
}
