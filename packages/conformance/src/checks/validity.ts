import type { Validity } from '@holdfast/core';
import type { Actor } from '../actor.ts';
import { assertRule } from '../breach.ts';
import type { Stage } from '../stage.ts';
import type { Check } from '../subject.ts';

/** Of the time a call took, this share at least is behind the request that counts, when the reply is there. */
const SHARE = 1 / 10;
const CALLS = 5;

/** When a holder may believe, and from when on. */
export const validity: readonly Check[] = [
  {
    name: 'a grant is valid from when its request left, and for less than the store keeps it',
    async run(stage) {
      const a = await stage.actor('a');

      await claimFromSend(a, async () => {
        const { validity: given, leaseMs } = await a.take(stage.key(), stage.longMs);
        claimShorter(stage, given, leaseMs);
        const { lease } = stage.subject.capabilities;
        assertRule(
          lease === 'session' || leaseMs === stage.longMs,
          `a lease of ${stage.longMs} ms was asked for, and one of ${leaseMs} ms granted`,
        );
        return given;
      });
    },
  },
  {
    name: 'a renewal is valid from when its request left, and for less than the store keeps it',
    async run(stage) {
      const a = await stage.actor('a');
      const grant = await a.take(stage.key(), stage.longMs);
      await a.sleep(stage.shortMs / 100);

      await claimFromSend(a, async () => {
        const renewal = await a.renew(grant, stage.longMs);
        assertRule(renewal.kind === 'renewed', `a renewal in time was answered '${renewal.kind}'`);
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
 * `from` may be earlier than the request, which is safe; when the reply is there, it must be old by what the reply took.
 * A machine that stands still before the request makes any `from` look young; hence not every call must show it.
 */
async function claimFromSend(a: Actor, call: () => Promise<Validity>): Promise<void> {
  let complaint: string | undefined;
  for (let i = 0; i < CALLS; i++) {
    const sentMs = a.runtime.now().monotonicMs;
    const { from } = await call();
    const nowMs = a.runtime.now().monotonicMs;
    const [tookMs, ageMs] = [nowMs - sentMs, nowMs - from.monotonicMs];
    // Below a millisecond the clock and the event loop say more than the store.
    if (tookMs < 1 || ageMs >= tookMs * SHARE) return;
    complaint = `${ageMs} ms before the answer of a call that took ${tookMs} ms`;
  }
  assertRule(false, `validity begins ${complaint}: not when the request left`);
}

function claimShorter({ subject }: Stage, { ms }: Validity, leaseMs: number): void {
  assertRule(ms > 0, `a grant is valid for ${ms} ms`);
  // Where the stamp of the holder's own clock ends the lease there is no second clock to differ from.
  const isOwnClock = subject.capabilities.timeAuthority === 'client';
  assertRule(
    isOwnClock ? ms <= leaseMs : ms < leaseMs,
    `a grant is valid for ${ms} ms of a lease of ${leaseMs} ms, which leaves no margin for clocks that differ`,
  );
}
