import { callDeadlineMs, type Host } from '@holdfast/core/backend';
import { messageOf } from './failures.ts';
import { NAME } from './identity.ts';
import { PooledSession, type PostgresDatabase, type Subscription } from './port.ts';
import { CHANNEL } from './statements.ts';

/** A pause after listening failed: until then waiters poll. */
const RETRY_MS = 1_000;

type Waiter = () => void;

/** The notifications of releases: one subscription for all waiters of a backend, opened for the first one. */
export class Releases {
  readonly #database: Pick<PostgresDatabase, 'address' | 'listen'>;
  readonly #host: Host;
  readonly #waiters = new Map<string, Set<Waiter>>();
  #subscription: Promise<Subscription | undefined> | undefined;
  #isOff = false;
  /** How many subscriptions have been live. */
  #count = 0;
  #live: number | undefined;
  #retryAtMs = Number.NEGATIVE_INFINITY;

  constructor(database: Pick<PostgresDatabase, 'address' | 'listen'>, host: Host) {
    this.#database = database;
    this.#host = host;
  }

  /** True while waiters are notified; else they have to poll. */
  get isLive(): boolean {
    return this.#live !== undefined;
  }

  /** The number of the subscription that is live, if one is. */
  get liveSubscription(): number | undefined {
    return this.#live;
  }

  /** Calls `waiter` when the key of `payload` may be free, and when a notification may have been missed; until `remove`. */
  add(payload: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(payload) ?? new Set();
    this.#waiters.set(payload, waiters.add(waiter));
    void this.#subscribe();
  }

  remove(payload: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(payload);
    if (waiters?.delete(waiter) === true && waiters.size === 0) this.#waiters.delete(payload);
  }

  /** Ends the subscription, of a database that stays open. */
  close(): void {
    this.#isOff = true;
    void this.#subscription?.then((subscription) => subscription?.close());
  }

  /** Resolves once one is live, with its number; undefined if waiters have to poll. */
  async live(): Promise<number | undefined> {
    await this.#subscribe();
    return this.#live;
  }

  #subscribe(): Promise<Subscription | undefined> {
    if (this.#subscription !== undefined) return this.#subscription;
    const nowMs = this.#host.runtime.now().monotonicMs;
    if (this.#isOff || nowMs < this.#retryAtMs) return Promise.resolve(undefined);
    const deadlineMs = nowMs + callDeadlineMs(undefined);
    this.#subscription = this.#database
      .listen(
        CHANNEL,
        (event) => {
          if (event.kind === 'message') return this.wake(event.payload);
          this.#lost();
          for (const payload of Array.from(this.#waiters.keys())) this.wake(payload);
        },
        { deadlineMs },
      )
      .then((subscription) => {
        this.#count += 1;
        this.#live = this.#count;
        return subscription;
      })
      .catch((cause: unknown) => this.#failed(cause));
    return this.#subscription;
  }

  /** Calls the waiters of `payload`. */
  wake(payload: string): void {
    for (const waiter of Array.from(this.#waiters.get(payload) ?? [])) waiter();
  }

  #lost(): void {
    this.#live = undefined;
    this.#subscription = undefined;
    this.#retryAtMs = this.#host.runtime.now().monotonicMs + RETRY_MS;
  }

  #failed(cause: unknown): undefined {
    this.#lost();
    const { address } = this.#database;
    if (!(cause instanceof PooledSession)) {
      this.#host.emit({
        type: 'node',
        backend: NAME,
        node: address,
        outcome: 'not listening',
        cause,
      });
      return undefined;
    }
    this.#isOff = true;
    const message = `${NAME}: waiters poll, because ${messageOf(cause)}; connect them to the server itself, or through a pooler that keeps sessions`;
    this.#host.emit({ type: 'warning', backend: NAME, code: 'transaction-pooler', message, cause });
    return undefined;
  }
}

/**
 * Wakes one contender as soon as anything has happened to its key since its latest attempt started. Level-triggered, so that
 * a release between an attempt and the wait after it is not missed; what happened before the subscription was live was not
 * observed, so its start counts as well.
 */
export class WakeUp {
  readonly #releases: Releases;
  readonly #payloads: readonly string[];
  readonly #waits = new Set<() => void>();
  readonly #waiter: () => void;
  #hasChanged = false;
  #isAdded = false;
  /** The subscription that it hears from: what happened before that one was live may have been missed. */
  #subscription: number | undefined;

  constructor(releases: Releases, ...payloads: readonly string[]) {
    this.#releases = releases;
    this.#payloads = payloads;
    this.#waiter = this.#onMessage.bind(this);
  }

  /** True if anything has happened since the last restart. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** An attempt starts, which sees earlier changes itself. */
  restart(): void {
    this.#hasChanged = false;
  }

  /** Resolves as soon as anything has happened since the last restart, or on abort; never rejects. */
  changed(signal: AbortSignal): Promise<void> {
    this.#add();
    if (this.#hasChanged || signal.aborted) return Promise.resolve();
    return new Promise((done) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        this.#waits.delete(wake);
        done();
      };
      signal.addEventListener('abort', wake);
      this.#waits.add(wake);
    });
  }

  /** Listens before the first attempt if others do already: no second one need follow. */
  listenIfLive(): void {
    if (this.#isAdded || !this.#releases.isLive) return;
    this.#subscription = this.#releases.liveSubscription;
    this.#addTo();
  }

  /** Ends the subscription. A wait that is under way ends only by its signal. */
  close(): void {
    for (const payload of this.#payloads) this.#releases.remove(payload, this.#waiter);
  }

  #add(): void {
    if (!this.#isAdded) this.#addTo();
    if (this.#isHeard(this.#releases.liveSubscription)) return;
    void this.#releases.live().then((live) => {
      if (live === undefined || this.#isHeard(live)) return;
      this.#subscription = live;
      this.#onMessage();
    });
  }

  #isHeard(subscription: number | undefined): boolean {
    return subscription !== undefined && subscription === this.#subscription;
  }

  #addTo(): void {
    this.#isAdded = true;
    for (const payload of this.#payloads) this.#releases.add(payload, this.#waiter);
  }

  #onMessage(): void {
    this.#hasChanged = true;
    for (const wake of this.#waits) wake();
  }
}
