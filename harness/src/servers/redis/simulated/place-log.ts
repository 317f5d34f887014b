import { attemptOf, contenderOf, isOf } from '../../../sim/schedule/holds.ts';
import type { RedisEngine } from './engine.ts';
import type { Execution } from './key-change-watch.ts';
import { RedisSortedSet } from './values.ts';

/** Returns the contender whose place in a queue a member of a sorted set is; undefined for other members. */
export type WaiterOf = (member: string) => string | undefined;

interface Arrival {
  readonly ticket: number;
  isWaiting: boolean;
  hasHeld: boolean;
}

/**
 * Numbers contenders in the order in which a server first had them, in its queue or as holders. A contender that the queue
 * has dropped arrives anew. One that its own release or undo has taken out, although it still waited, keeps its number:
 * nobody had a reason to take its place.
 */
export class PlaceLog {
  readonly #waiterOf: WaiterOf;
  /** By server and contender. */
  readonly #arrivals = new Map<string, Map<string, Arrival>>();
  /** By owner value. */
  readonly #tickets = new Map<string, number>();
  #latest = 0;

  constructor(waiterOf: WaiterOf) {
    this.#waiterOf = waiterOf;
  }

  ticketOf(owner: string): number | undefined {
    return this.#tickets.get(owner);
  }

  /** To be called after every command. */
  executed({ node, args }: Execution, engine: RedisEngine): void {
    let arrivals = this.#arrivals.get(node);
    if (arrivals === undefined) this.#arrivals.set(node, (arrivals = new Map()));
    const { waiters, owners } = this.#readable(engine);
    for (const contender of waiters) {
      // It held, and its key expired while the server executed nothing: it queues anew.
      if (arrivals.get(contender)?.hasHeld === true) arrivals.delete(contender);
      this.#arrived(arrivals, contender).isWaiting = true;
    }
    const holders = new Set<string>();
    for (const owner of owners) {
      const contender = contenderOf(owner);
      // Whoever waits holds no more: a key that has expired stays until a command looks at it.
      if (waiters.has(contender)) continue;
      const arrival = this.#arrived(arrivals, contender);
      arrival.hasHeld = true;
      holders.add(contender);
      // Set once: a value that a restart brings back is no other grant.
      if (!this.#tickets.has(owner)) this.#tickets.set(owner, arrival.ticket);
    }
    for (const [contender, arrival] of Array.from(arrivals)) {
      if (waiters.has(contender) || holders.has(contender)) continue;
      const isOwnDoing = args.some((arg) => isOf(arg, contender) && attemptOf(arg) > 0);
      if (arrival.hasHeld || (arrival.isWaiting && !isOwnDoing)) arrivals.delete(contender);
      arrival.isWaiting = false;
    }
  }

  #arrived(arrivals: Map<string, Arrival>, contender: string): Arrival {
    let arrival = arrivals.get(contender);
    if (arrival === undefined) {
      arrival = { ticket: (this.#latest += 1), isWaiting: false, hasHeld: false };
      arrivals.set(contender, arrival);
    }
    return arrival;
  }

  /** The waiters in order, and the owner values of attempts. */
  #readable(engine: RedisEngine): { waiters: ReadonlySet<string>; owners: readonly string[] } {
    const waiters = new Set<string>();
    const owners: string[] = [];
    for (const [, value] of engine.snapshot().entries) {
      if (typeof value === 'string') {
        if (attemptOf(value) > 0) owners.push(value);
      } else if (value instanceof RedisSortedSet) {
        const inOrder = Array.from(value.scores).toSorted(([, a], [, b]) => a - b);
        for (const [member] of inOrder) {
          const waiter = this.#waiterOf(member);
          if (waiter !== undefined) waiters.add(waiter);
        }
      }
    }
    return { waiters, owners };
  }
}
