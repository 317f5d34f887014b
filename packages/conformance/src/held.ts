import type { Grant, Validity } from '@holdfast/core';
import type { Actor } from './actor.ts';
import { assertRule, Inapplicable, shown } from './breach.ts';

const WAS_PAUSED = 'this machine was paused for longer than a lease';

/**
 * Renews a lease that its holder may believe in since `validity`.
 * @throws Inapplicable when it is lost after that has ended, which a busy machine can do to a session
 * @throws Breach when it is not renewed before
 */
export async function mustRenewInTime(
  holder: Actor,
  grant: Grant,
  validity: Validity = grant.validity,
  ttlMs: number = grant.leaseMs,
): Promise<Validity> {
  const renewal = await holder.renew(grant, ttlMs);
  if (renewal.kind === 'lost' && isOver(holder, validity)) throw new Inapplicable(WAS_PAUSED);
  assertRule(renewal.kind === 'renewed', `a renewal in time was answered '${renewal.kind}'`);
  return renewal.validity;
}

/**
 * `other` must be told that the key is busy while its holder may believe in its grant, for which that is renewed where
 * it can be.
 * @throws Inapplicable when it was granted after the holder's belief had ended
 */
export async function mustBeSeenHeld(
  holder: Actor,
  grant: Grant,
  other: Actor,
  key: string,
): Promise<void> {
  const validity =
    grant.renew === undefined ? grant.validity : await mustRenewInTime(holder, grant);
  const { kind } = await other.ask(key, grant.leaseMs);
  if (kind === 'granted' && isOver(holder, validity)) throw new Inapplicable(WAS_PAUSED);
  assertRule(
    kind === 'busy',
    `${shown(key)} is held, but ${other.name} was answered ${shown(kind)}`,
  );
}

function isOver({ runtime }: Actor, { from, ms }: Validity): boolean {
  return runtime.elapsedMs(from) >= ms;
}
