import type { Grant, Validity } from '@holdfast/core/backend';
import type { Actor } from './actor.ts';
import { assertRule, Inapplicable, textOf } from './breach.ts';

const WAS_PAUSED = 'this machine was paused for longer than a lease';

/**
 * Renews a lease whose current validity is `validity`.
 * @throws Inapplicable if it is lost after the validity has ended, which a busy machine can cause on sessions
 * @throws Breach if it is not renewed although the validity has not ended
 */
export async function mustRenewInTime(
  holder: Actor,
  grant: Grant,
  validity: Validity = grant.validity,
  ttlMs: number = grant.leaseMs,
): Promise<Validity> {
  const renewal = await holder.renew(grant, ttlMs);
  if (renewal.kind === 'lost' && isOver(holder, validity)) throw new Inapplicable(WAS_PAUSED);
  assertRule(renewal.kind === 'renewed', `a renewal in time returned '${renewal.kind}'`);
  return renewal.validity;
}

/**
 * `other` must find the key busy while the grant of its holder is valid. The grant is renewed first, if it can be.
 * @throws Inapplicable if `other` was granted the key after the holder's validity had ended
 */
export async function mustFindHeld(
  holder: Actor,
  grant: Grant,
  other: Actor,
  key: string,
): Promise<void> {
  const validity =
    grant.renew === undefined ? grant.validity : await mustRenewInTime(holder, grant);
  const { kind } = await other.tryAcquire(key, grant.leaseMs);
  if (kind === 'granted' && isOver(holder, validity)) throw new Inapplicable(WAS_PAUSED);
  assertRule(kind === 'busy', `${textOf(key)} is held, but ${other.name} received ${textOf(kind)}`);
}

function isOver({ runtime }: Actor, { from, ms }: Validity): boolean {
  return runtime.elapsedMs(from) >= ms;
}
