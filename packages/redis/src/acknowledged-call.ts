import type { CommandConnection } from './command-connection.ts';
import type { HasDeadline } from './deadline-queue.ts';
import type { Caller, CommandArgs } from './pending-command.ts';
import {
  type Acknowledgement,
  type CallOptions,
  NodeNotAcknowledged,
  NodeUnavailable,
  type Reply,
} from './port.ts';

export interface AcknowledgedCallOptions extends CallOptions {
  readonly address: string;
}

/** One call that replicas must acknowledge: from its queue to its reply, and then to the end of the `WAIT` behind it. */
export class AcknowledgedCall implements HasDeadline {
  /** The end of the wait for replicas. The reply itself has the deadline of the call. */
  readonly deadlineMs: number;
  readonly replicas: number;
  readonly #args: CommandArgs;
  readonly #options: AcknowledgedCallOptions;
  readonly #acknowledged: Acknowledgement;
  readonly #caller: Caller;
  readonly #onSettled: () => void;
  #reply: Reply | undefined;
  #isSent = false;
  /** True once the wait for replicas is over. */
  #isOver = false;
  #isSettled = false;

  /** `onSettled` is called once, before the caller. */
  constructor(
    args: CommandArgs,
    options: AcknowledgedCallOptions,
    caller: Caller,
    onSettled: () => void,
  ) {
    const { acknowledged = { replicas: 1, byMs: options.deadlineMs } } = options;
    this.deadlineMs = Math.min(acknowledged.byMs, options.deadlineMs);
    this.replicas = acknowledged.replicas;
    this.#args = args;
    this.#options = options;
    this.#acknowledged = acknowledged;
    this.#caller = caller;
    this.#onSettled = onSettled;
  }

  /** The deadline of the call itself. */
  get callEndMs(): number {
    return this.#options.deadlineMs;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  send(connection: CommandConnection): void {
    this.#isSent = true;
    connection.call(this.#args, this.#options, {
      resolve: (reply) => this.#replied(reply),
      reject: (error) => this.#settle(() => this.#caller.reject(error)),
    });
  }

  /** The `WAIT` behind it has ended; `acknowledgedBy` is undefined if it has no reply. */
  waited(acknowledgedBy: number | undefined, cause?: unknown): void {
    const reply = this.#reply;
    // Replies come in order: without its own, the connection is lost, and the call fails by itself.
    if (reply === undefined) this.#isOver = true;
    else if ((acknowledgedBy ?? 0) >= this.replicas)
      this.#settle(() => this.#caller.resolve(reply));
    else this.#failAcknowledged(acknowledgedBy, cause);
  }

  /** The time to wait for replicas is over. */
  expire(): void {
    this.#isOver = true;
    if (!this.#isSent)
      this.failUnsent('not sent: the replicas have not acknowledged earlier writes');
    else if (this.#reply !== undefined) this.#failAcknowledged(undefined);
  }

  failUnsent(message: string): void {
    const text = `${this.#options.address}: ${message}`;
    this.#settle(() => this.#caller.reject(new NodeUnavailable(text)));
  }

  #replied(reply: Reply): void {
    this.#reply = reply;
    if (this.#acknowledged.isNeeded?.(reply) === false)
      this.#settle(() => this.#caller.resolve(reply));
    else if (this.#isOver) this.#failAcknowledged(undefined);
  }

  #failAcknowledged(acknowledgedBy: number | undefined, cause?: unknown): void {
    const count = acknowledgedBy === undefined ? 'too few' : `${acknowledgedBy}`;
    const text = `${this.#options.address}: ${count} of ${this.replicas} replicas acknowledged in time`;
    this.#settle(() => this.#caller.reject(new NodeNotAcknowledged(text, acknowledgedBy, cause)));
  }

  #settle(end: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#onSettled();
    end();
  }
}
