import { mutualExclusion } from '@holdfast/harness/check';
import { describe, expect, test, vi } from 'vitest';
import type { Mutation } from '../support/bundle.ts';
import type { Child } from '../support/child.ts';
import { zkMutation } from '../support/zk-mutation.ts';
import { CutEnsemble, eventsOf, type Ran, startHolder, T_MS, TICK_MS } from './zk-cut-ensemble.ts';

// Each cut takes ten seconds.
vi.setConfig({ testTimeout: 120_000 });

interface Cut {
  /** The times for which the holder uses its session, and then is paused, before it acquires the key. */
  readonly blocked?: { readonly afterMs: number; readonly ms: number };
  readonly mutation?: Mutation;
}

/** One client acquires the key at a follower, which is cut from its leader; another one waits for the key at the leader. */
async function cutBetween({ blocked, mutation }: Cut): Promise<Ran> {
  const ensemble = await CutEnsemble.start();
  const holders: Child[] = [];
  try {
    const { leader, follower } = await ensemble.roles();
    const a = await startHolder('a', follower, mutation);
    holders.push(a);
    const b = await startHolder('b', leader, mutation);
    holders.push(b);
    await Promise.all([a.waitFor('open'), b.waitFor('open')]);
    a.send(blocked === undefined ? 'acquire' : `block ${blocked.afterMs} ${blocked.ms}`);
    await a.waitFor(blocked === undefined ? 'renewed' : 'granted');
    ensemble.cut(follower, leader);
    b.send('acquire');
    await b.waitFor('granted');
    const followerMode = await follower.mode();
    return { history: eventsOf([a, b]), followerMode };
  } finally {
    for (const holder of holders) holder.kill();
    await ensemble.close();
  }
}

/** The time between the two grants. */
function takeoverMs({ history }: Ran): number {
  const [first, second] = history.filter(({ type }) => type === 'granted');
  if (first === undefined || second === undefined) throw new Error('there were not two grants');
  return second.atMs - first.atMs;
}

const LOCAL_PINGS = zkMutation('local-pings-as-proof');
const TWO_THIRDS_ALONE = zkMutation('two-thirds-alone');

/**
 * Less than the two thirds of T after which a client gives up a connection that was silent: on the next one the leader
 * itself would learn of the session.
 */
const BLOCKED_MS = 0.6 * T_MS;
/**
 * A follower reports at every half tick which sessions it has heard. If it does so between the end of the pause
 * and the cut, the leader learns of it; hence several tries, each at another time within half a tick.
 */
const TRIES = 5;
const STANDSTILLS = Array.from({ length: TRIES }, (_, index) => ({
  afterMs: TICK_MS * (1 + index / (2 * TRIES)),
  ms: BLOCKED_MS,
}));

describe('a holder at a follower that is cut from its leader', () => {
  test('has no valid lease any more when the other side grants the key, although its follower still serves', async () => {
    const { history, followerMode } = await cutBetween({});

    expect(followerMode).toBe('follower');
    expect(mutualExclusion(history)).toMatchObject({ kind: 'ok' });
  });

  test('nor after its event loop was blocked for 0.8 T just before the last proof', async () => {
    const { history } = await cutBetween({ blocked: { afterMs: TICK_MS, ms: 0.8 * T_MS } });

    expect(mutualExclusion(history)).toMatchObject({ kind: 'ok' });
  });

  test('nor after it was blocked for 0.6 T, when the other side gets the key within two thirds of T', async () => {
    let didMatter = false;
    for (const blocked of STANDSTILLS) {
      const ran = await cutBetween({ blocked });

      expect(ran.followerMode).toBe('follower');
      expect(mutualExclusion(ran.history)).toMatchObject({ kind: 'ok' });
      didMatter ||= takeoverMs(ran) < (2 / 3) * T_MS;
      if (didMatter) break;
    }

    expect(didMatter).toBe(true);
  });

  test('where answers of the follower alone are taken for a proof of life, two hold at once', async () => {
    const { history } = await cutBetween({ mutation: LOCAL_PINGS });

    expect(mutualExclusion(history)).toMatchObject({ kind: 'violated' });
  });

  test('where a proof alone carries the lease, two hold at once after the loop was blocked', async () => {
    const verdicts: string[] = [];
    for (const blocked of STANDSTILLS) {
      const { history } = await cutBetween({ blocked, mutation: TWO_THIRDS_ALONE });
      verdicts.push(mutualExclusion(history).kind);
      if (verdicts.includes('violated')) break;
    }

    expect(verdicts).toContain('violated');
  });
});
