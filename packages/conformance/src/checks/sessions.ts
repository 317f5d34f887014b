import type { Grant } from '@holdfast/core';
import { assertRule } from '../breach.ts';
import { mustRenewInTime } from '../held.ts';
import { needsOutlive, needsSession } from '../needs.ts';
import type { Check, Subject } from '../subject.ts';

/** A loss that is pushed later than this is not pushed. */
const PUSH_MS = 10_000;
/** So many thirds of a session's timeout: longer than it lasts by itself. */
const RENEWALS = 6;

const needsSessionEnd = (subject: Subject): string | undefined =>
  needsSession(subject) ?? needsOutlive(subject);

/** Leases that live as long as the session of their process. */
export const sessions: readonly Check[] = [
  {
    name: 'a lease that is renewed outlives the first timeout of its session',
    needs: needsSession,
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const grant = await a.take(key, stage.shortMs);
      let { validity } = grant;

      for (let i = 0; i < RENEWALS; i++) {
        await a.sleep(grant.leaseMs / 3);
        const next = await mustRenewInTime(a, grant, validity);
        const isLater = next.from.monotonicMs > validity.from.monotonicMs;
        assertRule(isLater, 'a renewal a third of the timeout later did not move the validity');
        validity = next;
      }

      await b.isToldBusy(key, stage.longMs, 'the lease was renewed all the time');
    },
  },
  {
    name: 'the end of a session is pushed to its leases, also to who begins to listen afterwards',
    needs: needsSessionEnd,
    async run(stage) {
      const a = await stage.actor('a');
      const [one, other] = [
        await a.take(stage.key(), stage.shortMs),
        await a.take(stage.key(), stage.shortMs),
      ];
      const lost = Promise.all([pushed(one), pushed(other)]);

      await stage.outlive(a);
      await stage.within(PUSH_MS, 'the loss of two leases whose session has ended', lost);

      let isTold = false;
      one.onLost?.(() => void (isTold = true));
      assertRule(isTold, 'a listener that was added after the loss was not called at once');
    },
  },
  {
    name: 'a process whose session has ended locks again by itself',
    needs: needsSessionEnd,
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      await a.take(stage.key(), stage.shortMs);
      await stage.outlive(a);

      await a.take(key, stage.shortMs);

      await b.isToldBusy(key, stage.longMs, 'it was granted after the end of another session');
    },
  },
  {
    name: 'a waiter whose session has ended stands in nobody’s way, and gets its turn again',
    needs: needsSessionEnd,
    async run(stage) {
      const [a, b, c] = await stage.actors('a', 'b', 'c');
      const key = stage.key();
      const grant = await a.take(key, stage.longMs);
      const waiter = b.contend(key, stage.longMs);
      assertRule((await b.answer(waiter)).kind === 'busy', 'a held key was granted');

      await stage.outlive(b);
      await a.release(grant);
      const next = await c.getsAtOnce(key, stage.longMs, 'the only waiter’s session has ended');

      assertRule((await b.answer(waiter)).kind === 'busy', 'a held key was granted');
      await c.release(next);
      await b.get(waiter);
    },
  },
];

/** Resolves when the grant tells that it is lost. */
function pushed(grant: Grant): Promise<void> {
  const tells = grant.onLost !== undefined;
  assertRule(tells, 'a lease of a session tells nobody that it is lost: onLost is missing');
  return new Promise((resolve) => void grant.onLost?.(resolve));
}
