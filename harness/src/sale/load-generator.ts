import type { Runtime } from '@holdfast/core';
import type { PurchaseRequest, PurchaseResult } from './shop.ts';

/** An application process, as the balancer sees it. */
export interface AppProcess {
  readonly isAlive: boolean;
  /** Resolves in any case: a process that dies leaves its customers without an answer. */
  buy(request: PurchaseRequest): Promise<PurchaseResult>;
}

/** Who wants to buy how much. */
export interface LoadOptions {
  readonly requests: number;
  readonly users: number;
  /** Of several products each request asks for one, in turn. */
  readonly products: readonly string[];
  /** Nobody having been answered for so long, the sale is called off. */
  readonly idleTimeoutMs: number;
}

/** One request, from its customer's side of the counter. */
export interface ServedRequest {
  readonly answer: PurchaseResult;
  readonly fromMs: number;
  readonly untilMs: number;
}

const STUCK: PurchaseResult = { outcome: 'stuck', stays: [] };

/** Numbers in a row, strewn about (Knuth, The Art of Computer Programming 3, 6.4). */
function shuffledIndex(n: number): number {
  return Math.imul(n, 2_654_435_761) >>> 16;
}

/** All users at once, each with one request after the other, through a round-robin balancer. */
export class LoadGenerator {
  readonly #apps: readonly AppProcess[];
  readonly #options: LoadOptions;
  readonly #runtime: Runtime;
  readonly #clock: () => number;
  readonly #served: ServedRequest[] = [];
  #sent = 0;
  #turn = 0;
  #answeredMs: number;
  #abort: () => void = () => {};
  readonly #aborted: Promise<PurchaseResult>;
  #isAborted = false;

  constructor(
    apps: readonly AppProcess[],
    demand: LoadOptions,
    { runtime, clock }: { readonly runtime: Runtime; readonly clock: () => number },
  ) {
    this.#apps = apps;
    this.#options = demand;
    this.#runtime = runtime;
    this.#clock = clock;
    this.#answeredMs = clock();
    this.#aborted = new Promise((resolve) => {
      this.#abort = () => {
        this.#isAborted = true;
        resolve(STUCK);
      };
    });
  }

  /** Resolves when everybody was answered, or the sale was called off. */
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
      const answer = await Promise.race([app.buy({ n, product }), this.#aborted]);
      const untilMs = this.#clock();
      if (answer.outcome === 'sold' || answer.outcome === 'refused') this.#answeredMs = untilMs;
      this.#served.push({ answer, fromMs, untilMs });
    }
  }

  /** Round robin among those that live. */
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
      if (this.#clock() - this.#answeredMs >= idleTimeoutMs) this.#abort();
      else cancel = this.#runtime.timer(idleTimeoutMs / 10, look, { awaited: true });
    };
    look();
    return () => cancel?.();
  }
}
