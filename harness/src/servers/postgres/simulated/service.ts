import { type Kernel, toUs } from '../../../sim/kernel.ts';
import type { Named, Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import { partsOf, type World } from '../../../sim/world.ts';
import type { PostgresAddress } from './database.ts';
import { Replication } from './replication.ts';
import type { SimPostgresServer } from './server.ts';

export interface SimPostgresServiceOptions {
  readonly name: string;
  readonly primary: SimPostgresServer;
  readonly standby?: SimPostgresServer;
  /** Time that a transaction waits at the primary before it is sent to the standby. Default 0. */
  readonly lagMs?: number;
  /** After a failover, the time until the old primary is back as a standby of the new one; absent: never. */
  readonly rejoinMs?: number;
}

/** One address that leads to the current primary, as with a proxy or a managed service. */
export class SimPostgresService implements PostgresAddress {
  readonly name: string;
  /** The first primary and its standby, whatever their roles are now. */
  readonly servers: readonly SimPostgresServer[];
  readonly #kernel: Kernel;
  readonly #network: Network;
  readonly #options: SimPostgresServiceOptions;
  #primary: SimPostgresServer;
  #standby: SimPostgresServer | undefined;
  #replication: Replication | undefined;
  /** The other primary of a split brain, and its clients. */
  #old: { readonly server: SimPostgresServer; readonly stays: ReadonlySet<string> } | undefined;

  constructor(world: World, network: Network, options: SimPostgresServiceOptions) {
    this.name = options.name;
    this.#kernel = partsOf(world).kernel;
    this.#network = network;
    this.#options = options;
    this.#primary = options.primary;
    this.#standby = options.standby;
    this.servers = [options.primary, ...(options.standby === undefined ? [] : [options.standby])];
    this.#replicate();
  }

  get primary(): SimPostgresServer {
    return this.#primary;
  }

  get standby(): SimPostgresServer | undefined {
    return this.#standby;
  }

  serverFor(process: SimProcess): SimPostgresServer {
    if (this.#old?.stays.has(process.name) === true) return this.#old.server;
    return this.#primary;
  }

  /** The primary crashes with everything that it has not sent. The standby is promoted after `afterMs`. */
  failover(afterMs: number): void {
    const old = this.#primary;
    const successor = this.#standby;
    if (successor === undefined) return;
    old.crash();
    this.#after(afterMs, () => this.#promote(successor));
    const { rejoinMs } = this.#options;
    if (rejoinMs !== undefined) this.#after(afterMs + rejoinMs, () => this.#rejoin(old));
  }

  /**
   * Promotes the standby while the old primary keeps running, cut off from it, with some of the clients; the other
   * clients have to reconnect. Returns a function that heals: the old primary becomes a standby of the new one and loses
   * its own writes.
   */
  splitBrain(staysWithOld: readonly Named[]): () => void {
    const old = this.#primary;
    if (this.#standby === undefined) return () => {};
    this.#old = { server: old, stays: new Set(staysWithOld.map(({ name }) => name)) };
    this.#promote(this.#standby);
    old.breakConnections(({ process }) => this.serverFor(process) !== old);
    return () => this.#heal();
  }

  #promote(successor: SimPostgresServer): void {
    if (this.#primary === successor) return;
    this.#kernel.record(successor.name, 'failover', this.name);
    this.#replication?.stop();
    this.#replication = undefined;
    this.#standby = undefined;
    this.#primary = successor;
    successor.storage.become('primary');
  }

  #heal(): void {
    if (this.#old === undefined) return;
    const { server } = this.#old;
    this.#old = undefined;
    this.#kernel.record(server.name, 'heal', this.name);
    this.#rejoin(server);
  }

  /** Becomes a standby of the new primary, with a copy of its data. */
  #rejoin(server: SimPostgresServer): void {
    if (this.#standby !== undefined || server === this.#primary) return;
    this.#standby = server;
    this.#replicate();
  }

  #replicate(): void {
    if (this.#standby === undefined) return;
    this.#replication = new Replication({
      kernel: this.#kernel,
      network: this.#network,
      from: this.#primary,
      to: this.#standby,
      lagMs: this.#options.lagMs ?? 0,
    });
  }

  #after(ms: number, run: () => void): void {
    const act = (): boolean => {
      run();
      return false;
    };
    this.#kernel.schedule(this.#kernel.nowUs + toUs(ms), act);
  }
}
