import { EtcdReplyError } from '@holdfast/etcd/port';

/** A lease, as all servers have it. */
export interface StoredLease {
  readonly ttlMs: number;
  readonly keys: ReadonlySet<string>;
  /** What was left of it at its latest checkpoint; 0 without one. */
  readonly leftMs: number;
}

interface OwnLease extends StoredLease {
  readonly keys: Set<string>;
  leftMs: number;
}

/** The leases of a store, and their keys. When they expire only the leader knows. */
export class Leases {
  readonly #leases = new Map<bigint, OwnLease>();

  get ids(): Iterable<bigint> {
    return this.#leases.keys();
  }

  get(id: bigint): StoredLease | undefined {
    return this.#leases.get(id);
  }

  /** @throws EtcdReplyError if the id is taken */
  grant(id: bigint, ttlMs: number): void {
    if (this.#leases.has(id)) {
      throw new EtcdReplyError('LEASE_EXISTS', 'etcdserver: lease already exists');
    }
    this.#leases.set(id, { ttlMs, keys: new Set(), leftMs: 0 });
  }

  /** Does nothing if there is no such lease. */
  checkpoint(id: bigint, leftMs: number): void {
    const lease = this.#leases.get(id);
    if (lease !== undefined) lease.leftMs = leftMs;
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

  #lease(id: bigint): OwnLease {
    const lease = this.#leases.get(id);
    if (lease !== undefined) return lease;
    throw new EtcdReplyError('LEASE_NOT_FOUND', 'etcdserver: requested lease not found');
  }
}
