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
  /** How many runs at most, those included that are left half way. */
  readonly budget: number;
  /** As {@link explore} has it. */
  readonly naive?: boolean;
  /** Told of every run to the end, whose schedule plays it again; returns whether to go on. */
  readonly onRun: (run: ExhaustedRun, soFar: Explored) => boolean;
  /** Whether real clocks, timers and random sources throw meanwhile. Off by default. */
  readonly guard?: boolean;
  readonly driver?: Driver;
}

/** A run to the end. */
export interface ExhaustedRun extends Pick<Steered, 'endState'> {
  readonly played: PlayResult;
}

/**
 * Plays a lock in every order in which the steps of a small scope can come: each client tries once to get the one key,
 * works, and gives it back; each message arrives, each client does its next step, each due timer fires at any moment that
 * the order of its own channel or process allows, and time passes as the time model says.
 *
 * **What a complete search without a finding says.** With the lock's own code, in this scope, no order of these steps
 * shows the violation that was looked for: neither one that was played nor one that differs from it only by swaps of
 * steps that commute, or by which client has which name. Everything takes as long as it likes; all clocks agree.
 *
 * **What it does not say.** Nothing of more clients, rounds or keys, nor, with `inOrder`, of answers
 * of several nodes that come in another order; of waiting, renewal, lost or reset connections,
 * crashes, or clocks that differ: generated schedules are for those. At most one ttl passes. A client that is done stands
 * still no longer: its timers fire when they are due. Where `calls are in time`, or `over`, no call takes longer than it may,
 * and nothing is on its way while the ttl passes; where `calls time out`, both happen, but only at the two moments at which
 * time passes. That two steps of different actors commute rests on actors sharing nothing but messages, which a test
 * compares with the naive search on scopes that it can go through.
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
        ...(driver === undefined ? {} : { driver }),
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

/** A scope small enough to be gone through: so many clients, one round each. */
export interface Scope {
  readonly clients: number;
  /** How many addresses there are. */
  readonly nodes: number;
  /** Whether the answers of all nodes reach each client in the order of the nodes; without, several are too many. */
  readonly inOrder?: boolean;
}

const TTL_MS = 1_000;
const FIRST = 'a'.codePointAt(0) ?? 0;

/** The round of every client of a scope, in no order yet. */
export function roundsOf({ clients, nodes }: Scope): Schedule {
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
