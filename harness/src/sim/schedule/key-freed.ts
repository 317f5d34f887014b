import { EventQueue, type Queue, type SimEvent } from '../event-queue.ts';
import type { SimProcess } from '../process.ts';
import type { Run } from './run.ts';

/** The time at which a key could have been granted to another client than its holder. */
export interface KeyFreed {
  /** The id in the history. */
  readonly hold: string;
  /** True time. */
  readonly atMs: number;
  /** Expired, or deleted by a request: mostly of the holder, which releases what it has lost. */
  readonly how: 'expired' | 'deleted';
}

interface WatchedHold {
  readonly hold: string;
  readonly owner: string;
  /** According to the latest check. */
  untilMs: number;
}

/**
 * Watches the state of the servers, and records when each hold ends there: the first instant at which they could
 * grant the key to another. Checks whenever the state may have changed, and changes nothing.
 */
export class KeyFreedRecorder {
  readonly all: KeyFreed[] = [];
  readonly #run: Run;
  #watched: WatchedHold[] = [];

  constructor(run: Run) {
    this.#run = run;
  }

  /** True if all holds have ended on the servers. */
  get isOver(): boolean {
    return this.#watched.length === 0;
  }

  /** Watches a hold that was granted under that owner value. */
  watch(hold: string, owner: string): void {
    this.#watched.push({ hold, owner, untilMs: Number.POSITIVE_INFINITY });
    this.check();
  }

  /** Between two events only the passing of time can end a hold. */
  check(): void {
    if (this.#watched.length > 0) this.#watched = this.#watched.filter((each) => !this.#ends(each));
  }

  #alive(): readonly SimProcess[] {
    const { clients } = this.#run;
    return [...clients.values()].filter(({ isAlive }) => isAlive).map(({ process }) => process);
  }

  #ends(watched: WatchedHold): boolean {
    const { world, cluster } = this.#run;
    const { nowMs } = world;
    const { hold, owner } = watched;
    if (watched.untilMs > nowMs) {
      const state = cluster.holds(owner);
      watched.untilMs = state.freeAtMs(this.#alive());
      if (watched.untilMs > nowMs) return false;
      const how = state.hasExpired ? 'expired' : 'deleted';
      this.all.push({ hold, atMs: nowMs, how });
    } else this.all.push({ hold, atMs: watched.untilMs, how: 'expired' });
    return true;
  }
}

/**
 * A queue of events that calls {@link onNext} before time passes: the watcher then sees the result of all events of
 * one time.
 */
export class WatchedQueue implements Queue {
  readonly #events = new EventQueue();
  #atUs = 0;
  onNext: () => void = () => {};

  push(event: SimEvent): void {
    this.#events.push(event);
  }

  peek(): SimEvent | undefined {
    return this.#events.peek();
  }

  pop(): SimEvent | undefined {
    const next = this.#events.peek();
    if (next !== undefined && next.atUs > this.#atUs) {
      this.onNext();
      this.#atUs = next.atUs;
    }
    return this.#events.pop();
  }
}
