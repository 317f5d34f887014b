import type { Grant, Release, Renewal } from '../port.ts';
import type { Instant, Runtime } from '../runtime.ts';
import { callDeadlineMs, validityMs } from '../validity.ts';
import type { MemoryClient } from './client.ts';

/** The key and owner of a grant, its token and ttl, and the send time of its request. */
export interface MemoryGrantOptions {
  readonly key: string;
  readonly owner: string;
  readonly fencingToken: bigint | undefined;
  /** False for a hold beside others, which cannot be handed over. */
  readonly isAlone: boolean;
  readonly ttlMs: number;
  readonly from: Instant;
}

export function memoryGrant(
  won: MemoryGrantOptions,
  client: MemoryClient,
  runtime: Runtime,
): Grant {
  const { key, owner, fencingToken, isAlone, ttlMs, from } = won;

  async function renew(longerMs: number): Promise<Renewal> {
    const sent = runtime.now();
    const deadlineMs = sent.monotonicMs + callDeadlineMs(longerMs);
    try {
      const held = await client.call('renew', deadlineMs, (store) =>
        store.renew(key, owner, longerMs),
      );
      if (!held) return { kind: 'lost' };
      return { kind: 'renewed', validity: { from: sent, ms: validityMs(longerMs) } };
    } catch (cause) {
      return { kind: 'unknown', cause };
    }
  }

  /** A late release is still applied, since the link loses no messages. So there is no retry. */
  async function release(): Promise<Release> {
    const deadlineMs = runtime.now().monotonicMs + callDeadlineMs(ttlMs);
    try {
      const held = await client.call('release', deadlineMs, (store) => store.release(key, owner));
      return { kind: held ? 'released' : 'not-held' };
    } catch (cause) {
      return { kind: 'unknown', cause };
    }
  }

  return {
    owner,
    fencingToken,
    leaseMs: ttlMs,
    validity: { from, ms: validityMs(ttlMs) },
    renew,
    release,
    ...(isAlone && { export: () => owner }),
  };
}
