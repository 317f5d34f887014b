import type { Body, Lease } from './api.ts';
import type { LeaseController } from './lease-controller.ts';
import type { Release } from './port.ts';

/** Runs the body and then gives the key back. Its own error always wins; a loss is told, with what it returned. */
export async function runWithLease<T>(
  lease: Lease,
  controller: LeaseController,
  body: Body<T, bigint | undefined>,
  releaseLease: () => Promise<Release>,
): Promise<T> {
  let result: T;
  try {
    result = await body(lease);
  } catch (error) {
    await lease.release();
    throw error;
  }
  const wasLost = controller.state === 'lost';
  const release = await releaseLease();
  if (wasLost || release.kind === 'not-held') throw controller.lossError({ result });
  return result;
}
