import type { Owner } from '../event-queue.ts';
import type { Kernel } from '../kernel.ts';
import type { SimProcess } from '../process.ts';
import type { Lane } from './lane.ts';
import type { Way } from './message.ts';

/** Where connections lead. */
export interface Place {
  readonly name: string;
  /** Somebody connects. Returns whoever serves the connection; undefined refuses it. */
  accept(connection: Connection): Owner | undefined;
  /** The connection is over. */
  left(connection: Connection): void;
}

/** What the end that dialled is told, in its process. */
export interface Near {
  ready(): void;
  closed(cause: Error): void;
}

export interface ConnectionParts {
  readonly kernel: Kernel;
  readonly process: SimProcess;
  readonly place: Place;
  readonly near: Near;
  readonly there: Lane;
  readonly back: Lane;
}

/** For people; asked for only where a trace is kept. */
export type Detail = () => string;

/**
 * One connection from a process to a place, from dialling to its end. One that its process has closed still delivers
 * what was written to it before; one that was reset loses the message at which it was, and all behind it.
 */
export class Connection {
  readonly process: SimProcess;
  readonly #kernel: Kernel;
  readonly #place: Place;
  readonly #near: Near;
  readonly #there: Lane;
  readonly #back: Lane;
  #server: Owner | undefined;
  #isClosedHere = false;
  #isClosedThere = false;
  #isBroken = false;
  readonly #broken = (): void => this.#end();

  constructor({ kernel, process, place, near, there, back }: ConnectionParts) {
    this.process = process;
    this.#kernel = kernel;
    this.#place = place;
    this.#near = near;
    this.#there = there;
    this.#back = back;
  }

  dial(): void {
    this.request('connect', () => this.#dialled());
  }

  /** Sends to the far end, which does `run`. A stall of the label holds it up. */
  request(label: string, run: () => void, detail?: Detail): void {
    const { process } = this;
    const departUs = process.departs(label);
    const cause = this.#kernel.trace.isKept
      ? this.#kernel.record(process.name, 'send', label, departUs, this.#about(detail))
      : -1;
    const arrive = (): boolean => {
      // It ran on in the step that a stall held up, but died before the stall was over; or there is nobody left.
      if (!this.#isClosedThere && process.livedAt(departUs)) run();
      return false;
    };
    if (!this.isOver && process.livedAt(departUs)) {
      const owner = this.#server;
      const broken = this.#broken;
      this.#isBroken ||= !this.#there.post({
        way: 'request',
        label,
        departUs,
        owner,
        cause,
        arrive,
        detail,
        broken,
      });
    }
    process.departed(label);
  }

  /** The far end answers: `run` happens in the process, unless the connection was closed there. */
  reply(label: string, departUs: number, run: () => void, detail?: Detail): void {
    this.#sendBack('reply', label, departUs, run, detail);
  }

  /** The far end sends something that was not asked for. */
  push(label: string, departUs: number, run: () => void, detail?: Detail): void {
    this.#sendBack('push', label, departUs, run, detail);
  }

  /** The process is done with it; the far end learns that behind whatever was sent. */
  close(): void {
    if (this.isOver) return;
    this.#isClosedHere = true;
    this.#there.sign(this.process.nowUs, undefined, () => this.#endThere());
  }

  /** The far end is done with it, or dead: nothing that is on its way there is done, and the process learns that. */
  abort(reason: string): void {
    this.#end(reason);
  }

  /** As {@link abort}, by a far end that has forgotten the connection, as a reset does: nothing is sent again after a cut. */
  reset(reason: string): void {
    this.#back.forget();
    this.#end(reason);
  }

  /** Whether either end is done with it. */
  get isOver(): boolean {
    return this.#isClosedHere || this.#isBroken;
  }

  #dialled(): void {
    this.#server = this.#place.accept(this);
    if (this.#server === undefined) this.#end('connection refused');
    else this.reply('connect', this.#kernel.nowUs, () => this.#near.ready());
  }

  #sendBack(way: Way, label: string, departUs: number, run: () => void, detail?: Detail): void {
    if (this.#isBroken) return;
    const { process } = this;
    const arrive = (): boolean => {
      if (this.#isClosedHere) return false;
      this.#kernel.begin(process.name, 'recv', label, this.#told(detail));
      run();
      return true;
    };
    const { cause } = this.#kernel;
    const broken = this.#broken;
    this.#isBroken ||= !this.#back.post({
      way,
      label,
      departUs,
      owner: process,
      cause,
      arrive,
      detail,
      broken,
    });
  }

  /** Ends it there, and lets the process know. */
  #end(reason = 'the connection was reset'): void {
    this.#endThere();
    this.#isBroken = true;
    this.#back.sign(this.#kernel.nowUs, this.process, () => {
      if (this.#isClosedHere) return false;
      this.#isClosedHere = true;
      this.#kernel.begin(this.process.name, 'recv', 'close', { detail: reason });
      this.#near.closed(new Error(reason));
      return true;
    });
  }

  #endThere(): boolean {
    if (this.#isClosedThere) return false;
    this.#isClosedThere = true;
    this.#place.left(this);
    return false;
  }

  #about(detail: Detail | undefined): { to: string; detail?: string } {
    return { to: this.#place.name, ...this.#told(detail) };
  }

  #told(detail: Detail | undefined): { detail?: string } {
    return detail === undefined || !this.#kernel.trace.isKept ? {} : { detail: detail() };
  }
}
