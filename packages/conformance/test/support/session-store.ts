/** The place of one waiter in the queue of a key. */
export interface Place {
  readonly session: number;
  readonly owner: string;
  readonly token: bigint;
}

/** Queues of places, each of which lives as long as its session: the executable specification of a session backend. */
export class SessionStore {
  readonly #queues = new Map<string, Place[]>();
  readonly #live = new Set<number>();
  readonly #listeners = new Set<() => void>();
  readonly #onEnd = new Map<number, Set<() => void>>();
  #sessions = 0;
  #token = 0n;

  open(): number {
    this.#sessions += 1;
    this.#live.add(this.#sessions);
    return this.#sessions;
  }

  isLive(session: number): boolean {
    return this.#live.has(session);
  }

  /** Its places are gone at once. */
  end(session: number): void {
    this.#live.delete(session);
    for (const [key, places] of this.#queues) {
      this.#queues.set(
        key,
        places.filter((place) => place.session !== session),
      );
    }
    for (const tell of this.#onEnd.get(session) ?? []) tell();
    this.#tell();
  }

  /** Calls `listener` when the session ends, or at once if it has. */
  onEnd(session: number, listener: () => void): () => void {
    if (!this.isLive(session)) listener();
    const listeners = this.#onEnd.get(session) ?? new Set();
    this.#onEnd.set(session, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** The place of this owner, at the end of the queue unless it had one. */
  enter(key: string, session: number, owner: string): Place {
    const places = this.places(key);
    const own = places.find((place) => place.session === session && place.owner === owner);
    if (own !== undefined) return own;
    this.#token += 1n;
    const place = { session, owner, token: this.#token };
    this.#queues.set(key, [...places, place]);
    return place;
  }

  leave(key: string, place: Place): boolean {
    const places = this.places(key);
    this.#queues.set(
      key,
      places.filter((each) => each !== place),
    );
    this.#tell();
    return places.includes(place);
  }

  /** First come first. */
  places(key: string): readonly Place[] {
    return this.#queues.get(key) ?? [];
  }

  /** Calls `listener` whenever a waiter has left a queue. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
