import { setTimeout as sleep } from 'node:timers/promises';
import { LockError, type Locks } from '@holdfast/core';
import { hostMs } from '../clock.ts';
import type { Probing, Sample } from './messages.ts';

/**
 * Acquires and releases a key of its own in a loop. No other client contends for it, so it waits only for the service.
 * Every acquisition is a sample; one that is pending at the end counts as failed. After `probeWaitMs` it requests
 * again, and its waiting time counts from the first request.
 */
export async function probe(
  { probeKey, probeEveryMs, probeWaitMs: waitMs }: Probing,
  locks: Locks,
  { signal, granted }: { readonly signal: AbortSignal; readonly granted: () => void },
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  let wantedMs: number | undefined;
  while (!signal.aborted) {
    const atMs = hostMs();
    wantedMs ??= atMs;
    try {
      const lease = await locks.acquire(probeKey, { waitMs, signal });
      const sample = { atMs: wantedMs, tookMs: hostMs() - wantedMs };
      wantedMs = undefined;
      granted();
      const { kind: released } = await lease.release();
      samples.push({ ...sample, ok: true, released });
    } catch (error) {
      samples.push({ atMs, tookMs: hostMs() - atMs, ok: false, why: codeOf(error, signal) });
    }
    await sleep(probeEveryMs);
  }
  return samples;
}

function codeOf(error: unknown, { aborted }: AbortSignal): string {
  if (aborted) return 'withdrawn';
  if (error instanceof LockError) return error.code;
  throw error;
}
