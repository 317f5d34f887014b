import type { Grant } from '@holdfast/core/backend';
import { assertRule } from '../breach.ts';
import { mustRenewInTime } from '../held.ts';
import { needsOutlive, needsSession } from '../needs.ts';
import type { BackendUnderTest, Check } from '../subject.ts';

/** Limit for the notification of a loss. */
const PUSH_MS = 10_000;
/** This many thirds of a session's timeout are longer than it lasts by itself. */
const RENEWALS = 6;

const needsSessionEnd = (subject: BackendUnderTest): string | undefined =>
  needsSession(subject) ?? needsOutlive(subject);

/** Leases that last as long as the session of their process. */
export const sessions: readonly Check[] = [
  {
    name: 'a lease that is renewed outlives the first timeout of its session',
    needs: needsSession,
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const grant = await a.acquire(key, stage.shortMs);
      let { validity } = grant;

      for (let i = 0; i < RENEWALS; i++) {
        await a.sleep(grant.leaseMs / 3);
        const next = await mustRenewInTime(a, grant, validity);
        const isLater = next.from.monotonicMs > validity.from.monotonicMs;
        assertRule(isLater, 'a renewal a third of the timeout later did not move the validity');
        validity = next;
      }

      await b.mustFindBusy(key, stage.longMs, 'the lease was renewed all the time');
    },
  },
  {
    name: 'the end of a session is reported to its leases, also to listeners that are added afterwards',
    needs: needsSessionEnd,
    async run(stage) {
      const a = await stage.actor('a');
      const [one, other] = [
        await a.acquire(stage.key(), stage.shortMs),
        await a.acquire(stage.key(), stage.shortMs),
      ];
      const lost = Promise.all([pushed(one), pushed(other)]);

      await stage.outlive(a);
      await stage.within(PUSH_MS, 'the loss of two leases whose session has ended', lost);

      let isNotified = false;
      one.onLost?.(() => void (isNotified = true));
      assertRule(isNotified, 'a listener that was added after the loss was not called at once');
    },
  },
  {
    name: 'a process whose session has ended can lock again',
    needs: needsSessionEnd,
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      await a.acquire(stage.key(), stage.shortMs);
      await stage.outlive(a);

      await a.acquire(key, stage.shortMs);

      await b.mustFindBusy(key, stage.longMs, 'it was granted after the end of another session');
    },
  },
  {
    name: 'a waiter whose session has ended blocks no other, and gets a new turn',
    needs: needsSessionEnd,
    async run(stage) {
      const [a, b, c] = await stage.actors('a', 'b', 'c');
      const key = stage.key();
      const grant = await a.acquire(key, stage.longMs);
      const waiter = b.contend(key, stage.longMs);
      assertRule((await b.definiteAttempt(waiter)).kind === 'busy', 'a held key was granted');

      await stage.outlive(b);
      await a.release(grant);
      const next = await c.mustAcquire(key, stage.longMs, 'the only waiter’s session has ended');

      assertRule((await b.definiteAttempt(waiter)).kind === 'busy', 'a held key was granted');
      await c.release(next);
      await b.waitForGrant(waiter);
    },
  },
];

/** Resolves when the grant reports its loss. */
function pushed(grant: Grant): Promise<void> {
  const canReport = grant.onLost !== undefined;
  assertRule(canReport, 'a lease of a session cannot report its loss: onLost is missing');
  return new Promise((resolve) => void grant.onLost?.(resolve));
}
