import type { ChildProcess } from 'node:child_process';
import type { ChildProcesses, NamedOpening } from '../real/index.ts';
import type { AppProcess } from './load-generator.ts';
import type { Sale } from './sale.ts';
import type { PurchaseRequest, PurchaseResult } from './shop.ts';

const ENTRY = new URL('./shop-process.js', import.meta.url);
const NO_REPLY: PurchaseResult = { outcome: 'no-reply', sections: [] };

/** An application process, in a child process. */
export class ShopChild implements AppProcess {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, (resolve: PurchaseResult) => void>();
  #isAlive = true;
  #opened: (error?: Error) => void = () => {};

  /** Starts the process, which loads its code and waits. */
  constructor(processes: ChildProcesses) {
    this.#child = processes.fork(ENTRY, []);
    this.#child.on('message', (message: FromShop) => this.#onMessage(message));
    this.#child.once('exit', () => this.#onExit());
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Resolves when it is ready to sell; rejects if it cannot. */
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

  /** True if it can run another sale: it is alive, and no request is pending. */
  get isFree(): boolean {
    return this.#isAlive && this.#pending.size === 0;
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }

  /** Sends a message. Errors are ignored: a crashed child is noticed by its exit. */
  #send(message: ToShop): void {
    this.#child.send(message, () => {});
  }

  #onMessage(message: FromShop): void {
    if (message.kind === 'open') return this.#opened();
    if (message.kind === 'failed') return this.#opened(new Error(message.message));
    this.#pending.get(message.n)?.(message.result);
    this.#pending.delete(message.n);
  }

  #onExit(): void {
    this.#isAlive = false;
    this.#opened(ended());
    for (const resolve of this.#pending.values()) resolve(NO_REPLY);
    this.#pending.clear();
  }
}

function ended(): Error {
  return new Error('an application process ended before it sold anything');
}

/** The message that opens a sale in an application process. */
export interface ShopOpening {
  readonly sale: Sale;
  /** The index of the process; faults hit the first, 0. */
  readonly place: number;
  /** The Redis servers: the first has the stock, all of them the locks. */
  readonly redis: readonly string[];
  /** How its locks are opened if other servers have them. */
  readonly opening?: NamedOpening | undefined;
}

/** A message from an application process: it is open, or a reply to a request. */
export type FromShop =
  | { readonly kind: 'open' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'result'; readonly n: number; readonly result: PurchaseResult };

/** A message to an application process: a sale to open, or a request. */
export type ToShop = ShopOpening | PurchaseRequest;
