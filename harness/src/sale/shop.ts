import { type Lease, LockError, type Locks, type Runtime } from '@holdfast/core';
import type { OvertakenReleases } from './fault-injecting-node.ts';
import type { Stock } from './stock.ts';

/** How one request for one item ended. */
export type PurchaseOutcome =
  /** An order was written. */
  | 'sold'
  /** The shop said that there was nothing left. */
  | 'refused'
  /** The shop said to try again later: a lock lost, a conflict, an error. */
  | 'failed'
  /** Its process died, and nobody answered. */
  | 'no-answer'
  /** It still waited when the sale was called off. */
  | 'stuck';

/** One time under a lock, on a clock that all processes share. */
export interface LockStay {
  readonly key: string;
  readonly fromMs: number;
  /** When it asked for release. */
  readonly untilMs: number;
  readonly released: 'released' | 'not-held' | 'unknown';
  /** Its release was on its way until somebody else had the key. */
  readonly overtaken?: true;
}

/** What the shop answers; plain data, so that it can come from another process. */
export interface PurchaseResult {
  readonly outcome: PurchaseOutcome;
  /** Of an order: which item it is of, by the stock that was seen. Two orders of one item are one too many. */
  readonly item?: string;
  /** How often the work was done for it; once where nothing is said. */
  readonly tries?: number;
  /** Why it failed. */
  readonly reason?: string;
  readonly stays: readonly LockStay[];
}

/** One request for one item. */
export interface PurchaseRequest {
  /** Its place among all requests, from 1. */
  readonly n: number;
  readonly product: string;
}

/** What one application process sells with. */
export interface ShopParts {
  readonly stock: Stock;
  readonly locks: Locks | undefined;
  readonly runtime: Runtime;
  /** Whose release was held up for too long. */
  readonly overtaken: OvertakenReleases;
  /** One clock for all processes, in ms. */
  readonly clock: () => number;
  /** How long the work of a request takes between reading the stock and writing it. */
  readonly workMs: (request: PurchaseRequest) => number;
}

/** A way of selling one item. */
export type Strategy = (visit: Purchase) => Promise<PurchaseResult>;

/** One request being handled. */
export class Purchase {
  readonly request: PurchaseRequest;
  readonly stock: Stock;
  readonly #parts: ShopParts;
  readonly #lockStays: LockStay[] = [];

  constructor(request: PurchaseRequest, parts: ShopParts) {
    this.request = request;
    this.stock = parts.stock;
    this.#parts = parts;
  }

  /** Prices, vouchers, a payment: what takes its time between looking and writing. */
  work(): Promise<void> {
    const ms = this.#parts.workMs(this.request);
    if (ms === 0) return Promise.resolve();
    return new Promise((resume) => {
      this.#parts.runtime.timer(ms, resume, { awaited: true });
    });
  }

  /** Holds `key` for as long as `body` takes. */
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
      const stay: LockStay = { key, fromMs, untilMs, released };
      this.#lockStays.push(overtaken.since(untilMs) ? { ...stay, overtaken: true } : stay);
    }
  }

  sold(item: string | number): PurchaseResult {
    return { outcome: 'sold', item: `${this.request.product} ${item}`, stays: this.#lockStays };
  }

  refused(): PurchaseResult {
    return { outcome: 'refused', stays: this.#lockStays };
  }

  failed(reason: string): PurchaseResult {
    return { outcome: 'failed', reason, stays: this.#lockStays };
  }
}

/** Handles a request; whatever goes wrong with a lock is the answer to one customer, and no more. */
export async function handle(
  deal: Strategy,
  request: PurchaseRequest,
  parts: ShopParts,
): Promise<PurchaseResult> {
  const visit = new Purchase(request, parts);
  try {
    return await deal(visit);
  } catch (error) {
    return visit.failed(error instanceof LockError ? error.code : String(error));
  }
}
