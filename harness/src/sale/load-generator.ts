import type { Runtime } from '@holdfast/core';
import type { PurchaseRequest, PurchaseResult } from './shop.ts';

/** An application process, as the load balancer sees it. */
export interface AppProcess {
  readonly isAlive: boolean;
  /** Never rejects: a request to a process that crashes resolves to `no-reply`. */
  buy(request: PurchaseRequest): Promise<PurchaseResult>;
}

/** The load of a sale. */
export interface LoadOptions {
  readonly requests: number;
  readonly users: number;
  /** The products; each request is for one of them, shuffled. */
  readonly products: readonly string[];
  /** The sale is stopped if no request was served for so long. */
  readonly idleTimeoutMs: number;
}

/** One request, as its customer sees it. */
export interface ServedRequest {
  readonly result: PurchaseResult;
  readonly fromMs: number;
  readonly untilMs: number;
}

const STUCK: PurchaseResult = { outcome: 'stuck', sections: [] };

/** Scatters consecutive numbers (Knuth, The Art of Computer Programming 3, 6.4). */
function shuffledIndex(n: number): number {
  return Math.imul(n, 2_654_435_761) >>> 16;
}

/** Runs all users at once, each with one request after the other, through a round-robin balancer. */
export class LoadGenerator {
  readonly #apps: readonly AppProcess[];
  readonly #options: LoadOptions;
  readonly #runtime: Runtime;
  readonly #clock: () => number;
  readonly #served: ServedRequest[] = [];
  #sent = 0;
  #turn = 0;
  #servedMs: number;
  #abort: () => void = () => {};
  readonly #aborted: Promise<PurchaseResult>;
  #isAborted = false;

  constructor(
    apps: readonly AppProcess[],
    options: LoadOptions,
    { runtime, clock }: { readonly runtime: Runtime; readonly clock: () => number },
  ) {
    this.#apps = apps;
    this.#options = options;
    this.#runtime = runtime;
    this.#clock = clock;
    this.#servedMs = clock();
    this.#aborted = new Promise((resolve) => {
      this.#abort = () => {
        this.#isAborted = true;
        resolve(STUCK);
      };
    });
  }

  /** Resolves when all requests were served, or the sale was stopped. */
  async buy(): Promise<readonly ServedRequest[]> {
    const { users } = this.#options;
    const cancel = this.#watch();
    await Promise.all(Array.from({ length: users }, () => this.#user()));
    cancel();
    return this.#served;
  }

  async #user(): Promise<void> {
    const { requests, users, products } = this.#options;
    const each = Math.ceil(requests / users);
    for (let i = 0; i < each && this.#sent < requests && !this.#isAborted; i++) {
      const n = ++this.#sent;
      const app = this.#next();
      if (app === undefined) return;
      const fromMs = this.#clock();
      const product = products[shuffledIndex(n) % products.length] ?? '';
      const result = await Promise.race([app.buy({ n, product }), this.#aborted]);
      const untilMs = this.#clock();
      if (result.outcome === 'sold' || result.outcome === 'refused') this.#servedMs = untilMs;
      this.#served.push({ result, fromMs, untilMs });
    }
  }

  /** The next process that is alive, round robin. */
  #next(): AppProcess | undefined {
    for (let i = 0; i < this.#apps.length; i++) {
      const app = this.#apps[this.#turn++ % this.#apps.length];
      if (app?.isAlive === true) return app;
    }
    return undefined;
  }

  #watch(): () => void {
    const { idleTimeoutMs } = this.#options;
    let cancel: (() => void) | undefined;
    const look = (): void => {
      if (this.#clock() - this.#servedMs >= idleTimeoutMs) this.#abort();
      else cancel = this.#runtime.timer(idleTimeoutMs / 10, look, { awaited: true });
    };
    look();
    return () => cancel?.();
  }
}
