/** Whoever an event wakes: it may stand still until later, or be dead. */
export interface Owner {
  /** Before this true time it runs nothing. */
  readonly readyAtUs: number;
  readonly crashed: boolean;
}

/** One way from one actor to another: what goes along it comes out first in, first out. An actor's own steps go from it to it. */
export interface EventChannel {
  readonly from: string;
  readonly to: string;
}

/** Among events of one time: faults strike first, then everybody acts, and whoever waits for the time sees it last. */
export const RANK = { harness: 0, act: 1, goal: 2 } as const;
export type Rank = (typeof RANK)[keyof typeof RANK];

export interface SimEvent {
  atUs: number;
  readonly rank: Rank;
  /** When it would have happened had its owner not stood still. */
  readonly dueUs: number;
  readonly seq: number;
  readonly owner: Owner | undefined;
  /** Along which it comes; undefined for timers, and for what only watches. */
  readonly channel: EventChannel | undefined;
  /** The trace record that scheduled it. */
  readonly cause: number;
  /** Returns whether it may have woken asynchronous code, whose microtasks then have to run before the next event. */
  readonly run: () => boolean;
  cancelled: boolean;
}

/** What decides which event is next. */
export interface Queue {
  push(event: SimEvent): void;
  /** The next event that will really run. Asked twice in a row it gives the same answer. */
  peek(): SimEvent | undefined;
  /** Takes away what {@link peek} has given. */
  pop(): SimEvent | undefined;
}

/**
 * A binary heap. `dueUs` is in the key because everything that a pause held back has the same `atUs`, and has to
 * come out in the order in which it was due, not in the order in which it was scheduled.
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

  /** The next event that will really run; puts off what belongs to somebody who stands still. */
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
