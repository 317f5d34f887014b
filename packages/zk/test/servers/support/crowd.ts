import { type Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { clientSessions, openZk } from '@holdfast/zk';
import { countedSession } from '../../support/counted-session.ts';

/** Longer than any wait here. */
const WAIT_MS = 3_600_000;

/** Very many waiters of one process for one key, which release as soon as they hold. */
export class Crowd {
  readonly locks: Locks;
  /** Requests of its session, by name. */
  readonly requests: ReadonlyMap<string, number>;
  /** The states of its sessions, and the reasons for lost leases. */
  readonly outcomes: readonly string[];
  /** Called with the number of waiters that have been served. */
  onServed: (served: number) => void = () => {};
  readonly #aborts: AbortController[] = [];
  readonly #waits: Promise<void>[] = [];
  #served = 0;

  private constructor(
    locks: Locks,
    requests: ReadonlyMap<string, number>,
    outcomes: readonly string[],
  ) {
    this.locks = locks;
    this.requests = requests;
    this.outcomes = outcomes;
  }

  static async open(server: string, sessionTimeoutMs: number): Promise<Crowd> {
    const requests = new Map<string, number>();
    const outcomes: string[] = [];
    const host = createHost();
    host.on('node', ({ outcome }) => outcomes.push(outcome));
    host.on('lost', ({ key, reason }) => outcomes.push(`${key} lost: ${reason}`));
    const options = { servers: [server], sessionTimeoutMs, auth: undefined };
    const open = clientSessions(options, host.runtime);
    const counted = async (byMs: number) => countedSession(await open(byMs), requests);
    return new Crowd(createLocks(await openZk({ open: counted }, host), host), requests, outcomes);
  }

  get served(): number {
    return this.#served;
  }

  count(name: string): number {
    return this.requests.get(name) ?? 0;
  }

  queueUp(key: string, size: number): void {
    for (let i = 0; i < size; i++) {
      const abort = new AbortController();
      this.#aborts.push(abort);
      this.#waits.push(this.#wait(key, abort.signal));
    }
  }

  /** The last `size` waiters give up. */
  abort(size: number): void {
    for (const abort of this.#aborts.splice(-size)) abort.abort();
  }

  /** All have been served or have given up; rejects with the first that failed otherwise. */
  async settled(): Promise<void> {
    await Promise.all(this.#waits);
  }

  async #wait(key: string, signal: AbortSignal): Promise<void> {
    try {
      const lease = await this.locks.acquire(key, { waitMs: WAIT_MS, signal });
      this.#served += 1;
      this.onServed(this.#served);
      await lease.release();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}
