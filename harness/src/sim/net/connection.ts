import type { EventOwner } from '../event-queue.ts';
import type { Kernel } from '../kernel.ts';
import type { SimProcess } from '../process.ts';
import type { FaultyChannel } from './faulty-channel.ts';
import type { MessageKind } from './message.ts';

/** The far end of connections. */
export interface Endpoint {
  readonly name: string;
  /** A process dials. Returns the owner that serves the connection; undefined refuses it. */
  accept(connection: Connection): EventOwner | undefined;
  /** The connection is over. */
  disconnected(connection: Connection): void;
}

/** Notifications to the end that dialled, in its process. */
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

/** For people; called only if a trace is kept. */
export type Detail = () => string;

/**
 * One connection from a process to an endpoint, from dialling to its end. After its process closed it, it still
 * delivers all messages sent before. After a reset, the message at which it was reset and all behind it are lost.
 */
export class Connection {
  readonly process: SimProcess;
  readonly #kernel: Kernel;
  readonly #endpoint: Endpoint;
  readonly #listener: ConnectionListener;
  readonly #outbound: FaultyChannel;
  readonly #inbound: FaultyChannel;
  #server: EventOwner | undefined;
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

  /** Sends to the far end, which executes `run`. A stall of the label delays it. */
  request(label: string, run: () => void, detail?: Detail): void {
    const { process } = this;
    const departUs = process.departs(label);
    const cause = this.#kernel.trace.isKept
      ? this.#kernel.record(process.name, 'send', label, departUs, this.#traceDetails(detail))
      : -1;
    const arrive = (): boolean => {
      // The process kept running in the stalled step, but crashed before the stall was over; or the far end is gone.
      if (!this.#isClosedRemotely && process.wasAliveAt(departUs)) run();
      return false;
    };
    if (!this.isOver && process.wasAliveAt(departUs)) {
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

  /** Sends a reply: `run` executes in the process, unless the connection was closed there. */
  reply(label: string, departUs: number, run: () => void, detail?: Detail): void {
    this.#sendBack('reply', label, departUs, run, detail);
  }

  /** Sends a push, which no request led to, from the far end. */
  push(label: string, departUs: number, run: () => void, detail?: Detail): void {
    this.#sendBack('push', label, departUs, run, detail);
  }

  /** Closes the connection on the process' side; the far end learns it behind all messages already sent. */
  close(): void {
    if (this.isOver) return;
    this.#isClosedLocally = true;
    this.#outbound.sendControl(this.process.nowUs, undefined, () => this.#endRemotely());
  }

  /**
   * Ends the connection on the far end, which is done with it or dead. Messages on their way there are not executed,
   * and the process is notified.
   */
  abort(reason: string): void {
    this.#end(reason);
  }

  /**
   * Ends the connection as {@link abort} does, by a far end that has forgotten it, as a reset does: nothing is sent
   * again after a cut.
   */
  reset(reason: string): void {
    this.#inbound.dropHeld();
    this.#end(reason);
  }

  /** True if either end is done with it. */
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

  /** Ends the connection on the far end, and notifies the process. */
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
