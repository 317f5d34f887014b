import type { ChildProcess } from 'node:child_process';
import type { ChildProcesses } from '../plant/index.ts';
import type { AppProcess } from './load-generator.ts';
import type { Sale } from './sale.ts';
import type { PurchaseRequest, PurchaseResult } from './shop.ts';

const ENTRY = new URL('./shop-process.js', import.meta.url);
const NO_ANSWER: PurchaseResult = { outcome: 'no-answer', stays: [] };

/** An application process, as the balancer sees it. */
export class ShopChild implements AppProcess {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, (answer: PurchaseResult) => void>();
  #isAlive = true;
  #opened: (error?: Error) => void = () => {};

  /** It loads its code, and waits. */
  constructor(processes: ChildProcesses) {
    this.#child = processes.fork(ENTRY, []);
    this.#child.on('message', (message: FromShop) => this.#onMessage(message));
    this.#child.once('exit', () => this.#onExit());
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Resolves when it sells; rejects when it cannot. */
  open(opening: ShopOpening): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#opened = (error) => (error === undefined ? resolve() : reject(error));
      if (this.#isAlive) this.#send(opening);
      else this.#opened(ended());
    });
  }

  buy(request: PurchaseRequest): Promise<PurchaseResult> {
    return new Promise((resolve) => {
      this.#pending.set(request.n, resolve);
      this.#send(request);
    });
  }

  /** Whether it could hold another sale: it lives, and nobody waits for it any more. */
  get isFree(): boolean {
    return this.#isAlive && this.#pending.size === 0;
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }

  /** A child that has just died is noticed by its exit. */
  #send(message: ToShop): void {
    this.#child.send(message, () => {});
  }

  #onMessage(message: FromShop): void {
    if (message.kind === 'open') return this.#opened();
    if (message.kind === 'failed') return this.#opened(new Error(message.message));
    this.#pending.get(message.n)?.(message.answer);
    this.#pending.delete(message.n);
  }

  #onExit(): void {
    this.#isAlive = false;
    this.#opened(ended());
    for (const answer of this.#pending.values()) answer(NO_ANSWER);
    this.#pending.clear();
  }
}

function ended(): Error {
  return new Error('an application process ended before it sold anything');
}

/** What an application process is told before it sells, and before every other sale. */
export interface ShopOpening {
  readonly sale: Sale;
  /** From 0; the first one is struck by whatever goes wrong. */
  readonly place: number;
  /** Of the Redis servers: the first has the stock, all of them the locks. */
  readonly redis: readonly string[];
  /** `host:port` of each server of the ensemble, where the step needs one. */
  readonly ensemble: readonly string[];
}

/** From an application process: it is open, or what it answers to a request. */
export type FromShop =
  | { readonly kind: 'open' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'answer'; readonly n: number; readonly answer: PurchaseResult };

/** To an application process: what is sold how, and then whatever customers ask for. */
export type ToShop = ShopOpening | PurchaseRequest;
