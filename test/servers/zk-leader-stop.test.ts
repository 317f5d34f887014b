import { setTimeout as sleep } from 'node:timers/promises';
import { mutualExclusion } from '@holdfast/harness/check';
import { expect, test, vi } from 'vitest';
import type { Mutation } from '../support/bundle.ts';
import type { Child } from '../support/child.ts';
import { zkMutation } from '../support/zk-mutation.ts';
import { CutEnsemble, eventsOf, startHolder, T_MS } from './zk-cut-ensemble.ts';

vi.setConfig({ testTimeout: 120_000 });

const TICK_MS = 1_000;
/** Follower and leader are on one machine: mostly the client's request reaches the leader long before. */
const FORWARDED_MS = 100;
/** On a machine that is busy the cut may come before it. */
const TRIES = 3;

interface Ran {
  readonly verdict: ReturnType<typeof mutualExclusion>;
  /** True if the first client held before the second one. */
  readonly firstHeld: boolean;
}

/**
 * The leader is paused from p on, until A has requested the key at a follower. When it resumes, it pings and replies at
 * once, and both reach the follower. The follower's reply to the ping, with its report of p, does not reach the leader.
 */
async function cutBehindStoppedLeader(mutation?: Mutation): Promise<Ran> {
  const ensemble = await CutEnsemble.start(TICK_MS);
  const holders: Child[] = [];
  try {
    const { leader, follower } = await ensemble.roles();
    const a = await startHolder('a', follower, mutation);
    holders.push(a);
    const b = await startHolder('b', leader, mutation);
    holders.push(b);
    await Promise.all([a.waitFor('open'), b.waitFor('open')]);
    a.send(`late ${TICK_MS} ${0.6 * T_MS} ${0.25 * T_MS + 60}`);
    await a.waitFor('awake');
    leader.stop();
    await a.waitFor('asking');
    await sleep(FORWARDED_MS);
    ensemble.cut(follower, leader, 'up');
    leader.resume();
    b.send('acquire');
    await b.waitFor('granted');
    const history = eventsOf([a, b]);
    const first = history.find(({ type }) => type === 'granted');
    return { verdict: mutualExclusion(history), firstHeld: first?.client === 'a' };
  } finally {
    for (const holder of holders) holder.kill();
    await ensemble.close();
  }
}

/** p counts as reported T/4 after its reply, also if the leader was paused meanwhile. */
const PINGS_OF_A_STOPPED_LEADER = zkMutation('pings-of-a-stopped-leader');

test('a holder at a follower whose leader was paused, and is then cut off from it, has no valid lease when the other side grants the key', async () => {
  const { verdict, firstHeld } = await cutBehindStoppedLeader();

  expect(firstHeld).toBe(false);
  expect(verdict).toMatchObject({ kind: 'ok' });
});

test('if a paused leader is assumed to ping, two hold at once', async () => {
  const verdicts: string[] = [];
  while (verdicts.length < TRIES && !verdicts.includes('violated')) {
    const { verdict } = await cutBehindStoppedLeader(PINGS_OF_A_STOPPED_LEADER);
    verdicts.push(verdict.kind);
  }

  expect(verdicts).toContain('violated');
});
