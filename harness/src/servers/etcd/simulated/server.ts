import type { Header } from '@holdfast/etcd/port';
import type { Connection, Endpoint } from '../../../sim/net/connection.ts';
import type { SimProcess } from '../../../sim/process.ts';
import type { World } from '../../../sim/world.ts';
import { EtcdStore } from './store.ts';

/** etcd looks for expired leases so often. */
const LOOK_MS = 500;

export interface SimEtcdOptions {
  /** The shortest ttl of a lease: one and a half election timeouts. Default 1. */
  readonly minTtlSeconds?: number | undefined;
}

/**
 * One etcd server alone: it is the leader, and a majority. What only an ensemble can do, lag and elections, is not here. A
 * restart keeps the data, begins a new term, and starts every lease again.
 */
export class SimEtcdServer implements Endpoint {
  readonly name: string = 'etcd';
  readonly store: EtcdStore = new EtcdStore();
  readonly minTtlSeconds: number;
  readonly #connections = new Set<Connection>();
  #process: SimProcess;
  #term = 2n;

  constructor(world: World, { minTtlSeconds = 1 }: SimEtcdOptions = {}) {
    this.minTtlSeconds = minTtlSeconds;
    this.#process = world.process(this.name);
    this.#lookForExpired(this.#process);
  }

  get process(): SimProcess {
    return this.#process;
  }

  /** By its monotonic clock. */
  get nowMs(): number {
    return this.#process.clocks.monotonicMs;
  }

  get header(): Header {
    return { memberId: 1n, revision: this.store.revision, raftTerm: this.#term };
  }

  accept(connection: Connection): SimProcess | undefined {
    if (this.#process.crashed) return undefined;
    this.#connections.add(connection);
    return this.#process;
  }

  disconnected(connection: Connection): void {
    this.#connections.delete(connection);
  }

  /** It crashes, and is back at once. */
  restart(): void {
    for (const connection of Array.from(this.#connections)) connection.abort('the server crashed');
    this.store.forgetWatches();
    this.#process = this.#process.restart();
    this.#term += 1n;
    this.store.leases.renewAll(this.nowMs);
    this.#lookForExpired(this.#process);
  }

  #lookForExpired(process: SimProcess): void {
    process.clientRuntime.timer(LOOK_MS, () => {
      for (const id of this.store.leases.expired(this.nowMs)) this.store.revoke(id);
      this.#lookForExpired(process);
    });
  }
}
