import type { Owner } from '../event-queue.ts';
import type { Kernel } from '../kernel.ts';
import type { SimProcess } from '../process.ts';
import type { FaultyChannel } from './faulty-channel.ts';
import type { MessageKind } from './message.ts';

/** Where connections lead. */
export interface Endpoint {
  readonly name: string;
  /** Somebody connects. Returns whoever serves the connection; undefined refuses it. */
  accept(connection: Connection): Owner | undefined;
  /** The connection is over. */
  disconnected(connection: Connection): void;
}

/** What the end that dialled is told, in its process. */
export interface ConnectionListener {
  ready(): void;
  closed(cause: Error): void;
}

export interface ConnectionParts {
  readonly kernel: Kernel;
  readonly process: SimProcess;
  readonly endpoint: Endpoint;
  readonly listener: ConnectionListener;
  readonly outbound: FaultyChannel;
  readonly inbound: FaultyChannel;
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
  readonly #endpoint: Endpoint;
  readonly #listener: ConnectionListener;
  readonly #outbound: FaultyChannel;
  readonly #inbound: FaultyChannel;
  #server: Owner | undefined;
  #isClosedLocally = false;
  #isClosedRemotely = false;
  #isBroken = false;
  readonly #broken = (): void => this.#end();

  constructor({ kernel, process, endpoint, listener, outbound, inbound }: ConnectionParts) {
    this.process = process;
    this.#kernel = kernel;
    this.#endpoint = endpoint;
    this.#listener = listener;
    this.#outbound = outbound;
    this.#inbound = inbound;
  }

  dial(): void {
    this.request('connect', () => this.#dialled());
  }

  /** Sends to the far end, which does `run`. A stall of the label holds it up. */
  request(label: string, run: () => void, detail?: Detail): void {
    const { process } = this;
    const departUs = process.departs(label);
    const cause = this.#kernel.trace.isKept
      ? this.#kernel.record(process.name, 'send', label, departUs, this.#traceDetails(detail))
      : -1;
    const arrive = (): boolean => {
      // It ran on in the step that a stall held up, but died before the stall was over; or there is nobody left.
      if (!this.#isClosedRemotely && process.livedAt(departUs)) run();
      return false;
    };
    if (!this.isOver && process.livedAt(departUs)) {
      const owner = this.#server;
      const broken = this.#broken;
      this.#isBroken ||= !this.#outbound.send({
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
    this.#isClosedLocally = true;
    this.#outbound.sendControl(this.process.nowUs, undefined, () => this.#endRemotely());
  }

  /** The far end is done with it, or dead: nothing that is on its way there is done, and the process learns that. */
  abort(reason: string): void {
    this.#end(reason);
  }

  /** As {@link abort}, by a far end that has forgotten the connection, as a reset does: nothing is sent again after a cut. */
  reset(reason: string): void {
    this.#inbound.dropHeld();
    this.#end(reason);
  }

  /** Whether either end is done with it. */
  get isOver(): boolean {
    return this.#isClosedLocally || this.#isBroken;
  }

  #dialled(): void {
    this.#server = this.#endpoint.accept(this);
    if (this.#server === undefined) this.#end('connection refused');
    else this.reply('connect', this.#kernel.nowUs, () => this.#listener.ready());
  }

  #sendBack(
    way: MessageKind,
    label: string,
    departUs: number,
    run: () => void,
    detail?: Detail,
  ): void {
    if (this.#isBroken) return;
    const { process } = this;
    const arrive = (): boolean => {
      if (this.#isClosedLocally) return false;
      this.#kernel.begin(process.name, 'recv', label, this.#detailIfTraced(detail));
      run();
      return true;
    };
    const { cause } = this.#kernel;
    const broken = this.#broken;
    this.#isBroken ||= !this.#inbound.send({
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
    this.#endRemotely();
    this.#isBroken = true;
    this.#inbound.sendControl(this.#kernel.nowUs, this.process, () => {
      if (this.#isClosedLocally) return false;
      this.#isClosedLocally = true;
      this.#kernel.begin(this.process.name, 'recv', 'close', { detail: reason });
      this.#listener.closed(new Error(reason));
      return true;
    });
  }

  #endRemotely(): boolean {
    if (this.#isClosedRemotely) return false;
    this.#isClosedRemotely = true;
    this.#endpoint.disconnected(this);
    return false;
  }

  #traceDetails(detail: Detail | undefined): { to: string; detail?: string } {
    return { to: this.#endpoint.name, ...this.#detailIfTraced(detail) };
  }

  #detailIfTraced(detail: Detail | undefined): { detail?: string } {
    return detail === undefined || !this.#kernel.trace.isKept ? {} : { detail: detail() };
  }
}
