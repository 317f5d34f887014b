import fc from 'fast-check';
import { ensembles } from '../../sim/schedule/arbitrary-ensemble.ts';
import {
  type Circumstances,
  injectionTimes,
  LONGER_HOLD_MS,
  maskOf,
  PLAIN,
  serverOf,
  TTL_MS,
} from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import type {
  ClientId,
  EnsembleSetup,
  Fault,
  Op,
  Schedule,
  When,
} from '../../sim/schedule/schedule.ts';
import type { OnServers } from '../parts/servers.ts';

/** One way alone: nothing gets `out` of the servers named, or nothing gets `in`; both ways, unless it says which. */
export type PeerCut = OnServers & { readonly way?: (typeof ONE_WAY)[number] };
export const ONE_WAY = ['out', 'in'] as const;

interface CutTarget {
  readonly nodes?: fc.Arbitrary<number>;
  readonly when?: fc.Arbitrary<When>;
}

/** Mostly both ways: that is what most mistakes show under. */
export function cuts(
  circumstances: Circumstances,
  ms: fc.Arbitrary<number>,
  { nodes = maskOf(circumstances), when = injectionTimes(circumstances) }: CutTarget = {},
): fc.Arbitrary<PeerCut> {
  const cut = { kind: fc.constant('peer-cut'), nodes, when, ms };
  const oneWay = fc.record({ ...cut, way: fc.constantFrom(...ONE_WAY) }, PLAIN);
  return fc.oneof<fc.WeightedArbitrary<PeerCut>[]>(
    { arbitrary: fc.record(cut, PLAIN), weight: 2 },
    { arbitrary: oneWay, weight: 1 },
  );
}

/** Up to just short of the two thirds of a session's timeout after which its client gives it up. */
const NEARLY_MS = { min: 0.5 * TTL_MS, max: 0.65 * TTL_MS };
/** Sessions that the leader hears nothing of end within it. */
const OUTAGE_MS = { min: TTL_MS, max: 3 * TTL_MS };
const RETURN_MS_MAX = 0.1 * TTL_MS;

/** What happens to one client, and what it does. */
interface PausedTurn {
  readonly by: ClientId;
  /** How long it stands still. */
  readonly ms: number;
  readonly faults: Fault[];
  /** When its next operation comes, after the first. */
  readonly againMs: number;
  readonly holdMs: number;
  readonly ensemble: EnsembleSetup;
}

/**
 * Where clients stand still besides, one in three of the schedules has that just before the cut. A client stands still in one turn for nearly as long as its session bears, and as it
 * begins its next one, a server is cut off: the session lives, but what the leader knows of it is old. The two faults, at
 * times of their own, hardly ever come to that.
 */
export function withPausedTurns(
  schedules: fc.Arbitrary<Schedule>,
  other: FaultUnderTest,
  circumstances: Circumstances,
): fc.Arbitrary<Schedule> {
  if (other.pausesClients !== true || circumstances.ensemble !== true) return schedules;
  const silent = fc.tuple(schedules, pausedTurns(other.id, circumstances)).map(addPausedTurn);
  return fc.oneof({ arbitrary: schedules, weight: 2 }, { arbitrary: silent, weight: 1 });
}

function pausedTurns(still: string, circumstances: Circumstances): fc.Arbitrary<PausedTurn> {
  return fc.constantFrom('a', 'b', 'c').chain((by) =>
    fc
      .record(
        {
          ms: fc.integer(NEARLY_MS),
          when: inTurn(by, 1, ['read', 'claim', 'write']),
          cut: cuts(circumstances, fc.integer(OUTAGE_MS), {
            nodes: serverOf(circumstances),
            when: inTurn(by, 2, ['read']),
          }),
          againMs: fc.nat(RETURN_MS_MAX),
          holdMs: fc.integer({ min: TTL_MS, max: LONGER_HOLD_MS }),
          ensemble: ensembles,
        },
        PLAIN,
      )
      .map(({ ms, when, cut, ...more }) => {
        return { by, ms, faults: [{ kind: still, client: by, when, ms }, cut], ...more };
      }),
  );
}

/** The others come towards its end: who stands in the queue before that is served between the two turns. */
function addPausedTurn([schedule, silence]: [Schedule, PausedTurn]): Schedule {
  const { by, ms, faults, againMs, holdMs, ensemble } = silence;
  const others = schedule.ops.filter(({ client }) => client !== by);
  const ops: readonly Omit<Op, 'id'>[] = [
    { client: by, atMs: 0, holdMs: 0, renews: false },
    { client: by, atMs: againMs, holdMs, renews: false },
    ...others.map((op) => ({ ...op, atMs: op.atMs + ms })),
  ];
  return {
    ...schedule,
    lagMs: 0,
    ensemble,
    ops: ops.map((op, i) => ({ ...op, id: i + 1 })),
    faults,
  };
}

/** In its n-th critical section, which begins with reading. */
function inTurn(by: string, n: number, calls: readonly string[]): fc.Arbitrary<When> {
  const before = fc.constantFrom(...calls);
  return fc.record({ before, n: fc.constant(n), by: fc.constant(by) }, PLAIN);
}
