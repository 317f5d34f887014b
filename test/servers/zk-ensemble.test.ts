import { mutualExclusion } from '@holdfast/harness/check';
import { describe, expect, test, vi } from 'vitest';
import { zkMutation } from '../support/zk-mutation.ts';
import { cutBetween } from './zk-cut-between.ts';

// Each cut takes ten seconds. After a blocked event loop it is played by `npm run test:deep`.
vi.setConfig({ testTimeout: 120_000 });

const LOCAL_PINGS = zkMutation('local-pings-as-proof');

describe('a holder at a follower that is cut from its leader', () => {
  test('has no valid lease any more when the other side grants the key, although its follower still serves', async () => {
    const { history, followerMode } = await cutBetween({});

    expect(followerMode).toBe('follower');
    expect(mutualExclusion(history)).toMatchObject({ kind: 'ok' });
  });

  test('where answers of the follower alone are taken for a proof of life, two hold at once', async () => {
    const { history } = await cutBetween({ mutation: LOCAL_PINGS });

    expect(mutualExclusion(history)).toMatchObject({ kind: 'violated' });
  });
});
