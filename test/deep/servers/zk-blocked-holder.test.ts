import { mutualExclusion } from '@holdfast/harness/check';
import { describe, expect, test } from 'vitest';
import { cutBetween } from '../../servers/zk-cut-between.ts';
import { type Ran, T_MS, TICK_MS } from '../../servers/zk-cut-ensemble.ts';
import { zkMutation } from '../../support/zk-mutation.ts';

/** The time between the two grants. */
function takeoverMs({ history }: Ran): number {
  const [first, second] = history.filter(({ type }) => type === 'granted');
  if (first === undefined || second === undefined) throw new Error('there were not two grants');
  return second.atMs - first.atMs;
}

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

describe('a holder at a follower that is cut from its leader, whose event loop was blocked', () => {
  test('for 0.8 T just before the last proof has no valid lease any more when the other side grants the key', async () => {
    const { history } = await cutBetween({ blocked: { afterMs: TICK_MS, ms: 0.8 * T_MS } });

    expect(mutualExclusion(history)).toMatchObject({ kind: 'ok' });
  });

  test('for 0.6 T has none either, when the other side gets the key within two thirds of T', async () => {
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

  test('holds beside another where a proof alone carries the lease', async () => {
    const verdicts: string[] = [];
    for (const blocked of STANDSTILLS) {
      const { history } = await cutBetween({ blocked, mutation: TWO_THIRDS_ALONE });
      verdicts.push(mutualExclusion(history).kind);
      if (verdicts.includes('violated')) break;
    }

    expect(verdicts).toContain('violated');
  });
});
