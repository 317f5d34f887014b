import type { Runtime } from '@holdfast/core';
import type { Answer } from './answer.ts';
import type { Request } from './shop.ts';

/** An application process, as the balancer sees it. */
export interface App {
  readonly isAlive: boolean;
  /** Resolves in any case: a process that dies leaves its customers without an answer. */
  buy(request: Request): Promise<Answer>;
}

/** Who wants to buy how much. */
export interface Demand {
  readonly requests: number;
  readonly users: number;
  /** Of several products each request asks for one, in turn. */
  readonly products: readonly string[];
  /** Nobody having been answered for so long, the sale is called off. */
  readonly patienceMs: number;
}

/** One request, from its customer's side of the counter. */
export interface Served {
  readonly answer: Answer;
  readonly fromMs: number;
  readonly untilMs: number;
}

const STUCK: Answer = { outcome: 'stuck', stays: [] };

/** Numbers in a row, strewn about (Knuth, The Art of Computer Programming 3, 6.4). */
function spread(n: number): number {
  return Math.imul(n, 2_654_435_761) >>> 16;
}

/** All users at once, each with one request after the other, through a round-robin balancer. */
export class Crowd {
  readonly #apps: readonly App[];
  readonly #demand: Demand;
  readonly #runtime: Runtime;
  readonly #clock: () => number;
  readonly #served: Served[] = [];
  #sent = 0;
  #turn = 0;
  #answeredMs: number;
  #callOff: () => void = () => {};
  readonly #calledOff: Promise<Answer>;
  #isCalledOff = false;

  constructor(
    apps: readonly App[],
    demand: Demand,
    { runtime, clock }: { readonly runtime: Runtime; readonly clock: () => number },
  ) {
    this.#apps = apps;
    this.#demand = demand;
    this.#runtime = runtime;
    this.#clock = clock;
    this.#answeredMs = clock();
    this.#calledOff = new Promise((resolve) => {
      this.#callOff = () => {
        this.#isCalledOff = true;
        resolve(STUCK);
      };
    });
  }

  /** Resolves when everybody was answered, or the sale was called off. */
  async buy(): Promise<readonly Served[]> {
    const { users } = this.#demand;
    const cancel = this.#watch();
    await Promise.all(Array.from({ length: users }, () => this.#user()));
    cancel();
    return this.#served;
  }

  async #user(): Promise<void> {
    const { requests, users, products } = this.#demand;
    const each = Math.ceil(requests / users);
    for (let i = 0; i < each && this.#sent < requests && !this.#isCalledOff; i++) {
      const n = ++this.#sent;
      const app = this.#next();
      if (app === undefined) return;
      const fromMs = this.#clock();
      const product = products[spread(n) % products.length] ?? '';
      const answer = await Promise.race([app.buy({ n, product }), this.#calledOff]);
      const untilMs = this.#clock();
      if (answer.outcome === 'sold' || answer.outcome === 'refused') this.#answeredMs = untilMs;
      this.#served.push({ answer, fromMs, untilMs });
    }
  }

  /** Round robin among those that live. */
  #next(): App | undefined {
    for (let i = 0; i < this.#apps.length; i++) {
      const app = this.#apps[this.#turn++ % this.#apps.length];
      if (app?.isAlive === true) return app;
    }
    return undefined;
  }

  #watch(): () => void {
    const { patienceMs } = this.#demand;
    let cancel: (() => void) | undefined;
    const look = (): void => {
      if (this.#clock() - this.#answeredMs >= patienceMs) this.#callOff();
      else cancel = this.#runtime.timer(patienceMs / 10, look, { awaited: true });
    };
    look();
    return () => cancel?.();
  }
}
