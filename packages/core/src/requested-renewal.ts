import {
  closedError,
  exportUnknownError,
  extendUnknownError,
  noHandOverError,
  notAloneError,
} from './error-messages.ts';
import { CapabilityError } from './errors.ts';
import { exportedText } from './exported-lease.ts';
import type { LeaseController } from './lease-controller.ts';
import { validityMs } from './validity.ts';

/** See `Lease.extend`. */
export async function extendLease(lease: LeaseController, ttlMs: number): Promise<void> {
  if (lease.state !== 'held') throw lease.lossError();
  if (validityMs(ttlMs) <= lease.remainingMs()) return lease.watchdog.shorten(ttlMs);
  checkCanExtend(lease, ttlMs);
  const renewal = await lease.watchdog.renewer.renew(ttlMs);
  if (lease.state !== 'held') throw lease.lossError();
  if (renewal.kind === 'unknown') throw extendUnknownError(lease.keyOnBackend, renewal.cause);
  if (validityMs(ttlMs) < lease.remainingMs()) lease.watchdog.shorten(ttlMs);
}

/** See `Lease.export`. */
export async function exportLease(lease: LeaseController): Promise<string> {
  const { grant, context, keyOnBackend } = lease;
  if (lease.state !== 'held') throw lease.lossError();
  if (context.canAdopt && (grant.export === undefined || (lease.handles?.count ?? 1) > 1))
    throw notAloneError(keyOnBackend);
  if (grant.export === undefined || !context.canAdopt)
    throw noHandOverError(keyOnBackend, context.isSession);
  checkCanRenew(lease);
  const renewal = await lease.watchdog.renewer.renew();
  if (lease.state !== 'held') throw lease.lossError();
  if (renewal.kind === 'unknown') throw exportUnknownError(keyOnBackend, renewal.cause);
  const exported = { ...keyOnBackend, owner: grant.export(), ttlMs: lease.clock.ttlMs };
  lease.endExported();
  return exportedText(exported);
}

function checkCanExtend(lease: LeaseController, ttlMs: number): void {
  const { leaseMs } = lease.grant;
  checkCanRenew(lease);
  if (!lease.context.isSession || ttlMs <= leaseMs) return;
  const message = `a lease lasts as long as its session, ${leaseMs} ms, not ${ttlMs} ms`;
  throw new CapabilityError(message, lease.keyOnBackend);
}

function checkCanRenew({ isAbandoned, grant, keyOnBackend }: LeaseController): void {
  if (isAbandoned) throw closedError(keyOnBackend.backend, keyOnBackend.key);
  if (grant.renew === undefined)
    throw new CapabilityError('this backend cannot renew a lease', keyOnBackend);
}
