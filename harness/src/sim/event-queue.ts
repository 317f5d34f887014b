/** The process or server that an event wakes; it may be paused or crashed. */
export interface EventOwner {
  /** True time before which it runs nothing. */
  readonly readyAtUs: number;
  readonly crashed: boolean;
}

/** A FIFO channel from one actor to another. An actor's own steps use a channel from the actor to itself. */
export interface EventChannel {
  readonly from: string;
  readonly to: string;
}

/** Order among events of one time: first faults are injected, then all actors act, then waits for that time end. */
export const RANK = { harness: 0, act: 1, goal: 2 } as const;
export type Rank = (typeof RANK)[keyof typeof RANK];

export interface SimEvent {
  atUs: number;
  readonly rank: Rank;
  /** The time at which it would have happened if its owner had not been paused. */
  readonly dueUs: number;
  readonly seq: number;
  readonly owner: EventOwner | undefined;
  /** The channel that delivers it; undefined for timers, and for events that only observe. */
  readonly channel: EventChannel | undefined;
  /** The trace record that scheduled it. */
  readonly cause: number;
  /** Returns true if asynchronous code may have been woken; its microtasks must run before the next event. */
  readonly run: () => boolean;
  cancelled: boolean;
}

/** Decides which event is next. */
export interface Queue {
  push(event: SimEvent): void;
  /** Returns the next event that will really run. A second call in a row returns the same event. */
  peek(): SimEvent | undefined;
  /** Removes the event that {@link peek} returned. */
  pop(): SimEvent | undefined;
}

/**
 * A binary heap. `dueUs` is in the key because all events that a pause held back have the same `atUs`. They have to
 * come out in the order in which they were due, not in the order in which they were scheduled.
 */
export class EventQueue implements Queue {
  readonly #heap: SimEvent[] = [];

  push(event: SimEvent): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  pop(): SimEvent | undefined {
    const top = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && last !== top) this.#siftDown(last);
    return top;
  }

  /** Returns the next event that will really run; postpones events whose owner is paused. */
  peek(): SimEvent | undefined {
    for (;;) {
      const top = this.#heap[0];
      if (top === undefined) return undefined;
      if (top.cancelled || top.owner?.crashed) {
        this.pop();
      } else if (top.owner !== undefined && top.owner.readyAtUs > top.atUs) {
        this.pop();
        top.atUs = top.owner.readyAtUs;
        this.push(top);
      } else {
        return top;
      }
    }
  }

  #siftDown(event: SimEvent): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child]!)) child++;
      if (!isBefore(heap[child]!, event)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = event;
  }
}

function isBefore(a: SimEvent, b: SimEvent): boolean {
  if (a.atUs !== b.atUs) return a.atUs < b.atUs;
  if (a.rank !== b.rank) return a.rank < b.rank;
  if (a.dueUs !== b.dueUs) return a.dueUs < b.dueUs;
  return a.seq < b.seq;
}
