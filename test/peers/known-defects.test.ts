import { afterAll, beforeAll, expect, test } from 'vitest';
import { redirect } from './ambient.ts';
import {
  lostReply,
  partialQuorum,
  renewalsAfterTheft,
  serverDiesUnderMutex,
  serverDiesUnderUsing,
  slowReplies,
  theft,
  tokensInverted,
} from './known-defects.ts';

let restore = (): void => {};
beforeAll(() => {
  restore = redirect();
});
afterAll(() => restore());

const NO_QUORUM = 'The operation was unable to achieve a quorum during its retry window.';

test('E1: redlock 5 keeps its votes between attempts and blocks itself, redis-semaphore gives them back', async () => {
  expect(await partialQuorum('redlock')).toMatchObject({ outcome: NO_QUORUM });
  const { outcome, tookMs } = await partialQuorum('redis-semaphore');

  expect(outcome).toBe('got it');
  expect(tookMs).toBeLessThan(400);
});

test('E2: if replies take longer than the lease, an acquisition resolves when no key is left', async () => {
  const results = await slowReplies();

  expect(results).toMatchObject({
    redlock: { isStored: false },
    'redis-semaphore': { reports: 'isAcquired is true', isStored: false },
    Verrou: { reports: 'isExpired() is true', isStored: false },
  });
  expect(results.redlock.reports).toMatch(/resolves with -\d+ ms left/);
});

test('E3: redlock 5 reports a theft after the lease is over, and its own error replaces the body’s', async () => {
  const { redlockReportedMs, redlockRejectsWith, redisSemaphoreReportedMs } = await theft();

  expect(redlockReportedMs).toBeGreaterThan(1_000);
  expect(redlockRejectsWith).toBe(NO_QUORUM);
  expect(redisSemaphoreReportedMs).toBeLessThan(1_000);
});

test('E4: redlock 5 does not report within 16 s that the only server has died', async () => {
  expect(await serverDiesUnderUsing()).toEqual({ isAborted: false });
});

test('E5: redis-semaphore says for six seconds that it holds what was on a dead server', async () => {
  expect(await serverDiesUnderMutex({})).toEqual({
    isAcquired: true,
    timesReported: 0,
    unhandled: undefined,
  });
});

test('E5: if commands are given up, a rejected renewal of redis-semaphore is not reported', async () => {
  const { isAcquired, timesReported, unhandled } = await serverDiesUnderMutex({
    maxRetriesPerRequest: 1,
  });

  expect({ isAcquired, timesReported }).toEqual({ isAcquired: true, timesReported: 0 });
  expect(unhandled).toMatch(/^unhandled rejection at .*retries per request limit/);
});

test('E6: after a lost reply redlock 5 gives up before the lease ends, the others wait for their own key', async () => {
  const [redlock, mutex, verrou] = [
    await lostReply('redlock'),
    await lostReply('redis-semaphore'),
    await lostReply('Verrou'),
  ];

  expect(redlock).toMatchObject({ outcome: NO_QUORUM });
  expect(redlock.tookMs).toBeLessThan(5_000);
  expect(mutex.tookMs).toBeGreaterThanOrEqual(5_000);
  expect(verrou.tookMs).toBeGreaterThanOrEqual(5_000);
});

test('E7: a client of simple-redis-mutex that was paused between SET and INCR has a higher token than its successor', async () => {
  const history = await tokensInverted();
  const tokens = history.flatMap((event) =>
    event.type === 'granted' ? [[event.client, event.token]] : [],
  );
  const refused = history.flatMap((event) =>
    event.type === 'write' && !event.accepted ? [[event.client, event.token]] : [],
  );

  expect(tokens).toEqual([
    ['b', '1'],
    ['a', '2'],
  ]);
  expect(refused).toEqual([['b', '1']]);
});

test('E10: redlock 5 renews without any pause where it must not retry and the key was overwritten', async () => {
  const { renewals } = await renewalsAfterTheft();

  expect(renewals).toBeGreaterThan(200);
});
