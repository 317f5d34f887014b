import {
  type EventChannel,
  type EventOwner,
  EventQueue,
  type Queue,
  RANK,
  type Rank,
  type SimEvent,
} from './event-queue.ts';
import { Trace, type TraceRecord } from './trace.ts';

export interface EventOptions {
  readonly owner?: EventOwner | undefined;
  readonly rank?: Rank;
  /** The trace record that this one follows from; by default the one whose event is running. */
  readonly cause?: number;
}

/** The fields that only some records have. */
export type RecordDetails = Pick<TraceRecord, 'to' | 'detail'>;

/** Virtual time in whole microseconds, and the events that make it pass. Knows nothing of processes or promises. */
export class Kernel {
  readonly trace: Trace;
  readonly #queue: Queue;
  #nowUs = 0;
  #scheduled = 0;
  #ran = 0;
  #cause = -1;
  #isPostponed = false;

  constructor(trace: boolean, queue: Queue = new EventQueue()) {
    this.trace = new Trace(trace);
    this.#queue = queue;
  }

  get nowUs(): number {
    return this.#nowUs;
  }

  /** The trace record that the running event follows from. */
  get cause(): number {
    return this.#cause;
  }

  /** Number of events that have run. */
  get ran(): number {
    return this.#ran;
  }

  /** The next event, undefined when none is left. */
  get next(): SimEvent | undefined {
    return this.#queue.peek();
  }

  schedule(
    atUs: number,
    run: () => boolean,
    { owner, rank = RANK.act, cause = this.#cause }: EventOptions = {},
    channel?: EventChannel,
  ): SimEvent {
    return this.#push(atUs, run, rank, owner, channel, cause);
  }

  /** Schedules the arrival of a message. Not by options: most events are messages, and their options have many shapes. */
  deliver(
    atUs: number,
    run: () => boolean,
    channel: EventChannel,
    owner: EventOwner | undefined,
    cause: number,
  ): SimEvent {
    return this.#push(atUs, run, RANK.act, owner, channel, cause);
  }

  /** Runs the event that {@link next} has just returned; returns true if it may have woken asynchronous code. */
  run(event: SimEvent): boolean {
    this.#queue.pop();
    this.#nowUs = event.atUs;
    this.#cause = event.cause;
    this.#ran++;
    const woke = event.run();
    if (this.#isPostponed) {
      this.#isPostponed = false;
      this.#queue.push(event);
    }
    return woke;
  }

  /**
   * Makes the running event run once more, as if it had not run yet: its owner turned out to be paused from this very
   * moment. The event keeps its place among those of its time.
   */
  postpone(): void {
    this.#isPostponed = true;
  }

  /** Lets time pass without any event. */
  idleUntil(atUs: number): void {
    this.#nowUs = Math.max(this.#nowUs, atUs);
  }

  #push(
    atUs: number,
    run: () => boolean,
    rank: Rank,
    owner: EventOwner | undefined,
    channel: EventChannel | undefined,
    cause: number,
  ): SimEvent {
    const dueUs = Math.max(this.#nowUs, atUs);
    const seq = this.#scheduled++;
    const event: SimEvent = {
      atUs: dueUs,
      rank,
      dueUs,
      seq,
      owner,
      channel,
      cause,
      run,
      cancelled: false,
    };
    this.#queue.push(event);
    return event;
  }

  /** Adds a record that follows from the running event. */
  record(
    process: string,
    kind: string,
    label?: string,
    departUs?: number,
    more?: RecordDetails,
    cause: number = this.#cause,
  ): number {
    if (!this.trace.isKept) return -1;
    return this.trace.add({
      atUs: this.#nowUs,
      process,
      kind,
      cause,
      ...(label === undefined ? {} : { label }),
      ...(departUs === undefined || departUs === this.#nowUs ? {} : { departUs }),
      ...more,
    });
  }

  /** Adds a record, as {@link record} does; later records follow from it, until the next event. */
  begin(process: string, kind: string, label?: string, more?: RecordDetails): void {
    this.#cause = this.record(process, kind, label, undefined, more);
  }
}

/** Far above the rounding noise of a sum of milliseconds, far below a microsecond. */
const NOISE_US = 1e-3;

/** Converts a duration that the harness gives into whole microseconds. */
export function toUs(ms: number): number {
  if (Number.isNaN(ms)) throw new RangeError('a duration must be a number');
  return Math.ceil(ms * 1000 - NOISE_US);
}

/**
 * Converts a duration that lock code gives into the first whole microsecond at which it is certainly over. Rounding
 * noise is not forgiven: a timer that fired a hair too early would be set again and again for that hair.
 */
export function overAfterUs(ms: number): number {
  if (Number.isNaN(ms)) throw new RangeError('a duration must be a number');
  return Math.ceil(ms * 1000);
}
