import { type Contender, callDeadlineMs, type Renewal } from '@holdfast/core/backend';
import type { Actor } from '../actor.ts';
import { assertRule } from '../breach.ts';
import { needsFaults } from '../needs.ts';
import type { Stage } from '../stage.ts';
import type { Check } from '../subject.ts';

/** Short leases in the ttl here: without a reply, a call ends after a tenth of the ttl. */
const LEASES = 5;
/** A share of the ttl that is shorter than the call deadline, so that the deadline of the caller counts. */
const SOON = 1 / 20;
/** Call deadlines that an attempt may take: one for its requests, one for the releases of lost votes. */
const CALLS_MAX = 2;
/** Virtual clocks count in microseconds. */
const ROUNDING_MS = 1;

/** A store that is paused: no call may wait for it longer than its deadline. */
export const silence: readonly Check[] = [
  {
    name: 'an attempt on a store that does not reply ends by its call deadline, and is not granted',
    needs: needsFaults('stop', 'resume'),
    async run(stage) {
      const { contender } = await stopped(stage);

      const settled = contender.attempt(Number.MAX_SAFE_INTEGER);
      const limitMs = CALLS_MAX * callMs(stage);
      const { kind } = await stage.within(limitMs, 'an attempt without a reply', settled);
      await stage.faults.resume?.();

      const isDoubt = kind === 'unknown' || kind === 'unavailable';
      assertRule(isDoubt, `without any reply an attempt returned '${kind}'`);
      await contender.withdraw();
    },
  },
  {
    name: 'an attempt on a store that does not reply ends by the deadline of the caller',
    needs: needsFaults('stop', 'resume'),
    async run(stage) {
      const { a, contender } = await stopped(stage);
      const limitMs = stage.shortMs * LEASES * SOON;

      const settled = contender.attempt(a.inMs(limitMs));
      const what = `an attempt with a deadline of ${limitMs} ms`;
      const { kind } = await stage.within(limitMs + ROUNDING_MS, what, settled);
      await stage.faults.resume?.();

      const isDoubt = kind === 'unknown' || kind === 'unavailable';
      assertRule(isDoubt, `without any reply an attempt returned '${kind}'`);
      await contender.withdraw();
    },
  },
  {
    name: 'a renewal and a release without a reply end by their call deadline as unknown',
    needs: needsFaults('stop', 'resume'),
    async run(stage) {
      const a = await stage.actor('a');
      const ttlMs = LEASES * stage.shortMs;
      const grant = await a.acquire(stage.key(), ttlMs);
      await stage.faults.stop?.();

      const renewing: Promise<Pick<Renewal, 'kind'>> =
        grant.renew?.(ttlMs) ?? Promise.resolve({ kind: 'unknown' });
      const limitMs = callMs(stage);
      const renewMs = stage.renewalCalls * limitMs;
      const renewal = await stage.within(renewMs, 'a renewal without a reply', renewing);
      const releasing = grant.release();
      const release = await stage.within(limitMs, 'a release without a reply', releasing);
      await stage.faults.resume?.();

      assertRule(
        renewal.kind === 'unknown',
        `without a reply a renewal returned '${renewal.kind}'`,
      );
      assertRule(
        release.kind === 'unknown',
        `without a reply a release returned '${release.kind}'`,
      );
    },
  },
];

/** The call deadline of a contender of {@link stopped}. */
function callMs({ shortMs }: Stage): number {
  return callDeadlineMs(LEASES * shortMs) + ROUNDING_MS;
}

/** A contender whose backend has served before, and whose store is paused now. */
async function stopped(
  stage: Stage,
): Promise<{ readonly a: Actor; readonly contender: Contender }> {
  const a = await stage.actor('a');
  const key = stage.key();
  const ttlMs = LEASES * stage.shortMs;
  await a.release(await a.acquire(key, ttlMs));
  const contender = a.contend(key, ttlMs);
  await stage.faults.stop?.();
  return { a, contender };
}
