import type { Driver } from '../driver.ts';
import type { ClusterOf } from '../schedule/cluster-of.ts';
import type { PlayResult } from '../schedule/play.ts';
import type { Subject } from '../schedule/subject.ts';
import { type Explored, explore } from './explore.ts';
import { roundsOf, type Scope } from './scope.ts';
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
