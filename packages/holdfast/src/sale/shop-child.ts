import type { ChildProcess } from 'node:child_process';
import type { ChildProcesses } from '../local/child-processes.ts';
import type { Answer } from './answer.ts';
import type { App } from './crowd.ts';
import type { Request } from './shop.ts';
import type { FromShop, ShopOpening } from './shop-messages.ts';

const NO_ANSWER: Answer = { outcome: 'no-answer', stays: [] };

/** An application process, as the balancer sees it. */
export class ShopChild implements App {
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, (answer: Answer) => void>();
  #isAlive = true;
  #opened: (error?: Error) => void = () => {};

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (message: FromShop) => this.#heard(message));
    child.once('exit', () => this.#died());
  }

  /** Resolves when it sells. */
  static async start(processes: ChildProcesses, opening: ShopOpening): Promise<ShopChild> {
    const shop = new ShopChild(processes.fork('shop-process', [JSON.stringify(opening)]));
    await new Promise<void>((resolve, reject) => {
      shop.#opened = (error) => (error === undefined ? resolve() : reject(error));
    });
    return shop;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  buy(request: Request): Promise<Answer> {
    return new Promise((resolve) => {
      this.#asked.set(request.n, resolve);
      // A child that has just died is noticed by its exit.
      this.#child.send(request, () => {});
    });
  }

  #heard(message: FromShop): void {
    if (message.kind === 'open') return this.#opened();
    if (message.kind === 'failed') return this.#opened(new Error(message.message));
    this.#asked.get(message.n)?.(message.answer);
    this.#asked.delete(message.n);
  }

  #died(): void {
    this.#isAlive = false;
    this.#opened(new Error('an application process ended before it sold anything'));
    for (const answer of this.#asked.values()) answer(NO_ANSWER);
    this.#asked.clear();
  }
}
