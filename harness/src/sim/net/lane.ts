import type { Owner } from '../event-queue.ts';
import type { Kernel } from '../kernel.ts';
import type { Way } from './message.ts';
import type { Fate } from './network.ts';
import { Pipe } from './pipe.ts';
import type { Road } from './road.ts';

/** A message that is about to leave. */
export interface Letter {
  readonly way: Way;
  readonly label: string;
  readonly departUs: number;
  readonly owner?: Owner | undefined;
  readonly cause: number;
  readonly arrive: () => boolean;
  /** A rule broke the connection at this message; called when it would have arrived. */
  readonly broken: () => void;
  /** For people; asked for where it is lost, and a trace kept. */
  readonly detail?: (() => string) | undefined;
}

export type Judge = (road: Road, way: Way, label: string) => Fate;

/** One direction of one connection, under the rules of the network. */
export class Lane {
  readonly #kernel: Kernel;
  readonly #road: Road;
  readonly #pipe: Pipe;
  readonly #judge: Judge;
  #isBlackHole = false;

  constructor(kernel: Kernel, road: Road, latencyUs: number, judge: Judge) {
    this.#kernel = kernel;
    this.#road = road;
    this.#pipe = new Pipe(kernel, road, latencyUs);
    this.#judge = judge;
  }

  /** False when the message broke the connection. */
  post(letter: Letter): boolean {
    const fate = this.#judge(this.#road, letter.way, letter.label);
    if (fate === 'drop' || this.#isBlackHole) {
      this.#isBlackHole = true;
      this.#recordLoss(letter);
      return true;
    }
    if (fate === 'reset') {
      this.#recordLoss(letter);
      this.sign(letter.departUs, undefined, () => {
        letter.broken();
        return false;
      });
      return false;
    }
    this.#pipe.send(letter, fate.delayUs);
    return true;
  }

  /** What a kernel sends by itself, when a connection ends: no rule sees it, but it keeps its place in the order. */
  sign(departUs: number, owner: Owner | undefined, arrive: () => boolean): void {
    if (this.#isBlackHole) return;
    this.#pipe.send({ departUs, owner, cause: this.#kernel.cause, arrive }, 0);
  }

  /** The sender has forgotten the connection: nothing that a cut swallowed is sent again. */
  forget(): void {
    this.#pipe.forget();
  }

  #recordLoss({ label, cause, detail }: Letter): void {
    if (!this.#kernel.trace.isKept) return;
    const more = { to: this.#road.to, ...(detail === undefined ? {} : { detail: detail() }) };
    this.#kernel.record(this.#road.from, 'lost', label, undefined, more, cause);
  }
}
