import type { Driver } from '../driver.ts';
import type { ClusterOf } from '../schedule/cluster.ts';
import type { PlayResult } from '../schedule/play.ts';
import type { Schedule } from '../schedule/schedule.ts';
import type { Subject } from '../schedule/subject.ts';
import { type Explored, explore } from './explore.ts';
import { type Steered, steer } from './steer.ts';
import type { TimeModel } from './time-advancer.ts';

export interface ExhaustOptions {
  readonly timeModel: TimeModel;
  /** Most runs to make, including abandoned ones. */
  readonly budget: number;
  /** As in {@link explore}. */
  readonly naive?: boolean;
  /** Called with every complete run, whose schedule replays it; returns whether to continue. */
  readonly onRun: (run: ExhaustedRun, soFar: Explored) => boolean;
  /** True to make real clocks, timers and random sources throw meanwhile. Off by default. */
  readonly guard?: boolean;
  readonly driver?: Driver;
}

/** A complete run. */
export interface ExhaustedRun extends Pick<Steered, 'endState'> {
  readonly played: PlayResult;
}

/**
 * Runs a lock in every order in which the steps of a small scope can come. Each client tries once to acquire the one
 * key, works, and releases it. Each message arrives, each client does its next step, and each due timer fires at any
 * moment that the order of its own channel or process allows. Time passes according to the time model.
 *
 * **Meaning of a complete search without a finding.** With the lock's own code, in this scope, no order of these
 * steps shows the violation that was searched for. That covers the orders that ran, and those that differ from one
 * only by swaps of steps that commute, or by the names of clients. All steps take any time; all clocks agree.
 *
 * **Limits.** It covers no more clients, rounds or keys. With `inOrder`, it covers no other order of the replies of
 * several nodes. It covers no waiting, renewal, lost or reset connections, crashes, or clocks that differ: generated
 * schedules are for those. At most one ttl passes. A client that is done is paused no longer: its timers fire when
 * they are due. Under `calls are in time`, or `over`, no call takes longer than it may, and no message is on its way
 * while the ttl passes. Under `calls time out`, both happen, but only at the two moments at which time passes. Steps
 * of different actors commute because actors share nothing but messages. A test compares this with the naive search,
 * on scopes small enough for it.
 */
export async function exhaust(
  clusterOf: ClusterOf,
  subject: Subject,
  scope: Scope,
  { timeModel, budget, naive = false, guard = false, onRun, driver }: ExhaustOptions,
): Promise<Explored> {
  const schedule = roundsOf(scope);
  let last: Steered | undefined;
  return await explore(
    async (chooser) => {
      last = await steer(clusterOf, schedule, subject, chooser, {
        timeModel,
        inOrder: scope.inOrder ?? false,
        isReduced: !naive,
        guard,
        driver,
      });
      return last.isWhole;
    },
    {
      budget,
      naive,
      onRun: (choices, soFar) => {
        if (last === undefined) return true;
        const { played, endState } = last;
        return onRun(
          { played: { ...played, schedule: { ...schedule, choices } }, endState },
          soFar,
        );
      },
    },
  );
}

/** A scope small enough to be explored: so many clients, one round each. */
export interface Scope {
  readonly clients: number;
  /** Number of addresses. */
  readonly nodes: number;
  /**
   * True if the replies of all nodes reach each client in the order of the nodes; without it, several nodes are too
   * many.
   */
  readonly inOrder?: boolean;
}

/** Over before a Redis client has been silent for half its limit: that timer alone would make five times as many orders. */
const TTL_MS = 900;
const FIRST = 'a'.codePointAt(0) ?? 0;

/** Returns the round of every client of a scope, in no order yet. */
function roundsOf({ clients, nodes }: Scope): Schedule {
  return {
    v: 1,
    ttlMs: TTL_MS,
    latencyMs: 0,
    nodes,
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops: Array.from({ length: clients }, (_, i) => ({
      id: i + 1,
      client: String.fromCodePoint(FIRST + i),
      atMs: 0,
      holdMs: 0,
      renews: false,
    })),
    faults: [],
    choices: [],
  };
}
