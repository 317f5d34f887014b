import { setTimeout as sleep } from 'node:timers/promises';
import { LockError, type Locks } from '@holdfast/core';
import { hostMs } from '../clock.ts';
import type { Sample, Work } from './messages.ts';

/** Longer than any outage that is played. */
const WAIT_MS = 20_000;

/**
 * Takes a key of its own and gives it back, again and again: nobody contends for it, so that it waits for nothing but
 * the service. Every acquisition is a sample; one that is still under way at the end is one that failed.
 */
export async function probe(
  { probeKey, probeEveryMs }: Work,
  locks: Locks,
  { signal, granted }: { readonly signal: AbortSignal; readonly granted: () => void },
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  while (!signal.aborted) {
    const atMs = hostMs();
    const took = (): number => hostMs() - atMs;
    try {
      const lease = await locks.acquire(probeKey, { waitMs: WAIT_MS, signal });
      samples.push({ atMs, tookMs: took(), ok: true });
      granted();
      await lease.release();
    } catch (error) {
      samples.push({ atMs, tookMs: took(), ok: false, why: codeOf(error, signal) });
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
