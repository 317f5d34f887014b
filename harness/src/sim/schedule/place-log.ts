import { contenderOf } from './holds.ts';

/** The queue of a key on one server, right after a request. */
export interface ServerQueue {
  /** By contender that waits, in order, its place: a larger one if it has left, and has come back at the end. */
  readonly waiting: ReadonlyMap<string, number>;
  /** The owner values of those that hold. */
  readonly holding: readonly string[];
  /** True if the request took out this contender's place for its own sake. */
  readonly hasLeft?: (contender: string) => boolean;
}

interface Arrival {
  readonly ticket: number;
  place: number;
  isWaiting: boolean;
  hasHeld: boolean;
}

/**
 * Numbers contenders in the order in which a server first had them, in its queue or as holders. A contender that the queue
 * has dropped arrives anew. One that its own release or undo has taken out, although it still waited, keeps its number:
 * nobody had a reason to take its place.
 */
export class PlaceLog {
  /** By server and contender. */
  readonly #arrivals = new Map<string, Map<string, Arrival>>();
  /** By owner value. */
  readonly #tickets = new Map<string, number>();
  #latest = 0;

  ticketOf(owner: string): number | undefined {
    return this.#tickets.get(owner);
  }

  /** To be called after every request that a server has executed. */
  executed(server: string, { waiting, holding, hasLeft }: ServerQueue): void {
    let arrivals = this.#arrivals.get(server);
    if (arrivals === undefined) this.#arrivals.set(server, (arrivals = new Map()));
    // In front of those that came by the same request, and wait.
    const holders = new Set<string>();
    for (const owner of holding) {
      const contender = contenderOf(owner);
      // Whoever waits holds no more: a key that has expired stays until a command looks at it.
      if (waiting.has(contender)) continue;
      const arrival = this.#arrived(arrivals, contender);
      arrival.hasHeld = true;
      holders.add(contender);
      // Set once: a value that a restart brings back is no other grant.
      if (!this.#tickets.has(owner)) this.#tickets.set(owner, arrival.ticket);
    }
    for (const [contender, place] of waiting) {
      const before = arrivals.get(contender);
      const isAtTheEnd = before?.isWaiting === true && place > before.place;
      // It held, and its key expired while the server executed nothing: it queues anew.
      if (isAtTheEnd || before?.hasHeld === true) arrivals.delete(contender);
      const arrival = this.#arrived(arrivals, contender);
      arrival.isWaiting = true;
      arrival.place = place;
    }
    for (const [contender, arrival] of Array.from(arrivals)) {
      if (waiting.has(contender) || holders.has(contender)) continue;
      if (arrival.hasHeld || (arrival.isWaiting && hasLeft?.(contender) !== true))
        arrivals.delete(contender);
      arrival.isWaiting = false;
    }
  }

  #arrived(arrivals: Map<string, Arrival>, contender: string): Arrival {
    let arrival = arrivals.get(contender);
    if (arrival === undefined) {
      const ticket = (this.#latest += 1);
      arrivals.set(contender, (arrival = { ticket, place: 0, isWaiting: false, hasHeld: false }));
    }
    return arrival;
  }
}
