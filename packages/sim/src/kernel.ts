import { EventQueue, type Owner, RANK, type Rank, type SimEvent } from './event-queue.ts';
import { Trace } from './trace.ts';

export interface EventOptions {
  readonly owner?: Owner | undefined;
  readonly rank?: Rank;
  /** The trace record this follows from; by default the one whose event is running. */
  readonly cause?: number;
}

/** Virtual time in whole microseconds, and the events that make it pass. Knows nothing of processes or promises. */
export class Kernel {
  readonly trace: Trace;
  readonly #queue = new EventQueue();
  #nowUs = 0;
  #scheduled = 0;
  #ran = 0;
  #cause = -1;

  constructor(trace: boolean) {
    this.trace = new Trace(trace);
  }

  get nowUs(): number {
    return this.#nowUs;
  }

  /** How many events have run. */
  get ran(): number {
    return this.#ran;
  }

  /** True time of the next event, undefined when none is left. */
  get nextUs(): number | undefined {
    return this.#queue.peek()?.atUs;
  }

  schedule(atUs: number, run: () => boolean, options: EventOptions = {}): SimEvent {
    const dueUs = Math.max(this.#nowUs, atUs);
    const event: SimEvent = {
      atUs: dueUs,
      rank: options.rank ?? RANK.act,
      dueUs,
      seq: this.#scheduled++,
      owner: options.owner,
      cause: options.cause ?? this.#cause,
      run,
      cancelled: false,
    };
    this.#queue.push(event);
    return event;
  }

  /** Runs the next event; returns whether it may have woken asynchronous code. */
  step(): boolean {
    const event = this.#queue.peek();
    if (event === undefined) return false;
    this.#queue.pop();
    this.#nowUs = event.atUs;
    this.#cause = event.cause;
    this.#ran++;
    return event.run();
  }

  /** Lets time pass without any event. */
  idleUntil(atUs: number): void {
    this.#nowUs = Math.max(this.#nowUs, atUs);
  }

  /** Adds a record that follows from what is running. */
  record(process: string, kind: string, label?: string, departUs?: number): number {
    return this.trace.add({
      atUs: this.#nowUs,
      process,
      kind,
      cause: this.#cause,
      ...(label === undefined ? {} : { label }),
      ...(departUs === undefined || departUs === this.#nowUs ? {} : { departUs }),
    });
  }

  /** As {@link record}; whatever is done from here on, until the next event, follows from it. */
  begin(process: string, kind: string, label?: string): void {
    this.#cause = this.record(process, kind, label);
  }
}

/** Far above the rounding noise of a sum of milliseconds, far below a microsecond. */
const NOISE_US = 1e-3;

/** A duration that the harness gives, in whole microseconds. */
export function toUs(ms: number): number {
  if (Number.isNaN(ms)) throw new RangeError('a duration must be a number');
  return Math.ceil(ms * 1000 - NOISE_US);
}

/**
 * A duration that lock code gives, as the first whole microsecond at which it is certainly over. No noise is
 * forgiven: a timer that fired a hair too early would be set again, for that hair, for ever.
 */
export function overAfterUs(ms: number): number {
  if (Number.isNaN(ms)) throw new RangeError('a duration must be a number');
  return Math.ceil(ms * 1000);
}
