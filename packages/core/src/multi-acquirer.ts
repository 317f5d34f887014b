import { onAbort } from './abort-signals.ts';
import type { Acquirer } from './acquirer.ts';
import { givenBackError } from './error-messages.ts';
import { BackendUnavailableError, LockTimeoutError } from './errors.ts';
import { controllerOf } from './lease.ts';
import type { KeylessRequest } from './lease-request.ts';
import { type MultiCall, partOf, takeInOneStep } from './multi-acquisition.ts';
import { HeldMultiLease, MultiLeaseController } from './multi-lease.ts';

/**
 * Takes several keys as one lease, all or none: in one step if the backend can, else one after the other.
 * @param keys without duplicates, sorted by code unit
 * @throws LockLostError if a key that was taken is lost before the last one is; all errors of `Acquirer.acquire`
 */
export async function acquireAll(
  acquirer: Acquirer,
  keys: readonly string[],
  request: KeylessRequest,
  signal: AbortSignal | undefined,
): Promise<HeldMultiLease> {
  if (signal?.aborted === true) throw signal.reason;
  const startedMs = acquirer.runtime.now().monotonicMs;
  const abort = new AbortController();
  const stopWaiting = (reason: unknown): void => abort.abort(reason);
  const cancelAbort = signal && onAbort(signal, () => stopWaiting(signal.reason));
  const { backend, background } = acquirer;
  const controller = new MultiLeaseController(keys, backend.name, background, stopWaiting);
  const lease = new HeldMultiLease(controller);
  const call = { acquirer, keys, request, startedMs, signal: abort.signal, controller, lease };
  try {
    if (!(await takeInOneStep(call))) await takeOneByOne(call);
    return lease;
  } catch (error) {
    throw await giveBack(controller, acquirer, error, signal);
  } finally {
    cancelAbort?.();
  }
}

/**
 * Takes one key after the other, in one order that all clients share. So a holder only ever waits for later keys, and
 * holders cannot wait for each other in a circle. What is taken is renewed while the next key is waited for.
 */
async function takeOneByOne(call: MultiCall): Promise<void> {
  const { acquirer, keys, request, signal, controller, lease } = call;
  const { renew, maxHoldMs } = request;
  const uncapped = { ...request, renew: true, maxHoldMs: Number.POSITIVE_INFINITY };
  for (const key of keys) {
    const part = partOf(call, key);
    const taken = await acquirer.acquire({ ...uncapped, key, part }, signal, lease);
    controller.parts.push(controllerOf(taken));
  }
  controller.begin(renew, maxHoldMs);
}

/** Releases what was taken, and returns the error for the caller. An aborted caller does not wait for it. */
async function giveBack(
  controller: MultiLeaseController,
  { backend, background }: Acquirer,
  error: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const released = controller.releaseParts();
  if (signal?.aborted === true) {
    background.add(released);
    return error;
  }
  const { kind } = await released;
  // These two promise that nothing of this caller is left in the store.
  const isDefinite = error instanceof LockTimeoutError || error instanceof BackendUnavailableError;
  if (!isDefinite) return error;
  if (controller.hasLostPart) return controller.lossError();
  if (kind !== 'unknown') return error;
  const [first] = controller.parts;
  return givenBackError(
    { key: first?.key ?? '', backend: backend.name },
    first?.grant.leaseMs,
    error,
  );
}
