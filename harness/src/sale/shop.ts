import { type Lease, LockError, type Locks, type Runtime } from '@holdfast/core';
import type { OvertakenReleases } from './fault-injecting-node.ts';
import type { Stock } from './stock.ts';

/** The outcome of one request for one item. */
export type PurchaseOutcome =
  /** An order was written. */
  | 'sold'
  /** The shop replied that nothing was left. */
  | 'refused'
  /** The shop replied to try again later: a lost lock, a conflict, an error. */
  | 'failed'
  /** Its process crashed, and no reply came. */
  | 'no-reply'
  /** It still waited when the sale was stopped. */
  | 'stuck';

/** One critical section under a lock, by a clock that all processes share. */
export interface CriticalSection {
  readonly key: string;
  readonly fromMs: number;
  /** The time at which its release was requested. */
  readonly untilMs: number;
  readonly released: 'released' | 'not-held' | 'unknown';
  /** Its release was delayed until another client had the key. */
  readonly overtaken?: true;
  /** Others may hold the key at that time, too. */
  readonly beside?: true;
}

/** The shop's reply; plain data, so that it can come from another process. */
export interface PurchaseResult {
  readonly outcome: PurchaseOutcome;
  /** The item of an order, named by the stock that was read. Two orders of one item are one too many. */
  readonly item?: string;
  /** The number of tries; 1 if absent. */
  readonly tries?: number;
  /** The reason of a failure. */
  readonly reason?: string;
  readonly sections: readonly CriticalSection[];
}

/** One request for one item. */
export interface PurchaseRequest {
  /** Its number among all requests, from 1. */
  readonly n: number;
  readonly product: string;
}

/** The parts that an application process sells with. */
export interface ShopParts {
  readonly stock: Stock;
  readonly locks: Locks | undefined;
  readonly runtime: Runtime;
  /** The releases that were delayed for too long. */
  readonly overtaken: OvertakenReleases;
  /** One clock for all processes, in ms. */
  readonly clock: () => number;
  /** The duration of a request's work between reading the stock and writing it. */
  readonly workMs: (request: PurchaseRequest) => number;
}

/** A way of selling one item. */
export type Strategy = (purchase: Purchase) => Promise<PurchaseResult>;

/** One request being handled. */
export class Purchase {
  readonly request: PurchaseRequest;
  readonly stock: Stock;
  readonly #parts: ShopParts;
  readonly #sections: CriticalSection[] = [];

  constructor(request: PurchaseRequest, parts: ShopParts) {
    this.request = request;
    this.stock = parts.stock;
    this.#parts = parts;
  }

  /** Takes the time that prices, vouchers and a payment take between the read and the write. */
  work(): Promise<void> {
    const ms = this.#parts.workMs(this.request);
    if (ms === 0) return Promise.resolve();
    return new Promise((resume) => {
      this.#parts.runtime.timer(ms, resume, { awaited: true });
    });
  }

  /** Holds `key` while `body` runs. */
  async locked(
    key: string,
    body: (lease: Lease) => Promise<PurchaseResult>,
  ): Promise<PurchaseResult> {
    const { locks, clock, overtaken } = this.#parts;
    if (locks === undefined) throw new Error('this step has no lock');
    const lease = await locks.acquire(key);
    const fromMs = clock();
    try {
      return await body(lease);
    } finally {
      const untilMs = clock();
      const { kind: released } = await lease.release();
      const section: CriticalSection = { key, fromMs, untilMs, released };
      this.#sections.push(overtaken.since(untilMs) ? { ...section, overtaken: true } : section);
    }
  }

  /** As {@link locked}, for a hold that others may have beside it. */
  async beside<T>(
    key: string,
    acquire: (locks: Locks) => Promise<Pick<Lease, 'release'>>,
    body: () => Promise<T>,
  ): Promise<T> {
    const { locks, clock } = this.#parts;
    if (locks === undefined) throw new Error('this step has no lock');
    const lease = await acquire(locks);
    const fromMs = clock();
    try {
      return await body();
    } finally {
      const untilMs = clock();
      const { kind: released } = await lease.release();
      this.#sections.push({ key, fromMs, untilMs, released, beside: true });
    }
  }

  sold(item: string | number): PurchaseResult {
    return { outcome: 'sold', item: `${this.request.product} ${item}`, sections: this.#sections };
  }

  refused(): PurchaseResult {
    return { outcome: 'refused', sections: this.#sections };
  }

  failed(reason: string): PurchaseResult {
    return { outcome: 'failed', reason, sections: this.#sections };
  }
}

/** Handles a request. An error of a lock becomes the reply to one customer. */
export async function handle(
  strategy: Strategy,
  request: PurchaseRequest,
  parts: ShopParts,
): Promise<PurchaseResult> {
  const purchase = new Purchase(request, parts);
  try {
    return await strategy(purchase);
  } catch (error) {
    return purchase.failed(error instanceof LockError ? error.code : String(error));
  }
}
