import { leftMs, type Times } from './instants.ts';

/** Why a command is ended before it has ended by itself. */
export type EndReason =
  /** The lease could not be proven any more. */
  | 'deadline'
  /** The lease is known to be lost. */
  | 'lost'
  /** One of the two processes that supervise the command is gone. */
  | 'supervisor';

/** The length of the steps in which a command is ended, in ms. */
export interface EndingTimes {
  /** Between SIGTERM and SIGKILL, at most. */
  readonly graceMs: number;
  /** Between SIGKILL and the end of the lease: timers are late. */
  readonly marginMs: number;
}

export interface EndingParts extends EndingTimes {
  now(): Times;
  /** Returns the cancel. */
  timer(ms: number, run: () => void): () => void;
  /** Sends SIGTERM; called once. */
  terminate(reason: EndReason): void;
  /** Sends SIGKILL; called again and again, until `stop`. */
  kill(): void;
}

/** The wall clock may jump, and a timer follows the other one. */
const LOOK_MS = 1_000;
/** A process may be forked while the others are killed. */
const KILL_AGAIN_MS = 50;

/**
 * Ends a command within the lease: SIGTERM when only grace and margin are left of it, SIGKILL when the grace is over, at
 * the latest when only the margin is left. A deadline that is later than before puts off what has not begun.
 */
export class Ending {
  readonly #parts: EndingParts;
  #deadline: Times;
  #begun: { readonly reason: EndReason; readonly at: Times } | undefined;
  #isStopped = false;
  #cancel: () => void = () => {};

  constructor(parts: EndingParts, deadline: Times) {
    this.#parts = parts;
    this.#deadline = deadline;
  }

  /** The reason why the command is being ended; undefined while it may run. */
  get reason(): EndReason | undefined {
    return this.#begun?.reason;
  }

  /** True if it is too late to start the command. */
  get isDue(): boolean {
    return this.#untilTerminateMs <= 0;
  }

  /** From now on the clocks are watched. */
  watch(): void {
    this.#look();
  }

  /** Moves the end of the lease. */
  extend(deadline: Times): void {
    this.#deadline = deadline;
    this.#arm();
  }

  /** Ends the command now, whatever is left of the lease. */
  begin(reason: EndReason): void {
    if (this.#begun !== undefined || this.#isStopped) return;
    this.#begun = { reason, at: this.#parts.now() };
    this.#parts.terminate(reason);
    this.#look();
  }

  /** The command has ended. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #look(): void {
    if (this.#isStopped) return;
    if (this.#begun === undefined && this.isDue) return this.begin('deadline');
    if (this.#begun !== undefined && this.#untilKillMs <= 0) this.#parts.kill();
    this.#arm();
  }

  #arm(): void {
    this.#cancel();
    if (this.#isStopped) return;
    this.#cancel = this.#parts.timer(this.#nextLookMs, () => this.#look());
  }

  get #nextLookMs(): number {
    const dueMs = this.#begun === undefined ? this.#untilTerminateMs : this.#untilKillMs;
    const soonestMs = this.#begun === undefined ? 0 : KILL_AGAIN_MS;
    return Math.min(LOOK_MS, dueMs > 0 ? Math.ceil(dueMs) : soonestMs);
  }

  get #untilTerminateMs(): number {
    const { graceMs, marginMs } = this.#parts;
    return this.#leaseMs - graceMs - marginMs;
  }

  get #untilKillMs(): number {
    const { graceMs, marginMs } = this.#parts;
    if (this.#begun === undefined) return this.#leaseMs - marginMs;
    const graceLeftMs = graceMs + this.#begun.at.monotonicMs - this.#parts.now().monotonicMs;
    return Math.min(this.#leaseMs - marginMs, graceLeftMs);
  }

  get #leaseMs(): number {
    return leftMs(this.#deadline, this.#parts.now());
  }
}
