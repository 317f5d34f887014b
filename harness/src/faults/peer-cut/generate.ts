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

/** One direction only: nothing gets `out` of the named servers, or nothing gets `in`. Both directions if absent. */
export type PeerCut = OnServers & { readonly way?: (typeof ONE_WAY)[number] };
export const ONE_WAY = ['out', 'in'] as const;

interface CutTarget {
  readonly nodes?: fc.Arbitrary<number>;
  readonly when?: fc.Arbitrary<When>;
}

/** Mostly both directions, under which most mistakes show. */
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

/** Just short of two thirds of the session timeout, after which the client gives its session up. */
const NEARLY_MS = { min: 0.5 * TTL_MS, max: 0.65 * TTL_MS };
/** Within it, the leader expires sessions that it does not hear of. */
const OUTAGE_MS = { min: TTL_MS, max: 3 * TTL_MS };
const RETURN_MS_MAX = 0.1 * TTL_MS;

/** The faults and operations of one client. */
interface PausedTurn {
  readonly by: ClientId;
  /** Duration of its pause. */
  readonly ms: number;
  readonly faults: Fault[];
  /** Time of its next operation, after the first. */
  readonly againMs: number;
  readonly holdMs: number;
  readonly ensemble: EnsembleSetup;
}

/**
 * In one third of the schedules of a fault that pauses clients, adds a pause just before a cut. A client is paused in
 * one turn for nearly as long as its session allows. As it begins its next turn, a server is cut off: the session
 * lives, but the leader's knowledge of it is old. Independent times of the two faults hardly ever lead to that.
 */
export function withPausedTurns(
  schedules: fc.Arbitrary<Schedule>,
  other: FaultUnderTest,
  circumstances: Circumstances,
): fc.Arbitrary<Schedule> {
  if (other.pausesClients !== true || circumstances.ensemble !== true) return schedules;
  const paused = fc.tuple(schedules, pausedTurns(other.id, circumstances)).map(addPausedTurn);
  return fc.oneof({ arbitrary: schedules, weight: 2 }, { arbitrary: paused, weight: 1 });
}

function pausedTurns(pauseId: string, circumstances: Circumstances): fc.Arbitrary<PausedTurn> {
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
        return { by, ms, faults: [{ kind: pauseId, client: by, when, ms }, cut], ...more };
      }),
  );
}

/** The other clients' operations come near the end of the pause: earlier waiters are served between the two turns. */
function addPausedTurn([schedule, turn]: [Schedule, PausedTurn]): Schedule {
  const { by, ms, faults, againMs, holdMs, ensemble } = turn;
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

/** In its n-th critical section, which begins with a read. */
function inTurn(by: string, n: number, calls: readonly string[]): fc.Arbitrary<When> {
  const before = fc.constantFrom(...calls);
  return fc.record({ before, n: fc.constant(n), by: fc.constant(by) }, PLAIN);
}
