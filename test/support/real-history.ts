import type { Lease, Locks } from '@holdfast/core';
import type { HistoryEvent } from '@holdfast/core/backend';
import { parseOwner } from '@holdfast/core/backend';

type Unplaced<E> = E extends unknown ? Omit<E, 'seq' | 'atMs' | 'client' | 'key' | 'hold'> : never;
type ClientEvent = Unplaced<Exclude<HistoryEvent, { type: 'paused' | 'crashed' }>>;

/** Writes down what clients in this process do, on a clock that they all share: the monotonic one of the machine. */
export class RealHistory {
  readonly events: HistoryEvent[] = [];
  readonly nowMs: () => number;
  #seq = 0;

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  add(client: string, key: string, hold: string, event: ClientEvent): void {
    this.events.push({ ...event, seq: this.#seq++, atMs: this.nowMs(), client, key, hold });
  }
}

/** One client's view: turns renewals and losses of its leases into history. */
export class RealClient {
  readonly name: string;
  readonly #history: RealHistory;
  readonly #holds = new Map<string, { readonly id: string; readonly key: string }>();
  #count = 0;

  constructor(name: string, locks: Locks, history: RealHistory) {
    this.name = name;
    this.#history = history;
    locks.on('renewed', ({ contender, remainingMs }) => {
      const validUntilMs = this.#history.nowMs() + remainingMs;
      this.#record(contender, { type: 'renewed', validUntilMs });
    });
    locks.on('lost', ({ contender, reason }) => this.#record(contender, { type: 'lost', reason }));
  }

  /** Opens a hold on `key` and returns its id, which all its events carry. */
  request(key: string): string {
    const hold = `${this.name}/${++this.#count}`;
    this.#history.add(this.name, key, hold, { type: 'acquire' });
    return hold;
  }

  granted(key: string, hold: string, lease: Lease): void {
    const validUntilMs = this.#history.nowMs() + lease.remainingMs();
    const token = lease.fencingToken?.toString();
    this.#holds.set(contenderOf(lease), { id: hold, key });
    this.#history.add(this.name, key, hold, { type: 'granted', validUntilMs, token });
  }

  failed(key: string, hold: string, reason: string): void {
    this.#history.add(this.name, key, hold, { type: 'denied', reason });
  }

  async release(key: string, hold: string, lease: Lease): Promise<void> {
    this.#history.add(this.name, key, hold, { type: 'release' });
    const { kind } = await lease.release();
    this.#history.add(this.name, key, hold, { type: 'released', outcome: kind });
    this.#holds.delete(contenderOf(lease));
  }

  #record(contender: string, event: ClientEvent): void {
    const hold = this.#holds.get(contender);
    if (hold !== undefined) this.#history.add(this.name, hold.key, hold.id, event);
  }
}

function contenderOf(lease: Lease): string {
  return parseOwner(lease.owner)?.contender ?? lease.owner;
}
