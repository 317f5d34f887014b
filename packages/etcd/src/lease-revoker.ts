import type { Runtime } from '@holdfast/core/backend';
import { isLeaseGone } from './failures.ts';
import { EtcdReplyError } from './port.ts';
import type { Requests } from './requests.ts';

const CALL_MS = 2_000;
const PAUSE_MS_MIN = 50;
const PAUSE_MS_MAX = 2_000;

/**
 * Revokes leases, and retries until each is gone or has expired. A revoked lease takes its keys along, and lets no request
 * that is still under way create another. Keeps no process alive.
 */
export class LeaseRevoker {
  readonly #requests: Requests;
  readonly #runtime: Runtime;
  readonly #pending = new Set<Promise<boolean>>();
  #isClosed = false;

  constructor(requests: Requests, runtime: Runtime) {
    this.#requests = requests;
    this.#runtime = runtime;
  }

  /**
   * Revokes the lease. Resolves to true when it is gone, and to false when it has expired by itself within `ttlMs`, as far
   * as is known. Never rejects.
   */
  revoke(id: bigint, ttlMs: number): Promise<boolean> {
    const revoking = this.#untilGone(id, ttlMs).finally(() => this.#pending.delete(revoking));
    this.#pending.add(revoking);
    return revoking;
  }

  /** Waits for what is under way, and retries nothing any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#pending);
  }

  async #untilGone(id: bigint, ttlMs: number): Promise<boolean> {
    const from = this.#runtime.now();
    for (let failures = 0; ; failures++) {
      try {
        await this.#requests.revoke(id, this.#runtime.now().monotonicMs + CALL_MS);
        return true;
      } catch (cause) {
        if (isLeaseGone(cause)) return true;
        const isRefused = cause instanceof EtcdReplyError && cause.code !== 'OTHER';
        if (this.#isClosed || isRefused || this.#runtime.elapsedMs(from) >= ttlMs) return false;
        await pause(this.#runtime, failures);
        if (this.#isClosed) return false;
      }
    }
  }
}

/** The pause doubles with every failure. Half of it is random, since many clients retry at once after an outage. */
export function pause(runtime: Runtime, failures: number): Promise<void> {
  const ms = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** Math.min(failures, 10));
  return new Promise((resume) => {
    runtime.timer((ms / 2) * (1 + runtime.random()), resume);
  });
}
