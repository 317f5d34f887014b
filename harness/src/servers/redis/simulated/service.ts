import { type Kernel, toUs } from '../../../sim/kernel.ts';
import type { Connection } from '../../../sim/net/connection.ts';
import type { Named, Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import { partsOf, type World } from '../../../sim/world.ts';
import type { RedisAddress } from './node.ts';
import { Replication } from './replication.ts';
import type { SimRedisServer } from './server.ts';

export interface SimRedisServiceOptions {
  readonly name: string;
  readonly master: SimRedisServer;
  readonly replica?: SimRedisServer;
  /**
   * Time that a write waits at the master before it is sent to the replica. Default 0; an acknowledged write may still
   * be lost.
   */
  readonly lagMs?: number;
}

export interface SplitBrainOptions {
  /** The clients that stay with the old master. */
  readonly staysWithOld: readonly Named[];
}

/** One address that leads to the current master, as with a sentinel or a managed service. */
export class SimRedisService implements RedisAddress {
  readonly name: string;
  /** The first master and its replica, whatever their roles are now. */
  readonly servers: readonly SimRedisServer[];
  /** Connections since it was last re-pointed. */
  readonly dialled: Set<Connection> = new Set();
  readonly #kernel: Kernel;
  readonly #network: Network;
  readonly #lagMs: number;
  #master: SimRedisServer;
  #replica: SimRedisServer | undefined;
  #replication: Replication | undefined;
  /** The other master of a split brain, and its clients. */
  #old: { readonly server: SimRedisServer; readonly stays: ReadonlySet<string> } | undefined;
  /** The service that the address leads to instead. */
  #repointedTo: { readonly service: SimRedisService } | undefined;

  constructor(world: World, network: Network, options: SimRedisServiceOptions) {
    this.name = options.name;
    this.#kernel = partsOf(world).kernel;
    this.#network = network;
    this.#lagMs = options.lagMs ?? 0;
    this.#master = options.master;
    this.#replica = options.replica;
    this.servers = [options.master, ...(options.replica === undefined ? [] : [options.replica])];
    this.#replicate();
  }

  get master(): SimRedisServer {
    return this.#master;
  }

  get replica(): SimRedisServer | undefined {
    return this.#replica;
  }

  serverFor(process: SimProcess): SimRedisServer {
    return (this.#repointedTo?.service ?? this).#ownFor(process);
  }

  #ownFor(process: SimProcess): SimRedisServer {
    if (this.#old?.stays.has(process.name) === true) return this.#old.server;
    return this.#master;
  }

  /**
   * The master crashes with everything that it has not replicated. The replica is promoted after `afterMs`;
   * the service then has no replica, and `promoted` is called.
   */
  failover({
    afterMs = 0,
    promoted,
  }: {
    readonly afterMs?: number;
    readonly promoted?: () => void;
  } = {}): void {
    const successor = this.#successor();
    this.#master.crash();
    const promote = (): boolean => {
      this.#promote(successor);
      promoted?.();
      return false;
    };
    this.#kernel.schedule(this.#kernel.nowUs + toUs(afterMs), promote);
  }

  /**
   * Promotes the replica while the old master keeps running, cut off from it, with some of the clients; the other
   * clients have to reconnect. Returns a function that heals: the old master becomes a replica of the new one and loses
   * its own writes.
   */
  splitBrain({ staysWithOld }: SplitBrainOptions): () => void {
    const old = this.#master;
    const heal = this.promoteBeside(staysWithOld);
    old.breakConnections(({ process }) => this.#ownFor(process) !== old);
    return heal;
  }

  /** Promotes the replica while the old master keeps running with all its connections. Returns a function that heals. */
  promoteBeside(staysWithOld: readonly Named[] = []): () => void {
    this.#old = { server: this.#master, stays: new Set(staysWithOld.map(({ name }) => name)) };
    this.#promote(this.#successor());
    return () => this.#heal();
  }

  /**
   * Leads the address to the server of `other` from now on, as when a proxy is re-pointed; its connections are reset.
   * Returns a function that points it back, unless it was re-pointed again since.
   */
  leadTo(other: SimRedisService): () => void {
    const elsewhere = { service: other };
    this.#lead(elsewhere);
    return () => {
      if (this.#repointedTo === elsewhere) this.#lead(undefined);
    };
  }

  #lead(elsewhere: { readonly service: SimRedisService } | undefined): void {
    this.#repointedTo = elsewhere;
    this.#kernel.record(this.name, 'lead', (elsewhere?.service ?? this).name);
    for (const connection of this.dialled)
      if (!connection.isOver) connection.reset('the address leads elsewhere');
    this.dialled.clear();
  }

  #successor(): SimRedisServer {
    if (this.#replica === undefined) throw new Error(`${this.name} has no replica to promote`);
    return this.#replica;
  }

  #promote(successor: SimRedisServer): void {
    if (this.#master === successor) return;
    this.#kernel.record(successor.name, 'failover', this.name);
    this.#replication?.stop();
    this.#replication = undefined;
    this.#replica = undefined;
    this.#master = successor;
    successor.storage.become('master');
  }

  #heal(): void {
    if (this.#old === undefined) return;
    const { server } = this.#old;
    this.#old = undefined;
    this.#kernel.record(server.name, 'heal', this.name);
    server.breakConnections();
    this.#replica = server;
    this.#replicate();
  }

  #replicate(): void {
    if (this.#replica === undefined) return;
    this.#replication = new Replication({
      kernel: this.#kernel,
      network: this.#network,
      from: this.#master,
      to: this.#replica,
      lagMs: this.#lagMs,
    });
  }
}
