import { EtcdReplyError } from '@holdfast/etcd/port';

interface SimLease {
  readonly ttlMs: number;
  readonly keys: Set<string>;
  /** By the monotonic clock of the server. */
  expiresMs: number;
}

/** The leases of a store, and their keys. */
export class Leases {
  readonly #leases = new Map<bigint, SimLease>();

  /** @throws EtcdReplyError if the id is taken */
  grant(id: bigint, ttlMs: number, nowMs: number): void {
    if (this.#leases.has(id)) {
      throw new EtcdReplyError('LEASE_EXISTS', 'etcdserver: lease already exists');
    }
    this.#leases.set(id, { ttlMs, keys: new Set(), expiresMs: nowMs + ttlMs });
  }

  /** Returns the ttl in ms; 0 if there is no such lease. */
  renew(id: bigint, nowMs: number): number {
    const lease = this.#leases.get(id);
    if (lease === undefined) return 0;
    lease.expiresMs = nowMs + lease.ttlMs;
    return lease.ttlMs;
  }

  /** Starts every ttl again, as a new leader does. */
  renewAll(nowMs: number): void {
    for (const id of this.#leases.keys()) this.renew(id, nowMs);
  }

  /** The leases whose time is over. */
  expired(nowMs: number): readonly bigint[] {
    return [...this.#leases].flatMap(([id, { expiresMs }]) => (expiresMs <= nowMs ? [id] : []));
  }

  /** @throws EtcdReplyError if there is no such lease */
  check(id: bigint): void {
    this.#lease(id);
  }

  /** Ends a lease, and returns its keys. @throws EtcdReplyError if there is no such lease */
  end(id: bigint): ReadonlySet<string> {
    const { keys } = this.#lease(id);
    this.#leases.delete(id);
    return keys;
  }

  /** Moves a key from one lease to another; 0 is none. */
  move(key: string, from: bigint, to: bigint): void {
    this.#leases.get(from)?.keys.delete(key);
    if (to !== 0n) this.#lease(to).keys.add(key);
  }

  #lease(id: bigint): SimLease {
    const lease = this.#leases.get(id);
    if (lease !== undefined) return lease;
    throw new EtcdReplyError('LEASE_NOT_FOUND', 'etcdserver: requested lease not found');
  }
}
