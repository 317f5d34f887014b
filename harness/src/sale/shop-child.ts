import type { ChildProcess } from 'node:child_process';
import type { ChildProcesses } from '../plant/index.ts';
import type { Answer } from './answer.ts';
import type { App } from './crowd.ts';
import type { Request } from './shop.ts';
import type { FromShop, ShopOpening, ToShop } from './shop-messages.ts';

const ENTRY = new URL('./shop-process.js', import.meta.url);
const NO_ANSWER: Answer = { outcome: 'no-answer', stays: [] };

/** An application process, as the balancer sees it. */
export class ShopChild implements App {
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, (answer: Answer) => void>();
  #isAlive = true;
  #opened: (error?: Error) => void = () => {};

  /** It loads its code, and waits. */
  constructor(processes: ChildProcesses) {
    this.#child = processes.fork(ENTRY, []);
    this.#child.on('message', (message: FromShop) => this.#heard(message));
    this.#child.once('exit', () => this.#died());
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

  buy(request: Request): Promise<Answer> {
    return new Promise((resolve) => {
      this.#asked.set(request.n, resolve);
      this.#send(request);
    });
  }

  /** Whether it could hold another sale: it lives, and nobody waits for it any more. */
  get isFree(): boolean {
    return this.#isAlive && this.#asked.size === 0;
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }

  /** A child that has just died is noticed by its exit. */
  #send(message: ToShop): void {
    this.#child.send(message, () => {});
  }

  #heard(message: FromShop): void {
    if (message.kind === 'open') return this.#opened();
    if (message.kind === 'failed') return this.#opened(new Error(message.message));
    this.#asked.get(message.n)?.(message.answer);
    this.#asked.delete(message.n);
  }

  #died(): void {
    this.#isAlive = false;
    this.#opened(ended());
    for (const answer of this.#asked.values()) answer(NO_ANSWER);
    this.#asked.clear();
  }
}

function ended(): Error {
  return new Error('an application process ended before it sold anything');
}
