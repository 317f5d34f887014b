import type { Validity } from '@holdfast/core/backend';
import type { Actor } from '../actor.ts';
import { assertRule } from '../breach.ts';
import type { Stage } from '../stage.ts';
import type { Check } from '../subject.ts';

/** When the reply arrives, the validity must have started at least this share of the call's duration ago. */
const SHARE = 1 / 10;
const CALLS = 5;

/** The start and the length of a validity. */
export const validity: readonly Check[] = [
  {
    name: 'a grant is valid from its send time, and for less than the store keeps it',
    async run(stage) {
      const a = await stage.actor('a');

      await claimFromSend(a, async () => {
        const { validity: granted, leaseMs } = await a.acquire(stage.key(), stage.longMs);
        claimShorter(stage, granted, leaseMs);
        const { lease } = stage.subject.capabilities;
        assertRule(
          lease === 'session' || leaseMs === stage.longMs,
          `a lease of ${stage.longMs} ms was requested, and one of ${leaseMs} ms granted`,
        );
        return granted;
      });
    },
  },
  {
    name: 'a renewal is valid from its send time, and for less than the store keeps it',
    async run(stage) {
      const a = await stage.actor('a');
      const grant = await a.acquire(stage.key(), stage.longMs);
      await a.sleep(stage.shortMs / 100);

      await claimFromSend(a, async () => {
        const renewal = await a.renew(grant, stage.longMs);
        assertRule(renewal.kind === 'renewed', `a renewal in time returned '${renewal.kind}'`);
        claimShorter(stage, renewal.validity, grant.leaseMs);
        assertRule(
          renewal.validity.from.monotonicMs > grant.validity.from.monotonicMs,
          'a renewal did not move the start of validity',
        );
        return renewal.validity;
      });
    },
  },
];

/**
 * `from` may be earlier than the request, which is safe. When the reply arrives, it must be as old as the call is long.
 * A machine that is paused before the request makes any `from` look recent, so one call that shows the age is enough.
 */
async function claimFromSend(a: Actor, call: () => Promise<Validity>): Promise<void> {
  let complaint: string | undefined;
  for (let i = 0; i < CALLS; i++) {
    const sentMs = a.runtime.now().monotonicMs;
    const { from } = await call();
    const nowMs = a.runtime.now().monotonicMs;
    const [tookMs, ageMs] = [nowMs - sentMs, nowMs - from.monotonicMs];
    // Below a millisecond the clock and the event loop matter more than the store.
    if (tookMs < 1 || ageMs >= tookMs * SHARE) return;
    complaint = `${ageMs} ms before the reply of a call that took ${tookMs} ms`;
  }
  assertRule(false, `validity begins ${complaint}: not when the request left`);
}

function claimShorter({ subject }: Stage, { ms }: Validity, leaseMs: number): void {
  assertRule(ms > 0, `a grant is valid for ${ms} ms`);
  // If the holder's own clock ends the lease, there is no second clock.
  const isOwnClock = subject.capabilities.timeAuthority === 'client';
  assertRule(
    isOwnClock ? ms <= leaseMs : ms < leaseMs,
    `a grant is valid for ${ms} ms of a lease of ${leaseMs} ms, which leaves no margin for clocks that differ`,
  );
}
